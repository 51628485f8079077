"""Which memory a launch may touch: the storages of its tensors, and those it finds by address."""

from __future__ import annotations

import bisect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from playground.engine.pointed import in_use_on_cpu, tensors_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from playground.engine.triton_private.interpreter_formats import Array

LOWEST_ADDRESS = 1 << 24
"""Smaller integers are taken for indices, not for addresses."""

_LARGEST_ADDRESS_TABLE = 1 << 20


@dataclass(frozen=True)
class Storage:
    """A tensor's memory in this process, and where the caller's tensor has it.

    `start` and `end` bound the bytes the kernel sees; `told` is the caller's address of the first
    of them: another one than `start` when the tensor lives on a GPU and was copied to the host.
    """

    name: str
    start: int
    end: int
    told: int


def tensors_in(name: str, value: Any) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield the tensors within a kernel argument: itself, a descriptor's base, a tuple's items."""
    if isinstance(value, torch.Tensor):
        yield name, value
    elif isinstance(value, tuple):
        for index, item in enumerate(value):
            yield from tensors_in(f"{name}[{index}]", item)
    elif isinstance(getattr(value, "base", None), torch.Tensor):  # descriptor, reinterpreted tensor
        yield name, value.base


def storages_of(seen: Mapping[str, Any], told: Mapping[str, Any]) -> list[Storage]:
    """Return the storages behind a launch's arguments.

    Parameters
    ----------
    seen
        The arguments by name as the kernel gets them, on the host.
    told
        The same arguments as the caller gave them.
    """
    found = []
    for name, value in seen.items():
        pairs = zip(tensors_in(name, value), tensors_in(name, told[name]), strict=True)
        for (label, host), (_, original) in pairs:
            memory = host.untyped_storage()
            if size := memory.nbytes():
                start = memory.data_ptr()
                there = original.untyped_storage().data_ptr()
                found.append(Storage(label, start, start + size, there))
    return found


def _possible_addresses(arguments: Mapping[str, Any]) -> Array:
    numbers: list[Array] = []
    for name, value in arguments.items():
        if isinstance(value, int) and LOWEST_ADDRESS <= value < 1 << 64:
            numbers.append(np.array([value], dtype=np.uint64))
        for _, tensor in tensors_in(name, value):
            if tensor.dtype in (torch.int64, torch.uint64) and (
                tensor.numel() <= _LARGEST_ADDRESS_TABLE
            ):
                flat = tensor.detach().cpu().reshape(-1).view(torch.int64).numpy()
                numbers.append(flat[flat >= LOWEST_ADDRESS].astype(np.uint64))
    return np.unique(np.concatenate(numbers)) if numbers else np.empty(0, np.uint64)


def storages_by_address(arguments: Mapping[str, Any], known: Sequence[Storage]) -> list[Storage]:
    """Return the live storages whose addresses are held inside integer arguments.

    Kernels over groups of tensors are handed `data_ptr()` values in an int64 tensor. Such a
    storage belongs to the launch although no argument shows it. Only host memory is looked at.
    """
    wanted = _possible_addresses(arguments)
    for storage in known:
        wanted = wanted[(wanted < storage.start) | (wanted >= storage.end)]
    if not wanted.size:
        return []
    found = []
    for tensor in tensors_at(in_use_on_cpu(wanted.tolist())):
        if tensor.device.type == "cpu":
            memory = tensor.untyped_storage()
            start, size = memory.data_ptr(), memory.nbytes()
            found.append(Storage(f"storage at {start:#x}", start, start + size, start))
    return found


class Ranges:
    """The address ranges a launch may touch, made to answer quickly whether lanes are inside."""

    def __init__(self, ranges: Iterable[tuple[int, int]]) -> None:
        merged: list[list[int]] = []
        for start, end in sorted(ranges):
            if merged and start < merged[-1][1]:
                merged[-1][1] = max(merged[-1][1], end)
            else:
                merged.append([start, end])
        self._starts = [start for start, _ in merged]
        self._ends = [end for _, end in merged]

    def _holds(self, low: int, high: int) -> bool:
        index = bisect.bisect_right(self._starts, low) - 1
        return index >= 0 and high <= self._ends[index]

    def outside(self, addresses: Array, active: Array, size: int) -> Array | None:
        """Return which active lanes fall outside, None when none does (the usual, quick answer).

        Parameters
        ----------
        addresses, active
            uint64 and bool arrays of one shape.
        size
            Bytes that each lane touches.
        """
        if not addresses.size:
            return None
        if self._holds(int(addresses.min()), int(addresses.max()) + size):
            return None
        lanes = addresses[active]  # those switched off may point anywhere
        if not lanes.size or self._holds(int(lanes.min()), int(lanes.max()) + size):
            return None
        inside = np.zeros(addresses.shape, dtype=bool)
        for start, end in zip(self._starts, self._ends, strict=True):
            if end - start >= size:
                inside |= (addresses >= np.uint64(start)) & (addresses <= np.uint64(end - size))
        lost: Array = active & ~inside
        return lost if lost.any() else None
