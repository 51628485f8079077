"""The packed launch as the debug worker has it: a kernel to interpret, on pages of its own."""

from __future__ import annotations

import io
import mmap
import os
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from playground.engine.arguments import tensors_in
from playground.engine.triton_private import launcher
from playground.engine.triton_private.interpreter_values import Placed

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.engine.compile_messages import KernelRef
    from playground.engine.debug_messages import Package
    from playground.engine.worker_file import WorkerFile

_TABLES = (torch.int64, torch.uint64)


class DebugLaunch:
    """The launch; every `prepared` run starts from the bytes that the engine packed.

    Parameters
    ----------
    find
        Returns a kernel by its place in the source.
    """

    def __init__(self, package: Package, file: WorkerFile) -> None:
        self.package = package
        self._file = file
        self.function = file.find(package.kernel, package.kernel, package.ordinal)
        self._bytes = os.open(package.bytes_path, os.O_RDONLY)
        self._size = os.fstat(self._bytes).st_size
        self.arguments: dict[str, Any] = {}
        self.ranges: list[tuple[int, int]] = []
        self.tensors: list[Placed] = []
        self.memory: dict[str, np.ndarray[Any, Any]] = {}

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._bytes)

    def prepare(self) -> Callable[[], Any]:
        """Map the bytes anew, privately, and return the launch over them as a call."""
        # Private pages: what the kernel writes is its own, and only what it touches is copied.
        pages = mmap.mmap(self._bytes, self._size, flags=mmap.MAP_PRIVATE,
                          prot=mmap.PROT_READ | mmap.PROT_WRITE)  # fmt: skip
        pieces = [
            torch.frombuffer(pages, dtype=torch.uint8, count=one.end - one.start, offset=one.offset)
            for one in self.package.storages
        ]
        self.ranges = [(piece.data_ptr(), piece.data_ptr() + piece.numel()) for piece in pieces]
        self.arguments = _Unpickler(self.package.arguments, pieces, self._find).load()
        if self.package.addresses:
            for piece in pieces:
                self._move_addresses(piece)
            self.arguments = {
                name: self._moved(value) if isinstance(value, int) else value
                for name, value in self.arguments.items()
            }
        self._place()
        return launcher.plain_call(
            self.function, self.package.grid, self.arguments, dict(self.package.options),
            self.package.positional,
        )  # fmt: skip

    def engine_addresses(self, addresses: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Return where the engine has what lies at these addresses here."""
        found = addresses.astype(np.int64)
        for (start, end), storage in zip(self.ranges, self.package.storages, strict=True):
            inside = (addresses >= start) & (addresses < end)
            found[inside] = addresses[inside].astype(np.int64) - start + storage.start
        return found

    def place_of(self, address: int) -> tuple[str, int]:
        """Return the tensor and the element (by address from its first) at an address here."""
        for tensor in self.tensors:
            if tensor.start <= address < tensor.end:
                return tensor.name, (address - tensor.start) // tensor.element_size
        return "", -1

    def _find(self, reference: KernelRef) -> Any:
        return self._file.find(reference, self.package.kernel, self.package.ordinal)

    def _moved(self, number: int) -> int:
        for (start, _), storage in zip(self.ranges, self.package.storages, strict=True):
            if storage.start <= number < storage.end:
                return number - storage.start + start
        return number

    def _move_addresses(self, piece: torch.Tensor) -> None:
        """Let addresses inside a table of them point at this process's storages."""
        words = piece[: piece.numel() // 8 * 8].numpy().view(np.int64)
        if words.size > 1 << 20:  # a table of addresses is short
            return
        before = words.copy()
        for (start, _), storage in zip(self.ranges, self.package.storages, strict=True):
            inside = (before >= storage.start) & (before < storage.end)
            words[inside] = before[inside] - storage.start + start

    def _place(self) -> None:
        self.tensors, self.memory = [], {}
        for name, value in self.arguments.items():
            held = list(tensors_in(value))
            for number, tensor in enumerate(held):
                label = name if len(held) == 1 else f"{name}[{number}]"
                size = tensor.element_size()
                steps = zip(tensor.shape, tensor.stride(), strict=True)
                last = sum((length - 1) * stride for length, stride in steps) if tensor.numel() \
                    else -1  # fmt: skip
                start = tensor.data_ptr()
                self.tensors.append(Placed(label, start, start + (last + 1) * size, size))
                self.memory[label] = _array(tensor)


def _array(tensor: torch.Tensor) -> np.ndarray[Any, Any]:
    """Return a tensor's elements as NumPy has them: narrow floats as a float32 copy."""
    try:
        return tensor.numpy()
    except TypeError:
        return tensor.float().numpy()


class _Unpickler(pickle.Unpickler):
    """Makes tensors over this process's bytes, and finds kernels by their place."""

    def __init__(
        self, data: bytes, pieces: list[torch.Tensor], find: Callable[[KernelRef], Any]
    ) -> None:
        super().__init__(io.BytesIO(data))
        self._pieces = pieces
        self._find = find

    def persistent_load(self, told: Any) -> Any:
        if told[0] == "function":
            return self._find(told[1])
        if told[0] == "empty":
            _, dtype, shape, strides = told
            return torch.empty_strided(shape, strides, dtype=getattr(torch, dtype))
        _, number, offset, dtype, shape, strides = told
        kind = getattr(torch, dtype)
        flat = self._pieces[number][offset:]
        aligned = flat[: flat.numel() // kind.itemsize * kind.itemsize].view(kind)
        return aligned.as_strided(shape, strides)
