"""The bytes of every storage a launch can reach, before it and after it.

Kept per storage and not per tensor, so that overlapping views overlap again in a replay.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from playground.engine.arguments import StorageKey, flat_bytes, storage_key, tensors_in, view_on
from playground.engine.pointed import AddressBook
from playground.engine.poisoning import made_uninitialised

if TYPE_CHECKING:
    from collections.abc import Mapping

_CHUNK_BYTES = 64 << 20


@dataclass(eq=False)
class Image:
    """One storage: the live memory (kept from being freed) and its bytes before the launch.

    `uninitialised` says that the host allocated it by `torch.empty` or the like.
    """

    live: torch.Tensor
    saved: torch.Tensor
    uninitialised: bool = False


@dataclass(eq=False)
class Snapshot:
    """What a launch started from, and what it left.

    Parameters
    ----------
    images
        The storages of the launch's tensors, and those whose addresses its tensors hold.
    after
        The bytes of the storages that the launch changed.
    in_place
        Addresses lie inside tensors, so that a replay can only run on the same memory.
    written
        Names of the arguments whose own elements changed.
    pointed
        The tensors that are reached through addresses only.
    """

    images: dict[StorageKey, Image] = field(default_factory=dict)
    after: dict[StorageKey, torch.Tensor] = field(default_factory=dict)
    in_place: bool = False
    written: tuple[str, ...] = ()
    pointed: tuple[torch.Tensor, ...] = ()

    @property
    def nbytes(self) -> int:
        """Bytes of all storages together."""
        return sum(image.live.numel() for image in self.images.values())

    def ranges(self) -> list[tuple[int, int]]:
        """Return the addresses `[start, end)` of the live storages."""
        return [
            (image.live.data_ptr(), image.live.data_ptr() + image.live.numel())
            for image in self.images.values()
        ]

    def before(self, tensor: torch.Tensor) -> torch.Tensor:
        """Return what one of the launch's tensors held before the launch."""
        key = storage_key(tensor)
        return tensor if key is None else view_on(self.images[key].saved, tensor)

    def result(self, tensor: torch.Tensor) -> torch.Tensor | None:
        """Return what the launch left in `tensor` (one of its arguments), if it changed it."""
        key = storage_key(tensor)
        if key is None or key not in self.after:
            return None
        return view_on(self.after[key], tensor)


class SnapshotPool:
    """Takes the snapshots of one run; storages that did not change share one copy."""

    def __init__(self) -> None:
        self.kept_bytes = 0
        self._latest: dict[StorageKey, torch.Tensor] = {}
        self._written: dict[tuple[int, tuple[StorageKey | None, ...]], tuple[str, ...]] = {}
        self._addresses = AddressBook()

    def before(self, arguments: Mapping[str, Any]) -> Snapshot:
        """Return a snapshot of what `arguments` reach, before their launch."""
        with torch._C.DisableTorchFunction():  # modes of the driver have no part in it
            return self._before(arguments)

    def _before(self, arguments: Mapping[str, Any]) -> Snapshot:
        snapshot = Snapshot()
        for value in arguments.values():
            for tensor in tensors_in(value):
                self._add(snapshot, tensor)

        def saved(tensor: torch.Tensor) -> torch.Tensor | None:
            key = storage_key(tensor)
            return None if key is None else snapshot.images[key].saved

        pointed = self._addresses.pointed_to(arguments, saved)
        snapshot.in_place = bool(pointed)
        snapshot.pointed = tuple(pointed)
        for tensor in pointed:
            self._add(snapshot, tensor)
        return snapshot

    def _add(self, snapshot: Snapshot, tensor: torch.Tensor) -> None:
        key = storage_key(tensor)
        if key is not None and key not in snapshot.images:
            live = flat_bytes(tensor.detach())
            snapshot.images[key] = Image(live, self._copy(key, live), made_uninitialised(key))

    def after(
        self, snapshot: Snapshot, function: Any, arguments: Mapping[str, Any],
        untuned: Snapshot | None = None,
    ) -> None:  # fmt: skip
        """Add to `snapshot` what the launch of `function` changed.

        `untuned` holds what there was before the launch was tuned, if it was. One that then changes
        nothing has written what tuning left: it starts from what was there before that.
        """
        with torch._C.DisableTorchFunction():
            self._after(snapshot, arguments)
            if not snapshot.written and untuned is not None:
                for key, image in snapshot.images.items():
                    old = untuned.images.get(key)
                    if old is not None and not same_bytes(old.saved, image.saved):
                        image.saved = old.saved  # `_after` sees that it is another copy
                self._after(snapshot, arguments)
            self._as_before(snapshot, function, arguments)

    def _after(self, snapshot: Snapshot, arguments: Mapping[str, Any]) -> None:
        for key, image in snapshot.images.items():
            copy = self._copy(key, image.live)
            if copy is not image.saved:
                snapshot.after[key] = copy
        snapshot.written = tuple(
            name for name, value in arguments.items() if _changed(value, snapshot)
        )

    def _as_before(self, snapshot: Snapshot, function: Any, arguments: Mapping[str, Any]) -> None:
        # A launch that writes what was there already (a second call into the same output) changes
        # no byte; it writes where its like did before.
        identity = (
            id(function),
            tuple(
                storage_key(tensor) for value in arguments.values() for tensor in tensors_in(value)
            ),
        )
        if snapshot.written:
            self._written[identity] = snapshot.written
        elif identity in self._written:
            snapshot.written = self._written[identity]
            for name in snapshot.written:
                for tensor in tensors_in(arguments[name]):
                    same = storage_key(tensor)
                    if same is not None:
                        snapshot.after[same] = snapshot.images[same].saved

    def _copy(self, key: StorageKey, live: torch.Tensor) -> torch.Tensor:
        latest = self._latest.get(key)
        if latest is not None and same_bytes(latest, live):
            return latest
        copy = copied(live)
        self.kept_bytes += copy.numel()
        self._latest[key] = copy
        return copy


