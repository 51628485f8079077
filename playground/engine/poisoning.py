"""Memory that torch hands out uninitialised, filled with a pattern no kernel writes by chance.

Its contents were undefined anyway. So what a launch leaves unwritten shows, and what it writes can
be told from what happened to lie there: the result of an earlier run, most often.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
from typing import TYPE_CHECKING, Any

import torch
from torch.utils import _device

from playground.engine.arguments import StorageKey, flat_bytes, storage_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_MAKERS: tuple[tuple[Any, str], ...] = (
    (torch, "empty"),
    (torch, "empty_like"),
    (torch, "empty_strided"),
    (torch, "empty_permuted"),
    (torch.Tensor, "new_empty"),
    (torch.Tensor, "new_empty_strided"),
)
_INTEGERS = frozenset(
    {
        torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64,
        torch.uint16, torch.uint32, torch.uint64,
    }
)  # fmt: skip
# All ones is a NaN in every float format here, 8-bit ones included.
_PATTERNS = {
    kind: 0x7F if kind in _INTEGERS else 0xFF
    for kind in {item for item in vars(torch).values() if isinstance(item, torch.dtype)}
    if kind in _INTEGERS or kind.is_floating_point or kind.is_complex
}
# What one operation can write, through integers of the same size: floats get the same NaN as
# above, which no computation results in.
_FILLS: dict[torch.dtype, tuple[torch.dtype, int]] = {
    torch.float16: (torch.int16, -1),
    torch.bfloat16: (torch.int16, -1),
    torch.float32: (torch.int32, -1),
    torch.float64: (torch.int64, -1),
    torch.int8: (torch.int8, 0x7F),
    torch.uint8: (torch.uint8, 0x7F),
    torch.int16: (torch.int16, 0x7F7F),
    torch.int32: (torch.int32, 0x7F7F7F7F),
    torch.int64: (torch.int64, 0x7F7F7F7F7F7F7F7F),
}
# Where memory was made so. Addresses are used again: what lies there tells the rest.
_made: dict[StorageKey, None] = {}
_MOST_MADE = 1 << 16
# The attribute is another while a GPU is simulated.
_is_cpu = torch.Tensor.is_cpu.__get__  # type: ignore[attr-defined]
_stack_length = torch._C._len_torch_function_stack

_depth = 0
_host = True


@contextlib.contextmanager
def poisoned_memory(*, host: bool = True) -> Iterator[None]:
    """Make `torch.empty` and its like return NaN meanwhile, on every thread.

    Without `host` the CPU's tensors are left as they are, unless they are pinned: kernels that run
    on a GPU reach no others, and a driver may make thousands.

    The functions themselves are replaced: a mode that sees every call of torch would make a driver
    of many small operations several times slower, and autograd's threads would be without it.
    """
    global _depth, _host
    before, _host = _host, host
    # Torch keeps its list of functions that make tensors from the first time somebody asks.
    _device._device_constructors()
    originals = [(owner, name, vars(owner).get(name)) for owner, name in _MAKERS]
    _depth += 1
    try:
        for owner, name in _MAKERS:
            made = getattr(owner, name)
            if not hasattr(made, "_poisons"):
                setattr(owner, name, _poisoning(made))
        yield
    finally:
        _depth -= 1
        _host = before
        for owner, name, original in originals:
            if original is None:
                delattr(owner, name)  # it was inherited, and is again
            else:
                setattr(owner, name, original)


def _poisoning(make: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(make)
    def made(*args: Any, **kwargs: Any) -> Any:
        result = make(*args, **kwargs)
        # A file that imported the function by name keeps this one: then it does nothing any more.
        if not _depth or torch.compiler.is_compiling():
            return result
        if not _host and not kwargs.get("pin_memory") and _is_cpu(result):
            return result
        if type(result) is torch.Tensor and not _stack_length():
            poison(result)
        elif isinstance(result, torch.Tensor):
            with torch._C.DisableTorchFunction():  # what is done here is nobody's business
                poison(result)
        return result

    made._poisons = True  # type: ignore[attr-defined]
    return made


def poison(tensor: torch.Tensor) -> None:
    """Fill a fresh tensor: floats with NaN, integers with 0x7f bytes; others are left alone."""
    pattern = _PATTERNS.get(tensor.dtype)
    if pattern is None or tensor.is_inference():
        return
    _note(tensor)
    if type(tensor) is torch.Tensor and tensor.layout is torch.strided and _is_cpu(tensor):
        storage = tensor.untyped_storage()
        address, size_bytes = storage.data_ptr(), storage.nbytes()
        if address and size_bytes:
            ctypes.memset(address, pattern, size_bytes)
    elif tensor.dtype in _FILLS and tensor.layout is torch.strided and tensor.is_contiguous():
        fill_dense(tensor)
    elif storage_key(tensor) is not None:
        flat_bytes(tensor.detach()).fill_(pattern)


def _note(tensor: torch.Tensor) -> None:
    key = storage_key(tensor)
    if key is not None:
        if len(_made) >= _MOST_MADE:
            _made.clear()
        _made[key] = None


def made_uninitialised(key: StorageKey) -> bool:
    """Tell whether the memory at a key was handed out uninitialised, in this run or an earlier one.

    It may have been freed and used again since: only bytes that still hold the pattern are what
    nobody has written (see `never_written`).
    """
    return key in _made


def never_written(data: torch.Tensor, dtype: torch.dtype) -> torch.Tensor | None:
    """Return which elements of a uint8 vector hold the pattern still (bool, one an element).

    None for types whose pattern other values have as well: those of one byte, and short integers.
    """
    size = dtype.itemsize
    if size not in _SIZED or (dtype in _INTEGERS and size < 4) or dtype not in _PATTERNS:
        return None
    whole = data[: data.numel() // size * size]
    pattern = int.from_bytes(bytes([_PATTERNS[dtype]]) * size, signed=True)
    return whole.view(_SIZED[size]) == pattern


_SIZED = {2: torch.int16, 4: torch.int32, 8: torch.int64}


def fill_dense(tensor: torch.Tensor) -> None:
    """Fill a contiguous tensor with its pattern in one operation: on a GPU each costs the host."""
    kind, value = _FILLS[tensor.dtype]
    plain = tensor.detach()
    (plain if kind is tensor.dtype else plain.view(kind)).fill_(value)
