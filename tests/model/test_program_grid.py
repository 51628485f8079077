"""The grid of programs as a plane: every program has one place, and its place gives it back."""

from __future__ import annotations

import pytest

from playground.model.program_grid import (
    first_program,
    grid_axes,
    grid_plane,
    grid_shape,
    place_of,
    program_at,
    program_count,
)


@pytest.mark.parametrize(
    "grid", [(1, 1, 1), (97, 1, 1), (200, 1, 1), (5, 3, 1), (1, 9, 1), (4, 3, 2), (7, 1, 5)]
)
def test_every_program_has_its_own_place(grid: tuple[int, int, int]) -> None:
    places = [place_of(grid, program) for program in range(program_count(grid))]
    assert len(set(places)) == program_count(grid)
    for program, (row, column, slices) in enumerate(places):
        assert program_at(grid, row, column, slices) == program
        rows, columns = grid_plane(grid)
        assert 0 <= row < rows
        assert 0 <= column < columns


def test_x_counts_fastest() -> None:
    # CUDA's own order: id = x + y * 4 + z * 4 * 3.
    assert place_of((4, 3, 2), 1 + 2 * 4 + 1 * 12) == (2, 1, (1,))
    assert program_at((4, 3, 2), 2, 1, (1,)) == 21
    assert first_program((4, 3, 2), (1,)) == 12


def test_dimensions_of_one_program_are_not_drawn() -> None:
    assert grid_shape((1, 9, 1)) == (9,)
    assert grid_shape((7, 1, 5)) == (5, 7)
    assert grid_axes((7, 1, 5)) == "zx"
    assert grid_shape((1, 1, 1)) == (1,)
    assert grid_axes((1, 1, 1)) == "x"


def test_behind_the_last_program_is_none() -> None:
    assert program_at((97, 1, 1), *divmod(96, grid_plane((97, 1, 1))[1])) == 96
    assert program_at((97, 1, 1), *divmod(97, grid_plane((97, 1, 1))[1])) is None


def test_one_dimension_is_folded_to_about_a_square() -> None:
    assert grid_plane((64, 1, 1)) == (8, 8)
    assert grid_plane((3, 1, 1)) == (2, 2)
    assert grid_plane((1, 1, 1)) == (1, 1)
    for programs in (5, 31, 97, 1000, 65536):
        rows, columns = grid_plane((programs, 1, 1))
        assert columns**2 < 4 * programs <= (2 * columns) ** 2
        assert rows * columns >= programs > (rows - 1) * columns
