"""The geometry of a tensor seen as a plane."""

import pytest

from playground.model.plane import (
    clamp_slices,
    default_slices,
    fold,
    index_at,
    index_text,
    plane_shape,
    position_of,
)


@pytest.mark.parametrize("elements", [65, 100, 1000, 98432, 2**20, 2**26, 2**26 + 1, 3 * 2**21])
def test_a_fold_is_a_power_of_two_and_about_twice_as_wide_as_high(elements):
    columns = fold(elements)
    assert columns & (columns - 1) == 0
    assert elements <= columns * columns < 4 * elements
    rows, width = plane_shape((elements,))
    assert width == columns
    assert (rows - 1) * columns < elements <= rows * columns


def test_small_and_empty_shapes():
    assert plane_shape(()) == (1, 1)
    assert plane_shape((0,)) == (1, 1)
    assert plane_shape((7,)) == (1, 7)
    assert plane_shape((3, 5)) == (3, 5)
    assert plane_shape((9, 3, 5)) == (3, 5)


@pytest.mark.parametrize("shape", [(1000,), (13, 7), (4, 3, 5), (2, 4, 3, 5)])
def test_positions_and_indices_are_inverse(shape):
    rows, columns = plane_shape(shape)
    slices = tuple(size - 1 for size in shape[:-2]) if len(shape) > 2 else ()
    seen = set()
    for row in range(rows):
        for column in range(columns):
            index = index_at(shape, row, column, slices)
            if index is None:
                continue
            assert position_of(shape, index) == (row, column, slices)
            assert all(0 <= part < size for part, size in zip(index, shape, strict=True))
            seen.add(index)
    expected = shape[0] if len(shape) == 1 else shape[-2] * shape[-1]
    assert len(seen) == expected


def test_outside_the_plane_there_is_no_index():
    assert index_at((3, 5), 3, 0) is None
    assert index_at((3, 5), 0, -1) is None
    assert index_at((1000,), 31, 31) is None
    assert index_at((1000,), 31, 7) == (999,)


def test_slices_are_filled_and_clamped():
    assert default_slices((2, 4, 3, 5)) == (0, 0)
    assert clamp_slices((2, 4, 3, 5), (9,)) == (1, 0)
    assert clamp_slices((3, 5), (1, 2)) == ()


def test_an_index_reads_like_python():
    assert index_text((3, 5)) == "[3, 5]"
