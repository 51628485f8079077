"""Arithmetic on addresses of 64 bits, which wrap around."""

from __future__ import annotations

_WRAP = 1 << 64


def elements_outside(address: int, start: int, end: int, size: int) -> int:
    """Return how many elements of `size` bytes an address is outside of the bytes [start, end).

    The element right behind the end is at 1, the one right before the start at -1. Addresses are
    taken as the machine computes them: far before a tensor that lies low in memory they have
    wrapped around, and look as if they were far behind it.
    """
    past_start = (address - start + _WRAP // 2) % _WRAP - _WRAP // 2
    if past_start < 0:
        return -((size - 1 - past_start) // size)
    return max((past_start - (end - start)) // size + 1, 1)
