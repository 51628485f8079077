"""Reductions and scans of the batched interpreter: computed where an address or a mask needs them.

The usual ones run the exact interpreter's own functions with the programs as one more axis. Any
other combination is applied along the axis element after element, in the order in which the exact
interpreter does, to all programs at once.
"""

from __future__ import annotations

import math
import types
from typing import TYPE_CHECKING, Any

import numpy as np

from playground.engine.triton_private import batched_values as algebra
from playground.engine.triton_private.batched_nodes import NeedsExactError
from playground.engine.triton_private.library_steps import within_sorting
from playground.model.coverage import operation_name

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from playground.engine.triton_private.batched_memory import BatchedMemory
    from playground.engine.triton_private.batched_nodes import Batch
    from playground.engine.triton_private.batched_values import Terms
    from playground.engine.triton_private.interpreter_formats import Array
    from playground.engine.triton_private.interpreter_reductions import Reductions


class BatchedReductions:
    """What stands for `tl.reduce` and `tl.associative_scan` while a batch runs.

    Parameters
    ----------
    interpreter
        The module `triton.runtime.interpreter`.
    builder
        Makes the nodes.
    exact
        The exact interpreter's reductions.
    """

    def __init__(self, interpreter: Any, builder: BatchedMemory, exact: Reductions) -> None:
        self._interpreter = interpreter
        self._language: Any = interpreter.tl
        self._builder = builder
        self._exact = exact

    def reduce(
        self, operand: Any, axis: Any, combine_fn: Any, keep_dims: Any = False, **_: Any
    ) -> Any:
        """Return the reduction of a block or of a tuple of blocks along an axis, or of all."""
        tensors, axis, keep = self._operands(operand), _plain(axis), bool(_plain(keep_dims))
        shape = self._builder.node(tensors[0].handle).shape
        if axis is None:
            result: tuple[int, ...] = (1,) * len(shape) if keep else ()
            lanes: tuple[int, ...] = (math.prod(shape),)
            along = 1
        else:
            along = (axis if axis >= 0 else axis + len(shape)) + 1
            result = (*shape[: along - 1], *((1,) if keep else ()), *shape[along:])
            lanes = shape
        self._note("reduce", combine_fn, lanes, along)
        op = types.SimpleNamespace(axis=along, keep_dims=False, combine_fn=combine_fn)

        def every(*arrays: Array) -> Sequence[Array]:
            rows = [data.reshape(len(data), *lanes) for data in arrays]
            if self._exact.knows(combine_fn):
                return self._exact.reduced(op, self._told(rows, tensors))
            found, _ = self._folded(rows, tensors, combine_fn, along)
            return found

        return self._results(operand, tensors, result, every)

    def scan(self, operand: Any, axis: Any, combine_fn: Any, reverse: Any = False, **_: Any) -> Any:
        """Return the scan of a block or of a tuple of blocks along an axis."""
        tensors, axis, backwards = self._operands(operand), _plain(axis), bool(_plain(reverse))
        shape = self._builder.node(tensors[0].handle).shape
        along = (axis if axis >= 0 else axis + len(shape)) + 1
        self._note("scan", combine_fn, shape, along)
        standard = self._language.standard
        usual = {id(standard._sum_combine): np.cumsum, id(standard._prod_combine): np.cumprod}
        scan = usual.get(id(combine_fn))

        def every(*arrays: Array) -> Sequence[Array]:
            rows = [np.flip(data, along) if backwards else data for data in arrays]
            if scan is not None:
                (told,) = self._told(rows, tensors)
                found: Sequence[Array] = [self._exact.scanned(told, along, scan)]
            else:
                steps = self._folded(rows, tensors, combine_fn, along)[1]
                found = [np.stack(column, axis=along) for column in zip(*steps, strict=True)]
            return [np.flip(data, along) if backwards else data for data in found]

        return self._results(operand, tensors, shape, every)

    def _note(self, kind: str, combine_fn: Any, shape: tuple[int, ...], along: int) -> None:
        if within_sorting():
            return
        lanes, length = math.prod(shape), shape[along - 1]
        name = operation_name(kind, getattr(getattr(combine_fn, "fn", None), "__name__", ""))
        self._builder.note_operations(name, lanes // length * (length - 1))

    def _operands(self, operand: Any) -> tuple[Any, ...]:
        many = isinstance(operand, tuple | self._language.tuple)
        return tuple(operand) if many else (operand,)

    def _told(self, arrays: Sequence[Array], tensors: tuple[Any, ...]) -> list[Any]:
        """Return the arrays as the exact reductions take them."""
        handle = self._interpreter.TensorHandle
        return [
            types.SimpleNamespace(handle=handle(data, tensor.dtype), dtype=tensor.dtype)
            for data, tensor in zip(arrays, tensors, strict=True)
        ]

    def _results(
        self, operand: Any, tensors: tuple[Any, ...], shape: tuple[int, ...],
        every: Callable[..., Sequence[Array]],
    ) -> Any:  # fmt: skip
        """Return tensors of the shape; each computes what `every` returns at its place."""
        builder, language = self._builder, self._language
        handles = tuple(builder.node(tensor.handle) for tensor in tensors)

        def result(at: int) -> Any:
            dtype = tensors[at].dtype

            def one(*arrays: Array) -> Array:
                found = np.asarray(every(*arrays)[at])
                data: Array = builder.arithmetic.make(found, dtype).data
                return data.reshape(len(arrays[0]), *shape)

            type_ = language.block_type(dtype, list(shape)) if shape else dtype
            return language.core.tensor(builder.whole(handles, shape, one, dtype.scalar), type_)

        found = tuple(result(at) for at in range(len(tensors)))
        return found if isinstance(operand, tuple | language.tuple) else found[0]

    def _folded(
        self, arrays: Sequence[Array], tensors: tuple[Any, ...], combine: Any, axis: int
    ) -> tuple[list[Array], list[list[Array]]]:
        """Return what `combine` makes of the slices along an axis, one by one: the end, all."""
        slices = [np.moveaxis(data, axis, 0) for data in arrays]
        dtypes = [tensor.dtype for tensor in tensors]
        total = [data[0] for data in slices]
        steps = [total]
        for at in range(1, len(slices[0])):
            total = self._apply(combine, [*total, *(data[at] for data in slices)], [*dtypes] * 2)
            steps.append(total)
        return total, steps

    def _apply(self, combine: Any, values: list[Array], dtypes: list[Any]) -> list[Array]:
        """Return what a user's function makes of values of all programs, lane by lane."""
        builder, language = self._builder, self._language
        batch = builder.batch
        tensors = []
        for data, type_ in zip(values, dtypes, strict=True):
            shape = data.shape[1:]
            node = builder.constant(np.ascontiguousarray(data), type_.scalar)
            block = language.block_type(type_, list(shape)) if shape else type_
            tensors.append(language.core.tensor(node, block))
        before = len(batch.programs)
        result = combine.fn(*tensors) if hasattr(combine, "fn") else combine(*tensors)
        results = result if isinstance(result, tuple | language.tuple) else (result,)
        found = [self._value(batch, item, values[0].shape[1:]) for item in results]
        if len(batch.programs) != before:
            raise NeedsExactError("a combining function goes different ways")
        return [np.broadcast_to(item, values[0].shape) for item in found]

    def _value(self, batch: Batch, tensor: Any, shape: tuple[int, ...]) -> Array:
        if not isinstance(tensor, self._language.tensor):
            raise NeedsExactError("a combining function returns a plain number")
        node = self._builder.node(tensor.handle)
        terms: Terms = batch.force(node)
        return algebra.full(algebra.aligned(terms, len(shape)), shape)


def _plain(value: Any) -> Any:
    return getattr(value, "value", value)
