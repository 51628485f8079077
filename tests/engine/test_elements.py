"""Addresses told as elements, against every address of each view written out."""

import itertools

import numpy as np
import pytest

from playground.engine.elements import NOWHERE, ByteView

VIEWS = {
    "row major": ByteView(1000, (3, 5), (20, 4), 4),
    "transposed": ByteView(1000, (5, 3), (4, 20), 4),
    "columns left out": ByteView(1008, (4, 3), (32, 4), 4),
    "every other element": ByteView(1000, (7,), (8,), 4),
    "windows of one row": ByteView(1000, (6, 4), (2, 2), 2),
    "overlapping rows": ByteView(1000, (4, 3), (8, 12), 4),
    "broadcast rows": ByteView(1000, (3, 4), (0, 4), 4),
    "three axes in another order": ByteView(1000, (2, 3, 4), (4, 32, 8), 4),
    "one axis of one": ByteView(1000, (1, 5), (7, 2), 2),
    "a scalar": ByteView(1000, (), (), 8),
    "bytes": ByteView(1000, (9,), (1,), 1),
    "two axes that mesh": ByteView(1000, (3, 4, 2), (24, 20, 4), 4),
}


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS.keys())
def test_every_address_around_a_view(view):
    first = {}  # address of a byte to the first element, row by row, that it belongs to
    indices = itertools.product(*(range(size) for size in view.shape))
    for element, index in enumerate(indices):
        start = view.start + sum(i * s for i, s in zip(index, view.strides, strict=True))
        for byte in range(view.element_size):
            first.setdefault(start + byte, element)
    addresses = np.arange(900, max(first) + 100)
    expected = [first.get(int(address), NOWHERE) for address in addresses]
    assert view.places(addresses).tolist() == expected
    assert view.end == max(first) + 1
