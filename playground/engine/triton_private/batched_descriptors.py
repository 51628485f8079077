"""Tensor descriptors and block pointers of the batched interpreter, as sums of terms.

Their addresses are `base + Σ (offset + lane) · stride` and their masks a conjunction over the axes,
so a tile of any size stays as small as its edges.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from playground.engine.triton_private import batched_values as algebra
from playground.engine.triton_private.batched_memory import BatchedMemory
from playground.engine.triton_private.batched_nodes import NeedsExactError, Node

if TYPE_CHECKING:
    from collections.abc import Sequence

_ALIGNMENT_BYTES = 16


class BlockPointer:
    """A block pointer of Triton before 3.9, whose parts are nodes."""

    def __init__(
        self, base: Node, shape: list[Node], strides: list[Node], offsets: list[Node],
        block_shape: list[int],
    ) -> None:  # fmt: skip
        self.base = base
        self.shape = shape
        self.strides = strides
        self.offsets = offsets
        self.block_shape = block_shape


class BatchedDescriptors(BatchedMemory):
    """The builder with descriptors and block pointers."""

    def _wide(self, handle: Any) -> Node:
        return self.create_int_cast(self.node(handle), self._language.int64, True)

    def _lanes(self, dim: int, sizes: Sequence[int]) -> Node:
        numbers = np.arange(sizes[dim], dtype=np.int64)
        shape = [size if axis == dim else 1 for axis, size in enumerate(sizes)]
        terms = (numbers.reshape(1, *shape),)
        return Node(self._language.int64, tuple(shape), None, (), terms)

    def _block(
        self, block: Any, starts: Sequence[Any], checked: Sequence[int]
    ) -> tuple[Node, Node | None]:
        """Return pointers and mask of a block of a strided tensor.

        Parameters
        ----------
        block
            A descriptor or block pointer.
        starts
            First index along each axis; a block of indices along the first one gathers rows.
        checked
            Axes that are compared with the tensor's shape.
        """
        sizes = list(block.block_shape)
        firsts = [self._wide(start) for start in starts]
        if firsts[0].shape:
            sizes[0] = firsts[0].shape[0]
            firsts[0] = self.create_expand_dims(firsts[0], 1)
        zero = Node(self._language.int64, (), None, (), (np.zeros(1, dtype=np.int64),))
        pointers: Node = self.node(block.base)
        mask = None
        for dim, first in enumerate(firsts):
            index = first if first.shape else self.create_add(self._lanes(dim, sizes), first)
            moved = self.create_mul(index, self._wide(block.strides[dim]))
            pointers = self.create_addptr(pointers, moved)
            if dim in checked:
                inside = self.create_and(
                    self._compare("icmpSLE", zero, index),
                    self._compare("icmpSLT", index, self._wide(block.shape[dim])),
                )
                mask = inside if mask is None else self.create_and(mask, inside)
        pointers = self.create_broadcast(pointers, sizes)
        return pointers, None if mask is None else self.create_broadcast(mask, sizes)

    def _padded(self, pointers: Node, mask: Node | None, padding: Any) -> Node:
        options = self._interpreter._ir.PADDING_OPTION
        other = None
        if padding == options.PAD_NAN:
            other = self.node(self.arithmetic.make(np.full(1, np.nan), pointers.get_element_ty()))
        return self.load(pointers, mask, other)

    # Descriptors -----------------------------------------------------------------------------

    def create_make_tensor_descriptor(
        self, base: Any, shape: Any, strides: Any, block_shape: Any, _signed: Any,
        padding: Any = "zero",
    ) -> Any:  # fmt: skip
        """Return a descriptor; one that the exact interpreter refuses is left to it."""
        made = self._interpreter.TensorDescHandle(
            self.node(base), [self.node(item) for item in shape],
            [self.node(item) for item in strides], list(block_shape), padding,
        )  # fmt: skip
        size = made.base.dtype.element_ty.primitive_bitwidth // 8
        self._aligned(made.base, 1)
        for stride in made.strides[:-1]:
            self._aligned(stride, size)
        if not (algebra.dense(self.batch.force(made.strides[-1])) == 1).all():
            raise NeedsExactError("a descriptor's last axis is not contiguous")
        return made

    def _aligned(self, handle: Any, size: int) -> None:
        value = algebra.dense(self.batch.force(self.node(handle)))
        if ((value * value.dtype.type(size)) % value.dtype.type(_ALIGNMENT_BYTES)).any():
            raise NeedsExactError("a descriptor's memory is not aligned")

    def _described(self, desc: Any, indices: Sequence[Any]) -> tuple[Node, Node | None]:
        size = self.node(desc.base).dtype.element_ty.primitive_bitwidth // 8
        self._aligned(indices[-1], size)
        return self._block(desc, indices, range(len(indices)))

    def create_descriptor_load(self, desc: Any, indices: Any, *_: Any, **__: Any) -> Node:
        """Return a block of a tensor."""
        pointers, mask = self._described(desc, indices)
        result = self._padded(pointers, mask, desc.padding)
        if getattr(desc, "round_f32_to_tf32", False):
            return self.unknown(result.dtype, result.shape, "an address depends on a tf32 value")
        return result

    def create_descriptor_store(self, desc: Any, _value: Any, indices: Any) -> None:
        """Count a store of a block."""
        self.access("store", *self._described(desc, indices))

    def create_descriptor_gather(
        self, desc: Any, x_offsets: Any, y_offset: Any, _type: Any
    ) -> Node:
        """Return rows of a tensor."""
        return self.create_descriptor_load(desc, [x_offsets, y_offset])

    def create_descriptor_scatter(
        self, desc: Any, value: Any, x_offsets: Any, y_offset: Any
    ) -> None:
        """Count a store of rows."""
        self.create_descriptor_store(desc, value, [x_offsets, y_offset])

    def create_descriptor_reduce(self, _kind: Any, desc: Any, _value: Any, indices: Any) -> None:
        """Count an atomic update of a block."""
        self.access("atomic", *self._described(desc, indices))

    # Block pointers --------------------------------------------------------------------------

    def create_make_block_ptr(
        self, base: Any, shape: Any, strides: Any, offsets: Any, block_shape: Any, _order: Any
    ) -> BlockPointer:
        """Return a block pointer."""
        return BlockPointer(
            self.node(base), [self.node(item) for item in shape],
            [self.node(item) for item in strides], [self.node(item) for item in offsets],
            list(block_shape),
        )  # fmt: skip

    def create_advance(self, ptr: BlockPointer, offsets: Any) -> BlockPointer:
        """Return a block pointer moved on."""
        moved = [self.create_add(*pair) for pair in zip(ptr.offsets, offsets, strict=True)]
        return BlockPointer(ptr.base, ptr.shape, ptr.strides, moved, ptr.block_shape)

    def create_tensor_pointer_load(
        self, ptr: BlockPointer, boundary_check: Any, padding: Any, *_: Any
    ) -> Node:
        """Return what a block pointer points at."""
        return self._padded(*self._block(ptr, ptr.offsets, boundary_check), padding)

    def create_tensor_pointer_store(
        self, ptr: BlockPointer, _value: Any, boundary_check: Any, *_: Any
    ) -> None:
        """Count a store through a block pointer."""
        self.access("store", *self._block(ptr, ptr.offsets, boundary_check))
