"""A launch packed for the debug worker: arguments by place, bytes in a file, never the user's own.

The worker interprets the kernel in a process without a GPU, on the very bytes that the launch
started from. What it writes goes to pages of its own, so nothing of the session changes.
"""

from __future__ import annotations

import io
import os
import pickle
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from playground.engine.arguments import storage_key, tensors_in
from playground.engine.compile_messages import ArgumentError, reference
from playground.engine.debug_messages import Package, PackedStorage
from playground.engine.triton_private import wrappers

if TYPE_CHECKING:
    from playground.engine.compile_messages import UseFile
    from playground.engine.replay import PreparedReplay

PAGE = 1 << 16
"""Storages begin at multiples of this in the file: what lies between belongs to none of them."""
_CHUNK = 64 << 20
_IN_MEMORY = "/dev/shm"


@dataclass
class PackedFile:
    """The file of bytes of a package; it goes when it is closed."""

    path: str

    def close(self) -> None:
        """Remove the file; a worker that has it open keeps its bytes."""
        if self.path:
            os.unlink(self.path)
            self.path = ""


def pack(prepared: PreparedReplay, use: UseFile, target: str) -> tuple[Package, PackedFile]:
    """Return `prepared` (restored here) as a worker can do it again, and the file of its bytes.

    Raises
    ------
    ArgumentError
        An argument cannot be told to another process.
    OSError
        There is no room for the bytes.
    """
    launch = prepared.launch
    prepared.restore()
    ranges = sorted(prepared.ranges())
    try:
        arguments = _pickled(prepared.arguments, ranges)
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise ArgumentError(
            f"{launch.info.kernel} cannot be debugged: an argument cannot be handed to another "
            f"process ({error})"
        ) from error
    room = sum(end - start + 2 * PAGE for start, end in ranges)
    storages, offset = [], 0
    handle, path = tempfile.mkstemp(prefix="pg-launch-", dir=_folder_for(room))
    file = PackedFile(path)
    try:
        with os.fdopen(handle, "wb") as out:
            for start, end, live in _live(prepared, ranges):
                offset = (-(-offset // PAGE) + 1) * PAGE
                out.seek(offset)
                for first in range(0, end - start, _CHUNK):
                    piece = live[first : min(first + _CHUNK, end - start)]
                    piece.cpu().numpy().tofile(out)
                storages.append(PackedStorage(start, end, offset))
                offset += end - start
            out.truncate((-(-offset // PAGE) + 1) * PAGE)
    except BaseException:
        file.close()
        raise
    return (
        Package(
            use, target, reference(launch.function), launch.ordinal, prepared.grid, arguments,
            tuple((name, value) for name, value in prepared.options.items() if _is_plain(value)),
            launch.positional, path, tuple(storages), launch.snapshot.in_place,
        ),
        file,
    )  # fmt: skip


def _folder_for(room: int) -> str | None:
    """Return where so many bytes are best kept: in memory, where containers leave room for it."""
    try:
        there = os.statvfs(_IN_MEMORY)
    except OSError:
        return None
    free = there.f_bavail * there.f_frsize
    return _IN_MEMORY if os.access(_IN_MEMORY, os.W_OK) and free > 2 * room else None


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, (bool, int, float, str))


def _live(
    prepared: PreparedReplay, ranges: list[tuple[int, int]]
) -> list[tuple[int, int, torch.Tensor]]:
    """Return each range of the working copies with its bytes as a uint8 vector."""
    found = {(one.data_ptr(), one.data_ptr() + one.numel()): one for one in prepared.bases()}
    return [(start, end, found[start, end]) for start, end in ranges]


def _pickled(arguments: dict[str, Any], ranges: list[tuple[int, int]]) -> bytes:
    out = io.BytesIO()
    _Pickler(out, ranges).dump(arguments)
    return out.getvalue()


class _Pickler(pickle.Pickler):
    """Tells tensors by their place among the storages, kernels by their place in the source."""

    def __init__(self, out: io.BytesIO, ranges: list[tuple[int, int]]) -> None:
        super().__init__(out)
        self._ranges = ranges

    def persistent_id(self, value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            dtype = str(value.dtype).removeprefix("torch.")
            shape, strides = tuple(value.shape), tuple(value.stride())
            address = 0 if storage_key(value) is None else value.data_ptr()
            for number, (start, end) in enumerate(self._ranges):
                if start <= address < end:
                    return ("tensor", number, address - start, dtype, shape, strides)
            return ("empty", dtype, shape, strides)
        if wrappers.is_function(value):
            return ("function", reference(value))
        if hasattr(value, "data_ptr") and hasattr(value, "dtype") and not list(tensors_in(value)):
            raise ArgumentError(f"a {type(value).__name__} cannot be handed to the debug worker")
        return None
