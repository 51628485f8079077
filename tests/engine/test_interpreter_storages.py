"""Which addresses a launch may touch, and how they are told for tensors copied to the host."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from playground.engine.triton_private.interpreter_access import LaunchMemory
from playground.engine.triton_private.interpreter_memory import Memory
from playground.engine.triton_private.interpreter_storages import (
    Ranges,
    Storage,
    storages_by_address,
    storages_of,
)


def lanes(*addresses: int) -> np.ndarray:
    return np.array(addresses, dtype=np.uint64)


@pytest.mark.parametrize(
    ("addresses", "active", "outside"),
    [
        ((100, 104, 196), (1, 1, 1), None),
        ((100, 104, 300), (1, 1, 1), None),  # two storages, both allowed
        ((96, 100), (1, 1), (1, 0)),
        ((196, 200), (1, 1), (0, 1)),
        ((198,), (1,), (1,)),  # straddles the end
        ((0, 100), (0, 1), None),  # switched off: may point anywhere
        ((0, 1 << 63), (0, 0), None),
        ((250, 196), (1, 1), (1, 0)),
    ],
)
def test_lanes_outside(addresses, active, outside):
    ranges = Ranges([(300, 400), (100, 200), (150, 180)])
    found = ranges.outside(lanes(*addresses), np.array(active, dtype=bool), 4)
    assert (found if found is None else tuple(map(int, found))) == outside


def test_without_ranges_everything_is_outside():
    assert Ranges(()).outside(lanes(64), np.ones(1, bool), 4).tolist() == [True]
    assert Ranges(()).outside(lanes(), np.ones(0, bool), 4) is None


def test_storages_of_views_tuples_and_empty_tensors():
    x, y = torch.zeros(10), torch.zeros(4)
    arguments = {"view": x[2:5], "pair": (y, 3), "none": None, "empty": torch.zeros(0), "n": 4}
    found = storages_of(arguments, arguments)
    assert [storage.name for storage in found] == ["view", "pair[0]"]
    assert found[0].start == found[0].told == x.data_ptr()
    assert found[0].end == x.data_ptr() + 40


def test_storages_whose_addresses_are_held_in_arguments():
    x, y = torch.zeros(10), torch.zeros(4)
    pointers = torch.tensor([x.data_ptr() + 8, 7])
    arguments = {"pointers": pointers, "address": y.data_ptr(), "count": 1 << 20}
    known = storages_of(arguments, arguments)
    found = storages_by_address(arguments, known)
    assert {storage.start for storage in found} == {x.data_ptr(), y.data_ptr()}
    assert storages_by_address({"indices": torch.arange(1000)}, known) == []


def test_addresses_are_told_as_the_callers_tensors_have_them():
    # Tensors of a GPU are interpreted on copies in host memory.
    copied = Storage("x", start=1000, end=1100, told=(1 << 46) + 64)
    host = Storage("y", start=2000, end=2100, told=2000)
    launch = LaunchMemory([copied, host], Ranges([(1000, 1100), (2000, 2100)]))
    told = launch.told_address(lanes(1004, 2004, 5000))
    assert told.tolist() == [(1 << 46) + 68, 2004, 5000]
    back_shifted = LaunchMemory([Storage("x", 1000, 1100, 40)]).told_address(lanes(1004))
    assert back_shifted.tolist() == [44]
    assert Memory._seen(((1 << 46) + 64, (1 << 46) + 104), [copied, host]) == (1000, 1040)
    assert Memory._seen((2000, 2100), [copied, host]) == (2000, 2100)
    assert Memory._seen((9000, 9100), [copied, host]) == (9000, 9100)
