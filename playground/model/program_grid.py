"""The grid of a launch as a plane of programs: the geometry of the grid's own map.

Program ids count x fastest, then y, then z. A grid is drawn as a tensor of shape (z, y, x) would
be, without dimensions of one program: one dimension is folded into rows, three are cut.
"""

from __future__ import annotations

from playground.model.plane import clamp_slices

Grid = tuple[int, int, int]


def program_count(grid: Grid) -> int:
    """Return how many programs a grid has."""
    return grid[0] * grid[1] * grid[2]


def grid_shape(grid: Grid) -> tuple[int, ...]:
    """Return the shape as which a grid is drawn, its slowest dimension first."""
    return tuple(size for size in reversed(grid) if size > 1) or (1,)


def grid_axes(grid: Grid) -> str:
    """Return the names of the dimensions drawn, the slowest first (`zyx`)."""
    named = zip("zyx", reversed(grid), strict=True)
    return "".join(axis for axis, size in named if size > 1) or "x"


def grid_plane(grid: Grid) -> tuple[int, int]:
    """Return the (rows, columns) of the plane of a grid: of one dimension about a square.

    Columns are then a power of two, as groups of programs mostly are.
    """
    shape = grid_shape(grid)
    if len(shape) > 1:
        return shape[-2], shape[-1]
    programs = shape[0]
    columns = 1 << (((4 * programs - 1).bit_length() - 1) // 2)
    return -(-programs // columns), columns


def place_of(grid: Grid, program: int) -> tuple[int, int, tuple[int, ...]]:
    """Return row, column and slices at which the program with this linear id is drawn."""
    rows, columns = grid_plane(grid)
    if len(grid_shape(grid)) < 3:
        return program // columns, program % columns, ()
    plane, rest = divmod(program, rows * columns)
    return rest // columns, rest % columns, (plane,)


def program_at(grid: Grid, row: int, column: int, slices: tuple[int, ...] = ()) -> int | None:
    """Return the linear id of the program drawn at a place, None where there is none."""
    rows, columns = grid_plane(grid)
    if not (0 <= row < rows and 0 <= column < columns):
        return None
    program = first_program(grid, slices) + row * columns + column
    return program if program < program_count(grid) else None


def first_program(grid: Grid, slices: tuple[int, ...]) -> int:
    """Return the linear id of the first program of a slice."""
    rows, columns = grid_plane(grid)
    cut = clamp_slices(grid_shape(grid), slices)
    return cut[0] * rows * columns if cut else 0
