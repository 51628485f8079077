"""Tensors that a launch reaches through their addresses: numbers among its arguments.

Kernels over groups of tensors take `data_ptr()` values in an int64 tensor, or as plain numbers.
Such memory belongs to the launch although no argument shows it.
"""

from __future__ import annotations

import bisect
import ctypes
import functools
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from playground.engine import made_since
from playground.engine.arguments import numbers_in, storage_key, tensors_in

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from playground.engine.arguments import StorageKey

_LOOKED_AT = 1 << 16
"""Elements of an integer tensor that are looked at: a table of addresses is short."""
_LOWEST = {"cpu": 1 << 24, "cuda": 1 << 32}
"""Smaller numbers are indices, sizes and seeds."""
_TABLES = (torch.int64, torch.uint64)
_MAPPED = re.compile(rb"^([0-9a-f]+)-([0-9a-f]+) r", re.MULTILINE)
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
        if tensor.dtype not in _TABLES or storage_key(tensor) is None:
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


def tensors_at(addresses: Collection[int]) -> list[torch.Tensor]:
    """Return one tensor for each live storage in which an address lies: a table, if there is one.

    Several tensors may share a storage, our own views of its bytes among them.
    """
    if not addresses:
        return []
    ordered = sorted(addresses)
    found: dict[StorageKey, torch.Tensor] = {}
    objects = made_since.all_objects()
    kinds = {kind for kind in set(map(type, objects)) if issubclass(kind, torch.Tensor)}
    # Only what Python can still name can be told from a plain number.
    for value in [value for value in objects if type(value) in kinds]:
        key = storage_key(value)
        if key is None or (key in found and value.dtype not in _TABLES):
            continue
        at = bisect.bisect_left(ordered, key[1])
        if at < len(ordered) and ordered[at] < key[1] + value.untyped_storage().nbytes():
            found[key] = value
    return list(found.values())


def in_use_on_cpu(addresses: Collection[int]) -> list[int]:
    """Return the addresses that lie in memory which this process has mapped."""
    try:
        with open("/proc/self/maps", "rb") as maps:
            places = _MAPPED.findall(maps.read())
    except OSError:  # not to be known here: each of them may be one
        return list(addresses)
    starts = np.array([int(start, 16) for start, _ in places], dtype=np.uint64)
    ends = np.array([0, *(int(end, 16) for _, end in places)], dtype=np.uint64)
    asked = np.array([address for address in addresses if 0 <= address < 1 << 64], dtype=np.uint64)
    inside = asked < ends[np.searchsorted(starts, asked, side="right")]
    return [int(address) for address in asked[inside]]


def in_use_on_gpu(addresses: Collection[int]) -> list[int]:
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
