"""Ranges and sums of counters, against small vectors added up by hand."""

import pytest
import torch

from playground.engine.counter_layout import Layout, StorageSlot, TensorView
from playground.engine.counters import Cells
from playground.engine.storage_ranges import StorageRanges


def slot(number, first, cells):
    return StorageSlot(1 << (20 + number), 4 * cells, 4, False, first, cells, "xyz"[number])


# x is loaded evenly, y is loaded and stored unevenly, z is never touched.
LOADS = [2, 2, 2, 2, 0, 1, 5, 0, 0]
STORES = [0, 0, 0, 0, 1, 0, 2, 0, 0]


@pytest.fixture
def ranges():
    slots = (slot(0, 0, 4), slot(1, 4, 3), slot(2, 7, 2))
    none = torch.zeros(9, dtype=torch.int32)
    loads, stores = (torch.tensor(held, dtype=torch.int32) for held in (LOADS, STORES))
    return StorageRanges(Layout(slots, (), 9), Cells(loads, stores, none, none))


def test_each_storage_has_its_least_and_its_most(ranges):
    assert [ranges.of("load", number) for number in range(3)] == [(2, 2), (0, 5), (0, 0)]
    assert [ranges.of("store", number) for number in range(3)] == [(0, 0), (0, 2), (0, 0)]
    assert ranges.of("load", 3) == (0, 0)


def test_where_programs_can_meet(ranges):
    assert ranges.loaded() == {0, 1}
    assert ranges.loaded_and_stored() == {1}
    assert ranges.stored_again()


def test_bytes_are_those_of_all_cells_and_of_those_touched(ranges):
    assert ranges.bytes_used() == {
        ("load", 0): (4 * 8, 4 * 4), ("store", 0): (0, 0),
        ("load", 1): (4 * 6, 4 * 2), ("store", 1): (4 * 3, 4 * 2),
        ("load", 2): (0, 0), ("store", 2): (0, 0),
    }  # fmt: skip


def test_a_tensor_is_counted_through_its_strides(ranges):
    def told(direction, shape, strides, offset, storage):
        view = TensorView("v", shape, strides, offset, storage, "float32", 4)
        found = ranges.access_count(direction, view)
        return found.total, found.minimum, found.maximum

    assert told("load", (2, 2), (2, 1), 0, 0) == (8, 2, 2)
    assert told("load", (3, 5), (1, 0), 4, 1) == (6, 0, 5)  # broadcast: each cell once
    assert told("load", (2,), (1,), 5, 1) == (6, 1, 5)
    assert told("store", (2,), (2,), 4, 1) == (3, 1, 2)
    assert told("store", (0,), (1,), 4, 1) == (0, 0, 0)
