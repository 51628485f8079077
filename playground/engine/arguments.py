"""A launch's arguments: the tensors inside them, how they are described, copied and compared."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
import triton
from triton.tools.tensor_descriptor import TensorDescriptor

from playground.engine.triton_private import wrappers
from playground.model.knob_uses import uses_in
from playground.model.knobs import Knob, KnobValue, constexpr_knob, option_knob
from playground.model.launch import Argument, TensorInfo

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

StorageKey = tuple[str, int]
"""A distinct storage: its device and the address where it starts."""

_TEXT_LIMIT = 60


def tensors_in(value: Any) -> Iterator[torch.Tensor]:
    """Yield the tensors that an argument holds: itself, a tuple's items, a descriptor's base."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from tensors_in(item)
    elif isinstance(value, (TensorDescriptor, triton.TensorWrapper)):
        yield from tensors_in(value.base)


def numbers_in(value: Any) -> Iterator[int]:
    """Yield the whole numbers that an argument holds: itself, or a tuple's items."""
    if isinstance(value, int) and not isinstance(value, bool):
        yield value
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from numbers_in(item)


def replace_tensors(value: Any, replaced: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    """Return `value` with every tensor in it replaced; anything else is handed through."""
    if isinstance(value, torch.Tensor):
        return replaced(value)
    if isinstance(value, tuple):
        items = [replace_tensors(item, replaced) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if isinstance(value, list):
        return [replace_tensors(item, replaced) for item in value]
    if isinstance(value, TensorDescriptor):
        return dataclasses.replace(
            value,
            base=replace_tensors(value.base, replaced),
            block_shape=list(value.block_shape),  # tuning hooks change it in place
        )
    if isinstance(value, triton.TensorWrapper):
        return triton.TensorWrapper(replace_tensors(value.base, replaced), value.dtype)
    return value


def storage_key(tensor: torch.Tensor) -> StorageKey | None:
    """Return which storage `tensor` lies in, or None when it has no memory."""
    if tensor.device.type == "meta" or tensor.layout != torch.strided:
        return None
    try:
        storage = tensor.untyped_storage()
        address = storage.data_ptr()
    except (RuntimeError, NotImplementedError):  # fake, nested and functional tensors have none
        return None
    if storage.nbytes() == 0 or address == 0:
        return None
    return str(tensor.device), address


def flat_bytes(tensor: torch.Tensor) -> torch.Tensor:
    """Return the whole storage of `tensor` as a uint8 vector that shares its memory."""
    empty = torch.empty(0, dtype=torch.uint8, device=tensor.device)
    return empty.set_(tensor.untyped_storage())


def view_on(
    base: torch.Tensor, like: torch.Tensor, dtype: torch.dtype | None = None
) -> torch.Tensor:
    """Return a view shaped and placed as `like`, on the bytes of `base` instead of its storage.

    `base` is a uint8 vector that stands for the whole storage of `like`.
    """
    kind = like.dtype if dtype is None else dtype
    offset = base.storage_offset() // kind.itemsize + like.storage_offset()
    empty = torch.empty(0, dtype=kind, device=base.device)
    view: torch.Tensor = empty.set_(base.untyped_storage(), offset, like.size(), like.stride())
    return view


def dtype_text(dtype: torch.dtype) -> str:
    """Return torch's name without the package: `float16`."""
    return str(dtype).removeprefix("torch.")


def describe(name: str, value: Any, *, constexpr: bool, numbers: dict[StorageKey, int]) -> Argument:
    """Return an argument as the window sees it; `numbers` numbers the storages seen so far.

    Of an argument that holds several tensors (a tuple), each takes its storage's number.
    """
    if constexpr:
        return Argument(name, "constexpr", _short(knob_value(value, text_of(value))))
    infos = [tensor_info(tensor, numbers) for tensor in tensors_in(value)]
    text = _short(text_of(value))
    info = infos[0] if len(infos) == 1 else None
    if isinstance(value, (torch.Tensor, triton.TensorWrapper)):
        return Argument(name, "tensor", text, info)
    if isinstance(value, TensorDescriptor):
        return Argument(name, "descriptor", text, info)
    if value is None:
        return Argument(name, "none", text)
    if isinstance(value, bool):
        return Argument(name, "bool", text)
    if isinstance(value, int):
        return Argument(name, "int", text)
    if isinstance(value, float):
        return Argument(name, "float", text)
    return Argument(name, "other", text, info)


def text_of(value: Any) -> str:
    """Return an argument in words: a tensor by type and shape, never by its contents."""
    value = wrappers.plain(value)
    if isinstance(value, torch.Tensor):
        return _tensor_text(value)
    if isinstance(value, triton.TensorWrapper):
        return f"{text_of(value.base)} as {value.dtype}"
    if isinstance(value, TensorDescriptor):
        kind = "".join(dtype_text(tensor.dtype) for tensor in tensors_in(value.base))
        return f"descriptor of {kind}{list(value.shape)} in blocks of {list(value.block_shape)}"
    if isinstance(value, (tuple, list)):
        names = getattr(value, "_fields", None)
        if names is not None:
            parts = [f"{key}={text_of(item)}" for key, item in zip(names, value, strict=True)]
            return f"{type(value).__name__}({', '.join(parts)})"
        items = ", ".join(map(text_of, value))
        return f"[{items}]" if isinstance(value, list) else f"({items}{',' * (len(value) == 1)})"
    if isinstance(value, bool | int | str) or value is None:
        return str(value)
    if isinstance(value, torch.dtype):
        return str(value)
    dtype = wrappers.dtype_name(value)
    if dtype is not None:
        return dtype
    if wrappers.is_function(value):
        return wrappers.kernel_name(value)
    return repr(value)


def tensor_info(tensor: torch.Tensor, numbers: dict[StorageKey, int]) -> TensorInfo:
    """Return shape, strides and place of a tensor, numbering its storage in `numbers`."""
    key = storage_key(tensor)
    number = -1 if key is None else numbers.setdefault(key, len(numbers))
    address = 0 if key is None else tensor.data_ptr()
    alignment = 16
    while alignment > 1 and address % alignment:
        alignment //= 2
    return TensorInfo(
        shape=tuple(tensor.shape),
        dtype=dtype_text(tensor.dtype),
        strides=tuple(tensor.stride()),
        element_size=tensor.element_size(),
        storage=number,
        storage_offset=int(tensor.storage_offset()),
        storage_nbytes=0 if key is None else tensor.untyped_storage().nbytes(),
        alignment=alignment,
        device=str(tensor.device),
    )


def knobs_of(
    function: Any, arguments: Mapping[str, Any], options: Mapping[str, Any], target: str
) -> tuple[Knob, ...]:
    """Return every knob of a launch: its constexprs in order, then the target's launch options."""
    constexprs = wrappers.constexpr_names(function)
    uses = uses_in(wrappers.source_text(function))
    knobs = [
        constexpr_knob(name, knob_value(value, value), uses.get(name))
        for name, value in arguments.items()
        if name in constexprs
    ]
    taken = {knob.name for knob in knobs}
    for name, default in wrappers.option_defaults(target).items():
        if name not in taken:
            knobs.append(option_knob(name, options.get(name, default)))
    return tuple(knobs)


def knob_value(value: Any, otherwise: Any) -> Any:
    """Return a constexpr's value as a knob shows it; `otherwise` when no knob could hold it."""
    value = wrappers.plain(value)
    if isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.integer):  # from shapes that NumPy computed
        return int(value)
    dtype = wrappers.dtype_name(value)
    return otherwise if dtype is None else dtype


def argument_value(captured: Any, value: KnobValue) -> Any:
    """Return a knob's value as the kernel takes it, given what the launch passed."""
    if isinstance(wrappers.plain(captured), triton.language.dtype) and isinstance(value, str):
        changed: Any = wrappers.dtype_from_name(value)
    else:
        changed = value
    if isinstance(captured, triton.language.constexpr):
        return triton.language.constexpr(changed)
    return changed


def _tensor_text(tensor: torch.Tensor) -> str:
    shape = ", ".join(map(str, tensor.shape))
    return f"{dtype_text(tensor.dtype)}[{shape}]"


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= _TEXT_LIMIT else text[: _TEXT_LIMIT - 1] + "…"
