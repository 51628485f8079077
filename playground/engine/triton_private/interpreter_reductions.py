"""Reductions and scans of the interpreter, right for every float type and quick for the usual ones.

`tl.max` and `tl.min` pass over NaNs as the GPU's `maxnum` and `minnum` do, `tl.argmax` and
`tl.argmin` take the first of equal values, sums of 16-bit and 8-bit floats run in float32.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from playground.engine.triton_private.interpreter_arithmetic import Arithmetic, values

if TYPE_CHECKING:
    from playground.engine.triton_private.interpreter_formats import Array


class Reductions:
    """Replaces the reductions that Triton's interpreter computes with NumPy.

    Parameters
    ----------
    interpreter
        The module `triton.runtime.interpreter`.
    arithmetic
        Makes handles from computed values.
    """

    def __init__(self, interpreter: Any, arithmetic: Arithmetic) -> None:
        self._interpreter = interpreter
        self._arithmetic = arithmetic
        standard = interpreter.tl.standard
        names = {
            "_argmax_combine_tie_break_left": self._argmax,
            "_argmax_combine_tie_break_fast": self._argmax,
            "_argmin_combine_tie_break_left": self._argmin,
            "_argmin_combine_tie_break_fast": self._argmin,
            "_elementwise_max": self._maximum,
            "_elementwise_min": self._minimum,
            "_sum_combine": self._sum,
            "_xor_combine": self._exclusive_or,
            "_or_combine": self._inclusive_or,
        }
        self._known = {
            id(getattr(standard, name)): how
            for name, how in names.items()
            if hasattr(standard, name)
        }

    def install(self) -> None:
        """Replace the reductions and the two scans that have a NumPy twin."""
        interpreter = self._interpreter

        def apply_impl(op: Any, inputs: Any) -> Any:
            if not self.knows(op.combine_fn):
                return op.generic_reduce(inputs)
            found = self.reduced(op, inputs)
            tensors = tuple(map(self._tensor, found, (tensor.dtype for tensor in inputs)))
            return tensors if len(tensors) > 1 else tensors[0]

        def cumsum(op: Any, inputs: Any) -> Any:
            return [self._tensor(self.scanned(inputs, op.axis, np.cumsum), inputs.dtype)]

        def cumprod(op: Any, inputs: Any) -> Any:
            return [self._tensor(self.scanned(inputs, op.axis, np.cumprod), inputs.dtype)]

        interpreter.ReduceOps.apply_impl = apply_impl
        interpreter.ScanOps.cumsum = cumsum
        interpreter.ScanOps.cumprod = cumprod

    def knows(self, combine_fn: Any) -> bool:
        """Return whether a combining function is one that NumPy reduces by."""
        return id(combine_fn) in self._known

    def reduced(self, op: Any, inputs: Any) -> list[Array]:
        """Return the values of a known reduction: one array, two of those that find a place.

        Parameters
        ----------
        op
            The axis, `keep_dims` and `combine_fn`, as Triton's `ReduceOps` has them.
        inputs
            Objects with a handle and a type.
        """
        return self._known[id(op.combine_fn)](op, inputs)

    def scanned(self, tensor: Any, axis: int, scan: Any) -> Array:
        """Return the values of `np.cumsum` or `np.cumprod` along an axis."""
        result: Array = scan(self._accumulated(tensor), axis=axis)
        return result

    def _tensor(self, data: Any, dtype: Any) -> Any:
        language = self._interpreter.tl
        array = np.asarray(data)
        type_ = language.block_type(dtype, list(array.shape)) if array.shape else dtype
        handle = self._arithmetic.make(np.atleast_1d(array), dtype)
        return language.core.tensor(handle, type_)

    @staticmethod
    def _accumulated(tensor: Any) -> Array:
        data = values(tensor.handle)
        return data.astype(np.float32) if data.dtype == np.float16 else data

    def _sum(self, op: Any, inputs: Any) -> list[Array]:
        data = self._accumulated(inputs[0])
        return [np.sum(data, axis=op.axis, keepdims=op.keep_dims)]

    def _reduced(self, op: Any, inputs: Any, function: Any) -> list[Array]:
        data = values(inputs[0].handle)
        return [function.reduce(data, axis=op.axis, keepdims=op.keep_dims)]

    def _maximum(self, op: Any, inputs: Any) -> list[Array]:
        return self._reduced(op, inputs, np.fmax)

    def _minimum(self, op: Any, inputs: Any) -> list[Array]:
        return self._reduced(op, inputs, np.fmin)

    def _exclusive_or(self, op: Any, inputs: Any) -> list[Array]:
        return self._reduced(op, inputs, np.bitwise_xor)

    def _inclusive_or(self, op: Any, inputs: Any) -> list[Array]:
        return self._reduced(op, inputs, np.bitwise_or)

    def _argmax(self, op: Any, inputs: Any) -> list[Array]:
        return self._position(op, inputs, np.fmax, np.argmax, -np.inf)

    def _argmin(self, op: Any, inputs: Any) -> list[Array]:
        return self._position(op, inputs, np.fmin, np.argmin, np.inf)

    def _position(self, op: Any, inputs: Any, best: Any, where: Any, worst: float) -> list[Array]:
        data = values(inputs[0].handle)
        # NumPy would call a NaN the extreme one.
        ranked = np.where(np.isnan(data), worst, data) if data.dtype.kind == "f" else data
        position = where(ranked, axis=op.axis, keepdims=op.keep_dims)
        # The second input holds the index of each element, which need not start at 0.
        index = inputs[1].handle.data
        if op.axis is None:
            chosen: Any = np.broadcast_to(index, data.shape).reshape(-1)[position]
        else:
            wide = position if op.keep_dims else np.expand_dims(position, op.axis)
            chosen = np.take_along_axis(np.broadcast_to(index, data.shape), wide, axis=op.axis)
            chosen = chosen if op.keep_dims else np.squeeze(chosen, axis=op.axis)
        return [best.reduce(data, axis=op.axis, keepdims=op.keep_dims), chosen]
