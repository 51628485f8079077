"""What interpreted programs write: the last value of each place, who wrote it and where."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from playground.engine.debug_messages import StoredBytes

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.engine.triton_private.interpreter_access import Access

    Array = np.ndarray[Any, np.dtype[Any]]


@dataclass
class _Writes:
    addresses: list[Array]
    program: list[int]
    site: list[int]


class StoreCollector:
    """Notes the stores and atomics of a launch; an `Observer`.

    Parameters
    ----------
    most
        Elements that are kept; of what comes after only their number is.
    """

    def __init__(self, most: int) -> None:
        self.sites: list[tuple[str, int]] = []
        self.truncated = False
        self._numbers: dict[tuple[str, int], int] = {}
        self._by_size: dict[int, _Writes] = {}
        self._room = most

    def on_access(self, access: Access) -> None:
        """Note what a store or atomic writes."""
        if access.kind == "load":
            return
        addresses = access.addresses[access.active & access.in_bounds].reshape(-1)
        if not addresses.size:
            return
        if addresses.size > self._room:
            self.truncated = True
            return
        self._room -= addresses.size
        place = access.file or "", access.line or 0
        number = self._numbers.setdefault(place, len(self._numbers))
        if number == len(self.sites):
            self.sites.append(place)
        writes = self._by_size.setdefault(access.element_size, _Writes([], [], []))
        writes.addresses.append(addresses.astype(np.int64))
        writes.program.append(access.program)
        writes.site.append(number)

    def on_dot(self, m: int, n: int, k: int, kind: str) -> None:
        """Take no notice of arithmetic."""

    def on_operations(self, name: str, count: int) -> None:
        """Take no notice of arithmetic."""

    def stored(self, engine_addresses: Callable[[Array], Array]) -> tuple[StoredBytes, ...]:
        """Return what lies now where something was written, by the size of the stores."""
        return tuple(
            self._of_size(size, writes, engine_addresses)
            for size, writes in sorted(self._by_size.items())
        )

    def _of_size(
        self, size: int, writes: _Writes, engine_addresses: Callable[[Array], Array]
    ) -> StoredBytes:
        lengths = [len(piece) for piece in writes.addresses]
        addresses = np.concatenate(writes.addresses)
        program = np.repeat(np.array(writes.program, np.int32), lengths)
        site = np.repeat(np.array(writes.site, np.int32), lengths)
        order = np.argsort(addresses, kind="stable")  # within an address, in order of time
        addresses, program, site = addresses[order], program[order], site[order]
        last = np.ones(len(addresses), np.bool_)
        last[:-1] = addresses[1:] != addresses[:-1]
        first = np.ones(len(addresses), np.bool_)
        first[1:] = last[:-1]
        starts = np.flatnonzero(first)
        many = np.minimum.reduceat(program, starts) != np.maximum.reduceat(program, starts)
        kept = addresses[last]
        return StoredBytes(
            size, engine_addresses(kept), _gathered(kept, size), program[last], site[last], many
        )


def _gathered(addresses: Array, size: int) -> Array:
    """Return the bytes at ascending addresses, uint8 (addresses, size)."""
    found = np.empty((len(addresses), size), np.uint8)
    if not len(addresses):
        return found
    # Runs of neighbours are copied whole: Python would take a microsecond for each element.
    breaks = np.flatnonzero(np.diff(addresses) != size) + 1
    for start, end in zip([0, *breaks], [*breaks, len(addresses)], strict=True):
        count = (end - start) * size
        piece = (ctypes.c_uint8 * count).from_address(int(addresses[start]))
        found[start:end] = np.frombuffer(piece, np.uint8).reshape(-1, size)
    return found
