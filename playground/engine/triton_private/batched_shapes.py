"""Changes of a block's shape in the batched interpreter: most leave its terms as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from playground.engine.triton_private.batched_builder import BatchedBuilder
from playground.engine.triton_private.batched_nodes import Batch, Node

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.engine.triton_private.batched_values import Terms
    from playground.engine.triton_private.interpreter_formats import Array


class BatchedShapes(BatchedBuilder):
    """The builder with its changes of shape."""

    def _reshaped(
        self, arg: Any, shape: tuple[int, ...], each: Callable[[Array], Array], dtype: Any = None
    ) -> Node:
        """Return a node whose terms are `each` of the argument's."""
        source = self.node(arg)

        def evaluate(_batch: Batch, value: Terms) -> Terms:
            return tuple(each(term) for term in value)

        return Node(dtype or source.dtype.scalar, shape, evaluate, (source,))

    def create_splat(self, type_: Any, arg: Any) -> Node:
        """Return a block that holds a scalar in every lane."""
        shape = tuple(type_.shape)
        return self._reshaped(arg, shape, lambda term: _with_axes(term, len(shape)))

    def create_unsplat(self, arg: Any) -> Node:
        """Return the one element of a block as a scalar."""
        return self._reshaped(arg, (), lambda term: term.reshape(-1))

    def create_broadcast(self, arg: Any, shape: Any) -> Node:
        """Return a block in a larger shape; its terms stay as they are."""
        return self._reshaped(arg, tuple(shape), lambda term: _with_axes(term, len(shape)))

    def create_expand_dims(self, arg: Any, axis: int) -> Node:
        """Return a block with one more axis."""
        shape = list(self.node(arg).shape)
        place = axis if axis >= 0 else axis + len(shape) + 1
        shape.insert(place, 1)
        return self._reshaped(arg, tuple(shape), lambda term: np.expand_dims(term, place + 1))

    def create_trans(self, arg: Any, perm: Any) -> Node:
        """Return a block with its axes in another order."""
        order = [int(axis) for axis in perm]
        shape = self.node(arg).shape
        axes = [0, *(axis + 1 for axis in order)]
        turned = tuple(shape[axis] for axis in order)
        return self._reshaped(arg, turned, lambda term: np.transpose(term, axes))

    def create_reshape(self, arg: Any, shape: Any, _reorder: Any) -> Node:
        """Return a block's elements in another shape."""
        source = self.node(arg)
        wanted = tuple(shape)
        return self.whole(
            (source,), wanted, lambda data: data.reshape(-1, *wanted), source.dtype.scalar
        )

    def create_cat(self, lhs: Any, rhs: Any) -> Node:
        """Return two blocks one after the other."""
        left, right = self.node(lhs), self.node(rhs)
        shape = (left.shape[0] + right.shape[0], *left.shape[1:])
        return self.whole(
            (left, right), shape, lambda a, b: np.concatenate([a, b], axis=1), left.dtype.scalar
        )

    def create_join(self, lhs: Any, rhs: Any) -> Node:
        """Return two blocks as the two columns of a new last axis."""
        left, right = self.node(lhs), self.node(rhs)
        return self.whole(
            (left, right), (*left.shape, 2), lambda a, b: np.stack([a, b], axis=-1),
            left.dtype.scalar,
        )  # fmt: skip

    def create_split(self, val: Any) -> tuple[Node, Node]:
        """Return the two columns of a block's last axis."""
        source = self.node(val)
        shape, dtype = source.shape[:-1], source.dtype.scalar
        return (
            self.whole((source,), shape, lambda data: data[..., 0], dtype),
            self.whole((source,), shape, lambda data: data[..., 1], dtype),
        )

    def create_gather(self, src: Any, indices: Any, axis: int) -> Node:
        """Return elements of a block, chosen along one axis."""
        source, chosen = self.node(src), self.node(indices)
        along = (axis if axis >= 0 else axis + len(source.shape)) + 1
        return self.whole(
            (source, chosen), chosen.shape,
            lambda data, index: np.take_along_axis(data, index, axis=along), source.dtype.scalar,
        )  # fmt: skip


def _with_axes(term: Array, rank: int) -> Array:
    return term.reshape(*term.shape, *(1,) * (rank + 1 - term.ndim))
