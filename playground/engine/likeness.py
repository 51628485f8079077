"""Which launches of a run are alike: a loop's launches are one, counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
import triton
from triton.tools.tensor_descriptor import TensorDescriptor

from playground.engine.triton_private import wrappers

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

_DEEPEST = 4


def likeness(
    function: Any,
    arguments: Mapping[str, Any],
    options: Mapping[str, Any],
    grid: tuple[int, int, int],
    place: Hashable,
    chosen: Any,
) -> Hashable:
    """Return a key that two launches share when one may stand for the other.

    That is the same kernel, place, grid, constants and options, and arguments of the same kinds:
    tensors of equal shape, strides and dtype, but not equal addresses or numbers. Objects are told
    apart by identity, so the first launch of a group must keep its own alive.
    """
    constexprs = wrappers.constexpr_names(function)
    kinds = tuple(
        _constant(value) if name in constexprs else _kind(value)
        for name, value in arguments.items()
    )
    given = tuple((name, _constant(value)) for name, value in options.items())
    return _function(function), grid, place, kinds, given, id(chosen)


def _kind(value: Any) -> Hashable:
    if isinstance(value, torch.Tensor):
        if value.layout != torch.strided:
            return "tensor", id(value)
        return "tensor", value.shape, value.stride(), value.dtype, value.device
    if isinstance(value, TensorDescriptor):
        return (
            "descriptor", _kind(value.base), tuple(value.shape), tuple(value.strides),
            tuple(value.block_shape),
        )  # fmt: skip
    if isinstance(value, triton.TensorWrapper):
        return "reinterpreted", _kind(value.base), str(value.dtype)
    if isinstance(value, (tuple, list)):
        return type(value), tuple(_kind(item) for item in value)
    if value is None or isinstance(value, (bool, int, float)):
        return type(value).__name__
    return _constant(value)


def _constant(value: Any, depth: int = 0) -> Hashable:
    value = wrappers.plain(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return type(value), value
    if isinstance(value, (triton.language.dtype, torch.dtype)):
        return "dtype", str(value)
    if wrappers.is_function(value):
        return _function(value, depth + 1)
    if isinstance(value, (tuple, list)) and depth < _DEEPEST:
        return type(value), tuple(_constant(item, depth + 1) for item in value)
    return "object", id(value)


def _function(function: Any, depth: int = 0) -> Hashable:
    """Return what a kernel is: a factory's are alike when they close over equal values."""
    python = wrappers.python_function(function)
    if depth > _DEEPEST or not hasattr(python, "__code__"):
        return "function", id(python)
    closed = tuple(_cell(cell, depth) for cell in python.__closure__ or ())
    return wrappers.kernel_name(function), id(python.__code__), id(python.__globals__), closed


def _cell(cell: Any, depth: int) -> Hashable:
    try:
        return _constant(cell.cell_contents, depth + 1)
    except ValueError:  # a name that has no value yet
        return "unset"
