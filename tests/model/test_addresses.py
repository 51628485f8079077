"""How far outside of its bytes an address is, also where the arithmetic wrapped around."""

import pytest

from playground.model.addresses import elements_outside


@pytest.mark.parametrize("start", [0x1000, 0x2000_0000, 0x7F00_0000_0000])
@pytest.mark.parametrize(
    ("offset", "elements"),
    [(400, 1), (403, 1), (404, 2), (-4, -1), (-1, -1), (-8, -2), (-4 * 2**32, -(2**32)),
     (400 + 4 * 2**33, 2**33 + 1)],
)  # fmt: skip
def test_a_hundred_elements_of_four_bytes(start, offset, elements):
    address = (start + offset) % 2**64
    assert elements_outside(address, start, start + 400, 4) == elements
