"""Tensors that a launch reaches through their addresses: numbers among its arguments.

Kernels over groups of tensors take `data_ptr()` values in an int64 tensor, or as plain numbers.
Such memory belongs to the launch although no argument shows it.
"""

from __future__ import annotations

import bisect
import ctypes
import functools
import gc
from typing import TYPE_CHECKING, Any

import torch

from playground.engine.arguments import numbers_in, storage_key, tensors_in

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from playground.engine.arguments import StorageKey

_LOOKED_AT = 1 << 16
"""Elements of an integer tensor that are looked at: a table of addresses is short."""
_LOWEST = {"cpu": 1 << 24, "cuda": 1 << 32}
"""Smaller numbers are indices, sizes and seeds."""
_MEMORY_TYPE = 2  # CU_POINTER_ATTRIBUTE_MEMORY_TYPE


class AddressBook:
    """Finds what the numbers of a run's launches point at.

    Looking for a tensor by its address means looking at every object of the process, which takes
    tens of milliseconds. So it is done only for numbers that lie in memory which is in use, and
    what was found for a table is kept until the table changes.
    """

    def __init__(self) -> None:
        self._read: dict[tuple[Any, ...], tuple[torch.Tensor | None, frozenset[int]]] = {}
        self._found: dict[frozenset[int], tuple[torch.Tensor, ...]] = {}

    def pointed_to(
        self,
        arguments: Mapping[str, Any],
        saved: Callable[[torch.Tensor], torch.Tensor | None],
    ) -> list[torch.Tensor]:
        """Return the live tensors whose addresses `arguments` hold, and those that these hold.

        Parameters
        ----------
        saved
            Returns the copy of a tensor's storage as it is now; the same object as long as no byte
            has changed.
        """
        values = list(arguments.values())
        tables = [tensor for value in values for tensor in tensors_in(value)]
        on_gpu = any(tensor.is_cuda for tensor in tables)
        lowest = _LOWEST["cuda" if on_gpu else "cpu"]
        plain = {n for value in values for n in numbers_in(value) if n >= lowest}
        found: dict[StorageKey, torch.Tensor] = {}
        addresses = frozenset(plain).union(*(self._addresses(t, saved(t)) for t in tables))
        known = {key for tensor in tables if (key := storage_key(tensor)) is not None}
        while addresses:
            fresh = [
                tensor
                for tensor in self._look(addresses, on_gpu=on_gpu)
                if (key := storage_key(tensor)) is not None and key not in found
            ]
            for tensor in fresh:
                key = storage_key(tensor)
                if key is not None:
                    found[key] = tensor
            # A table may hold the addresses of further tables.
            addresses = frozenset().union(
                *(self._addresses(t, None) for t in fresh if storage_key(t) not in known)
            )
        return list(found.values())

    def _addresses(self, tensor: torch.Tensor, saved: torch.Tensor | None) -> frozenset[int]:
        """Return the numbers in a 64-bit integer tensor that may be addresses."""
        if tensor.dtype not in (torch.int64, torch.uint64) or storage_key(tensor) is None:
            return frozenset()
        place = (storage_key(tensor), tensor.storage_offset(), tensor.shape, tensor.stride())
        before, numbers = self._read.get(place, (None, frozenset()))
        if saved is not None and saved is before:
            return numbers
        values = tensor.detach().reshape(-1)[:_LOOKED_AT].view(torch.int64)
        lowest = _LOWEST.get(tensor.device.type, 1 << 24)
        numbers = frozenset()
        if values.numel() and int(values.max()) >= lowest:
            numbers = frozenset(values[values >= lowest].unique().tolist())
        self._read[place] = (saved, numbers)
        return numbers

    def _look(self, addresses: frozenset[int], *, on_gpu: bool) -> tuple[torch.Tensor, ...]:
        kept = self._found.get(addresses)
        if kept is None or any(storage_key(tensor) is None for tensor in kept):
            in_use = in_use_on_gpu(addresses) if on_gpu else in_use_on_cpu(addresses)
            kept = tuple(tensors_at(in_use))
            self._found[addresses] = kept
        return kept


def tensors_at(addresses: Collection[int]) -> Iterable[torch.Tensor]:
    """Yield one tensor for each live storage in which an address lies."""
    if not addresses:
        return
    ordered = sorted(addresses)
    seen: set[StorageKey] = set()
    objects = gc.get_objects()
    kinds = {kind for kind in set(map(type, objects)) if issubclass(kind, torch.Tensor)}
    # Only what Python can still name can be told from a plain number.
    for value in [value for value in objects if type(value) in kinds]:
        key = storage_key(value)
        if key is None or key in seen:
            continue
        seen.add(key)
        at = bisect.bisect_left(ordered, key[1])
        if at < len(ordered) and ordered[at] < key[1] + value.untyped_storage().nbytes():
            yield value


def in_use_on_cpu(addresses: Iterable[int]) -> list[int]:
    """Return the addresses that lie in memory which this process has mapped."""
    try:
        with open("/proc/self/maps", encoding="ascii", errors="replace") as maps:
            lines = maps.read().splitlines()
    except OSError:  # not to be known here: each of them may be one
        return list(addresses)
    starts, ends = [], []
    for line in lines:
        place, permissions = line.split(" ", 2)[:2]
        if permissions.startswith("r"):
            start, end = place.split("-")
            starts.append(int(start, 16))
            ends.append(int(end, 16))
    return [
        address
        for address in addresses
        if (at := bisect.bisect_right(starts, address)) and address < ends[at - 1]
    ]


def in_use_on_gpu(addresses: Iterable[int]) -> list[int]:
    """Return the addresses that the CUDA driver knows."""
    driver = _cuda_driver()
    if driver is None:
        return list(addresses)
    kind = ctypes.c_uint(0)
    return [
        address
        for address in addresses
        if driver.cuPointerGetAttribute(ctypes.byref(kind), _MEMORY_TYPE, ctypes.c_uint64(address))
        == 0
    ]


@functools.lru_cache(maxsize=1)
def _cuda_driver() -> Any:
    try:
        return ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None
