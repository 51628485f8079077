"""The grid of a launch as a plane of programs: the geometry of the grid's own map.

Program ids count x fastest, then y, then z. A grid is drawn as a tensor of shape (z, y, x) would
be, without dimensions of one program: one dimension is folded into rows, three are cut.
"""

from __future__ import annotations

from playground.model.plane import index_at, plane_shape, position_of

Grid = tuple[int, int, int]


def program_count(grid: Grid) -> int:
    """Return how many programs a grid has."""
    return grid[0] * grid[1] * grid[2]


def grid_shape(grid: Grid) -> tuple[int, ...]:
    """Return the shape as which a grid is drawn, its slowest dimension first."""
    return tuple(size for size in reversed(grid) if size > 1) or (1,)


def grid_axes(grid: Grid) -> str:
    """Return the names of the dimensions drawn, the slowest first (`zyx`)."""
    return "".join(
        axis for axis, size in zip("zyx", reversed(grid), strict=True) if size > 1
    ) or "x"  # fmt: skip


def place_of(grid: Grid, program: int) -> tuple[int, int, tuple[int, ...]]:
    """Return row, column and slices at which the program with this linear id is drawn."""
    shape = grid_shape(grid)
    index = []
    rest = program
    for size in reversed(shape):
        rest, part = divmod(rest, size)
        index.append(part)
    return position_of(shape, tuple(reversed(index)))


def program_at(grid: Grid, row: int, column: int, slices: tuple[int, ...] = ()) -> int | None:
    """Return the linear id of the program drawn at a place, None where there is none."""
    shape = grid_shape(grid)
    index = index_at(shape, row, column, slices)
    if index is None:
        return None
    program = 0
    for size, part in zip(shape, index, strict=True):
        program = program * size + part
    return program


def first_program(grid: Grid, slices: tuple[int, ...]) -> int:
    """Return the linear id of the first program of a slice."""
    shape = grid_shape(grid)
    rows, columns = plane_shape(shape)
    first = 0
    for size, part in zip(shape[:-2], slices, strict=False):
        first = first * size + part
    return first * rows * columns