def room_bytes() -> int:
    """Return how many bytes of snapshots a run may keep: a quarter of the memory it runs in."""
    if torch.cuda.is_available():
        return torch.cuda.mem_get_info()[1] // 4
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4


def copied(live: torch.Tensor) -> torch.Tensor:
    """Return a copy of a uint8 vector: on its GPU when that has room for it, else on the CPU."""
    if live.is_cuda:
        free_bytes, _ = torch.cuda.mem_get_info(live.device)
        if free_bytes < 2 * live.numel() + (256 << 20):
            return live.cpu()
        return live.clone()
    return torch.from_numpy(live.numpy().copy())


def copy_bytes(target: torch.Tensor, source: torch.Tensor) -> None:
    """Copy the bytes of one uint8 vector over those of another.

    On the CPU by one thread: torch would use several, which wait for one another for many
    milliseconds when the machine is busy, to move a few hundred kilobytes.
    """
    if target.device.type == source.device.type == "cpu":
        np.copyto(target.numpy(), source.numpy())
    else:
        target.copy_(source)


def same_bytes(left: torch.Tensor, right: torch.Tensor) -> bool:
    """Tell whether two uint8 vectors hold the same bytes, a bounded piece at a time."""
    if left.numel() != right.numel():
        return False
    for start in range(0, left.numel(), _CHUNK_BYTES):
        one, other = left[start : start + _CHUNK_BYTES], right[start : start + _CHUNK_BYTES]
        if one.is_cuda and other.is_cuda:
            same = torch.equal(_wide(one), _wide(other))
        else:
            same = np.array_equal(one.cpu().numpy(), other.cpu().numpy())
        if not same:
            return False
    return True


def _wide(piece: torch.Tensor) -> torch.Tensor:
    if piece.numel() % 8 == 0 and piece.storage_offset() % 8 == 0:
        return piece.view(torch.int64)  # eight bytes a comparison
    return piece


_SAME_SIZE = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def _changed(value: Any, snapshot: Snapshot) -> bool:
    for tensor in tensors_in(value):
        key = storage_key(tensor)
        if key is None or key not in snapshot.after:
            continue
        # Compared as integers: a NaN equals itself there, and -0.0 is not 0.0.
        kind = _SAME_SIZE.get(tensor.element_size())
        before, after = snapshot.images[key].saved, snapshot.after[key]
        one, other = view_on(before, tensor, kind), view_on(after, tensor, kind)
        if one.device != other.device:
            one, other = one.cpu(), other.cpu()
        if not torch.equal(one, other):
            return True
    return False
