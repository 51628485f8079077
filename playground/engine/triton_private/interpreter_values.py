"""What a kernel's names hold in the interpreter, as NumPy arrays and words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import triton.language as tl
from triton.runtime.jit import KernelInterface

from playground.engine.triton_private.interpreter_arithmetic import values
from playground.engine.triton_private.interpreter_checks import ORIGIN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playground.engine.triton_private.interpreter_formats import Array
    from playground.model.debugging import ValueKind

HIDDEN = frozenset(
    {"interpreter_semantic", "_InterpreterComparison", "playground_indices", "__kernel__"}
)
"""Names that the rewritten kernel refers to and the user's does not."""


@dataclass(frozen=True)
class Placed:
    """A tensor argument as the interpreter has it: where its elements begin and end, by address."""

    name: str
    start: int
    end: int
    element_size: int


@dataclass(frozen=True)
class Held:
    """What one name holds: an array where it is numbers, words in any case.

    `of` is the tensor that a pointer points into; the array then has element numbers.
    """

    kind: ValueKind
    type: str
    array: Array | None = None
    text: str = ""
    of: str = ""


def held(value: Any, tensors: Sequence[Placed] = ()) -> Held:
    """Return what a kernel's name holds.

    Parameters
    ----------
    tensors
        The launch's tensors, which pointers are told by.
    """
    if isinstance(value, tl.constexpr):
        return _plain("constexpr", value.value)
    if isinstance(value, tl.tensor):
        return _tensor(value, tensors)
    if isinstance(value, (bool, int, float, str)):
        return _plain("scalar", value)
    if isinstance(value, tl.dtype):
        return Held("constexpr", "dtype", text=str(value))
    if isinstance(value, KernelInterface):
        name = getattr(getattr(value, "fn", None), "__name__", "function")
        return Held("other", "function", text=name)
    if isinstance(value, (tuple, list, tl.tuple)):
        inside = ", ".join(_short(held(item, tensors)) for item in value)
        return Held("other", type(value).__name__, text=f"({inside})")
    return Held("other", type(value).__name__, text=_words(value))


def _plain(kind: ValueKind, value: Any) -> Held:
    if isinstance(value, (bool, int, float)):
        return Held(kind, type(value).__name__.replace("LoopIndex", "int"), np.array(value))
    return Held(kind, type(value).__name__, text=str(value))


def _tensor(value: Any, tensors: Sequence[Placed]) -> Held:
    handle = value.handle
    data = getattr(handle, "data", None)
    if not isinstance(data, np.ndarray):
        return Held("other", type(handle).__name__, text=_words(handle))
    shape = tuple(int(size) for size in value.shape) if value.type.is_block() else ()
    if handle.dtype.scalar.is_ptr() or handle.dtype.is_ptr():
        return _pointer(handle, shape, tensors)
    name = value.dtype.scalar.name if hasattr(value.dtype, "scalar") else str(value.dtype)
    array = values(handle)
    if not shape:
        return Held("scalar", name, array.reshape(-1)[:1].reshape(()))
    whole = np.broadcast_to(array, shape) if array.shape != shape else array
    return Held("block", f"{name}[{', '.join(map(str, shape))}]", whole)


def _pointer(handle: Any, shape: tuple[int, ...], tensors: Sequence[Placed]) -> Held:
    addresses = handle.data
    origin = getattr(handle.dtype, ORIGIN, None)
    tensor = _pointed_at(addresses, getattr(origin, "name", ""), tensors)
    to = str(getattr(handle.dtype.scalar, "element_ty", handle.dtype))
    type_ = f"*{to}[{', '.join(map(str, shape))}]" if shape else f"*{to}"
    if tensor is None:
        return Held("pointer", type_, text=f"{int(addresses.reshape(-1)[0]):#x}")
    elements = (addresses.astype(np.int64) - tensor.start) // tensor.element_size
    whole = np.broadcast_to(elements, shape) if shape else elements.reshape(-1)[:1].reshape(())
    return Held("pointer", type_, whole, of=tensor.name)


def _pointed_at(addresses: Array, origin: str, tensors: Sequence[Placed]) -> Placed | None:
    named = next((tensor for tensor in tensors if tensor.name == origin), None)
    if named is not None:
        return named
    flat = addresses.reshape(-1)
    if not flat.size:
        return None
    first = int(flat[0])
    return next((tensor for tensor in tensors if tensor.start <= first < tensor.end), None)


def _short(one: Held) -> str:
    if one.array is not None and one.array.ndim == 0:
        return f"{one.array.item():g}" if one.array.dtype.kind == "f" else str(one.array.item())
    return one.text or one.type


def _words(value: Any) -> str:
    """Return a descriptor or block pointer by shape, another object by its type's words."""
    shape, block = getattr(value, "shape", None), getattr(value, "block_shape", None)
    if block is not None:
        sizes = ", ".join(_size(size) for size in shape or ())
        offsets = getattr(value, "offsets", None)
        at = f" at ({', '.join(_size(item) for item in offsets)})" if offsets else ""
        return f"[{sizes}] in blocks of [{', '.join(_size(size) for size in block)}]{at}"
    text = repr(value)
    return text if len(text) <= 80 else text[:79] + "…"


def _size(value: Any) -> str:
    data = getattr(getattr(value, "handle", value), "data", value)
    if isinstance(data, np.ndarray):
        return str(data.reshape(-1)[0]) if data.size else ""
    return str(getattr(data, "value", data))
