"""The front end of a tracing copy: every access counts, then happens with a safe mask.

`TracingSemantic` stands in for Triton's own semantics while the copy's IR is built.
"""

from __future__ import annotations

from typing import Any

import triton.language as tl
from triton.language import core

from playground.engine.triton_private.tracing_axes import steps_of, with_steps
from playground.engine.triton_private.tracing_mark import MarkingSemantic
from playground.engine.triton_private.tracing_plan import (
    COUNT_FLOPS,
    FLOPS,
    FLOPS_CELLS,
    HEADER_WORDS,
    SCRATCH,
    STORAGE_WORDS,
)
from playground.engine.triton_private.tracing_tiles import (
    BlockPointer,
    Descriptor,
    as_int64,
    lanes_of_tile,
)
from playground.model.coverage import FLOP_KINDS, flop_kind


class TracingSemantic(MarkingSemantic):
    """Triton's semantics with every access counted and kept inside the launch's storages."""

    # ------------------------------------------------------------ the accesses themselves

    def device_print(self, *arguments: Any) -> None:
        """Leave a print out: the copy counts, and the launch itself has printed."""

    def _zero(self, element: Any) -> Any:
        """Return the value that lanes masked off by the tracing copy load, None for a pointer."""
        if element.is_ptr():
            return None
        if element == tl.int1:
            element = tl.int8
        return tl.tensor(self.builder.get_null_value(element.to_ir(self.builder)), element)

    def load(self, ptr: Any, mask: Any, other: Any, *rest: Any) -> Any:
        """Count a load, then make it with the lanes outside every storage masked off."""
        if isinstance(ptr, BlockPointer):
            ptr, mask = self._lanes_of_block_pointer(ptr, rest[0])
            rest = ((), "", *rest[2:])
        if not ptr.type.scalar.is_ptr() or (mask is None and other is not None):
            return super().load(ptr, mask, other, *rest)
        if mask is not None and ptr.type.is_block():
            steps = steps_of(ptr)
            ptr, mask = self.plain.broadcast_impl_value(ptr, mask)
            ptr = with_steps(ptr, steps)
        ptr, mask = self.track(ptr, mask, "load")
        if other is None:
            other = self._zero(ptr.type.scalar.element_ty)
        return super().load(ptr, mask, other, *rest)

    def store(self, ptr: Any, val: Any, mask: Any, *rest: Any) -> Any:
        """Count a store, then make it with the lanes outside every storage masked off."""
        if isinstance(ptr, BlockPointer):
            block_shape = list(ptr.block_shape)
            ptr, mask = self._lanes_of_block_pointer(ptr, rest[0])
            val = self.plain.broadcast_impl_shape(val, block_shape)
            rest = ((), *rest[1:])
        if not ptr.type.scalar.is_ptr():
            return super().store(ptr, val, mask, *rest)
        with self.storing(val):
            ptr, mask = self.track(ptr, self._fitted(mask, ptr), "store")
        return super().store(ptr, val, mask, *rest)

    def _fitted(self, mask: Any, ptr: Any) -> Any:
        if mask is None or not ptr.type.is_block():
            return mask
        return self.plain.broadcast_impl_shape(self.plain.to_tensor(mask), ptr.type.shape)

    def _read_modify_write(self, name: str, ptr: Any, val: Any, mask: Any, *rest: Any) -> Any:
        original = getattr(super(), name)
        if not ptr.type.scalar.is_ptr():
            return original(ptr, val, mask, *rest)
        ptr, mask = self.track(ptr, self._fitted(mask, ptr), "atomic")
        return original(ptr, val, mask, *rest)

    def atomic_add(self, *arguments: Any) -> Any:
        """Count as a load and a store."""
        return self._read_modify_write("atomic_add", *arguments)

    def atomic_max(self, *arguments: Any) -> Any:
        """Count as a load and a store."""
        return self._read_modify_write("atomic_max", *arguments)

    def atomic_min(self, *arguments: Any) -> Any:
        """Count as a load and a store."""
        return self._read_modify_write("atomic_min", *arguments)

    def atomic_and(self, *arguments: Any) -> Any:
        """Count as a load and a store."""
        return self._read_modify_write("atomic_and", *arguments)

    def atomic_or(self, *arguments: Any) -> Any:
        """Count as a load and a store."""
        return self._read_modify_write("atomic_or", *arguments)

    def atomic_xor(self, *arguments: Any) -> Any:
        """Count as a load and a store."""
        return self._read_modify_write("atomic_xor", *arguments)

    def atomic_xchg(self, *arguments: Any) -> Any:
        """Count as a load and a store."""
        return self._read_modify_write("atomic_xchg", *arguments)

    def atomic_cas(self, ptr: Any, cmp: Any, val: Any, *rest: Any) -> Any:
        """Count as a load and a store; it takes no mask, so lanes outside go to a scratch cell."""
        ptr, inside = self.track(ptr, None, "atomic")
        return super().atomic_cas(self._rescued(ptr, inside), cmp, val, *rest)

    def _rescued(self, ptr: Any, inside: Any) -> Any:
        shape = [core._unwrap_if_constexpr(size) for size in ptr.shape]
        scratch = self.plain.cast(self.word(SCRATCH), ptr.type.scalar)
        return self._select(inside, ptr, self._spread(scratch, shape))

    def atomic_load(self, ptr: Any, mask: Any, *rest: Any) -> Any:
        """Count as a load (Triton 3.7 and later)."""
        if mask is not None and ptr.type.is_block():
            steps = steps_of(ptr)
            ptr, mask = self.plain.broadcast_impl_value(ptr, mask)
            ptr = with_steps(ptr, steps)
        ptr, mask = self.track(ptr, mask, "load")
        return super().atomic_load(ptr, mask, *rest)

    def atomic_store(self, ptr: Any, val: Any, mask: Any, *rest: Any) -> Any:
        """Count as a store (Triton 3.7 and later)."""
        with self.storing(val):
            ptr, mask = self.track(ptr, self._fitted(mask, ptr), "store")
        return super().atomic_store(ptr, val, mask, *rest)

    def atomic_poll(self, ptr: Any, *arguments: Any) -> Any:
        """Count once as a load, however often it polls."""
        ptr, inside = self.track(ptr, None, "load")
        return super().atomic_poll(self._rescued(ptr, inside), *arguments)

    # ------------------------------------------------------------ tiles

    def make_block_ptr(
        self, base: Any, shape: Any, strides: Any, offsets: Any, block_shape: Any, order: Any
    ) -> Any:
        """Return a block pointer that keeps its parts (Triton 3.6)."""
        del order  # only a hint for the memory layout
        if base.type.element_ty == tl.int1:
            base = self.plain.cast(base, tl.pointer_type(tl.int8, base.type.address_space))
        extents, steps, starts = (
            [as_int64(self.plain, value) for value in _listed(values)]
            for values in (shape, strides, offsets)
        )
        sizes = tuple(core._unwrap_if_constexpr(size) for size in _listed(block_shape))
        return BlockPointer(base, extents, steps, starts, sizes)

    def advance(self, base: Any, offsets: Any) -> Any:
        """Return the block pointer moved by `offsets`."""
        return base.moved(self.plain, _listed(offsets))

    def _lanes_of_block_pointer(self, ptr: BlockPointer, boundary_check: Any) -> tuple[Any, Any]:
        checked = tuple(core._unwrap_if_constexpr(axis) for axis in _listed(boundary_check))
        return lanes_of_tile(
            self.plain, ptr.base, ptr.extents, ptr.steps, ptr.offsets, ptr.block_shape, checked
        )

    def make_tensor_descriptor(
        self, base: Any, shape: Any, strides: Any, block_shape: Any, padding_option: Any = "zero"
    ) -> Any:
        """Return a descriptor that keeps its base; nothing is built in device memory for it."""
        del padding_option
        shape = [self.plain.make_scalar(size, tl.int32) for size in shape]
        strides = [
            self.plain.make_scalar(core._unwrap_if_constexpr(step), tl.int64) for step in strides
        ]
        sizes = list(core._unwrap_shape(block_shape))
        return Descriptor(base, shape, strides, tl.block_type(base.type.element_ty, sizes))

    def traced_parameter(self, name: str, descriptor: Any) -> Any:
        """Return the traced twin of a host descriptor parameter; its base is in the table."""
        index = self.plan.descriptors.index(name)
        word = self.word(HEADER_WORDS + STORAGE_WORDS * len(self.plan.units) + index)
        base = self.plain.cast(word, tl.pointer_type(descriptor.dtype))
        return Descriptor(
            base, list(descriptor.shape), list(descriptor.strides), descriptor.block_type
        )

    def _lanes_of_descriptor(
        self, desc: Any, starts: Any, block_shape: Any = None
    ) -> tuple[Any, Any]:
        sizes = tuple(core._unwrap_if_constexpr(size) for size in block_shape or desc.block_shape)
        return lanes_of_tile(
            self.plain, desc.base, list(desc.shape), list(desc.strides), list(starts), sizes,
            tuple(range(len(sizes))),
        )  # fmt: skip

    def descriptor_load(self, desc: Any, offsets: Any, *rest: Any) -> Any:
        """Load a tile through pointers, counted."""
        if not isinstance(desc, Descriptor):
            return self._uncounted("descriptor_load", desc, offsets, *rest)
        pointers, mask = self._lanes_of_descriptor(desc, offsets)
        return tl.load(pointers, mask=mask, other=0, _semantic=self)

    def descriptor_store(self, desc: Any, value: Any, offsets: Any) -> Any:
        """Store a tile through pointers, counted."""
        if not isinstance(desc, Descriptor):
            return self._uncounted("descriptor_store", desc, value, offsets)
        pointers, mask = self._lanes_of_descriptor(desc, offsets)
        return tl.store(pointers, value, mask=mask, _semantic=self)

    def _descriptor_atomic(self, name: str, desc: Any, value: Any, offsets: Any) -> Any:
        if not isinstance(desc, Descriptor):
            return self._uncounted(f"descriptor_{name}", desc, value, offsets)
        pointers, mask = self._lanes_of_descriptor(desc, offsets)
        value = self.plain.cast(value, desc.dtype)
        getattr(self, name)(pointers, value, mask, "relaxed", "gpu")
        return tl.tensor(None, tl.void)

    def descriptor_atomic_add(self, *arguments: Any) -> Any:
        """Add through pointers, counted."""
        return self._descriptor_atomic("atomic_add", *arguments)

    def descriptor_atomic_min(self, *arguments: Any) -> Any:
        """Take minima through pointers, counted."""
        return self._descriptor_atomic("atomic_min", *arguments)

    def descriptor_atomic_max(self, *arguments: Any) -> Any:
        """Take maxima through pointers, counted."""
        return self._descriptor_atomic("atomic_max", *arguments)

    def descriptor_atomic_and(self, *arguments: Any) -> Any:
        """And through pointers, counted."""
        return self._descriptor_atomic("atomic_and", *arguments)

    def descriptor_atomic_or(self, *arguments: Any) -> Any:
        """Or through pointers, counted."""
        return self._descriptor_atomic("atomic_or", *arguments)

    def descriptor_atomic_xor(self, *arguments: Any) -> Any:
        """Exclusive or through pointers, counted."""
        return self._descriptor_atomic("atomic_xor", *arguments)

    def descriptor_gather(self, desc: Any, x_offsets: Any, y_offset: Any, *rest: Any) -> Any:
        """Load the rows given by `x_offsets` through pointers, counted."""
        if not isinstance(desc, Descriptor):
            return self._uncounted("descriptor_gather", desc, x_offsets, y_offset, *rest)
        sizes = (x_offsets.shape[0], desc.block_shape[1])
        pointers, mask = self._lanes_of_descriptor(desc, (x_offsets, y_offset), sizes)
        return tl.load(pointers, mask=mask, other=0, _semantic=self)

    def descriptor_scatter(self, desc: Any, value: Any, x_offsets: Any, y_offset: Any) -> Any:
        """Store the rows given by `x_offsets` through pointers, counted."""
        if not isinstance(desc, Descriptor):
            return self._uncounted("descriptor_scatter", desc, value, x_offsets, y_offset)
        sizes = (x_offsets.shape[0], desc.block_shape[1])
        pointers, mask = self._lanes_of_descriptor(desc, (x_offsets, y_offset), sizes)
        return tl.store(pointers, value, mask=mask, _semantic=self)

    def _uncounted(self, name: str, *arguments: Any) -> Any:
        self.plan.note("accesses through a tensor descriptor inside a tuple are not counted")
        return getattr(super(), name)(*arguments)

    # ------------------------------------------------------------ arithmetic worth counting

    def _count_flops(self, flops: int, kind: str) -> None:
        if not self.plan.modes & COUNT_FLOPS:
            return
        p = self.plain
        with self._when(COUNT_FLOPS):
            base = p.cast(self.word(FLOPS), tl.pointer_type(tl.int64))
            slot = p.and_(self.program(), self._constant(FLOPS_CELLS - 1, tl.int32, []))
            first = self._constant(FLOPS_CELLS * FLOP_KINDS.index(kind), tl.int32, [])
            slot = p.add(slot, first, False)
            self._atomic("add", p.add(base, slot, False), self._constant(flops, tl.int64, []), None)

    def dot(self, lhs: Any, rhs: Any, *rest: Any) -> Any:
        """Count 2·M·N·K per executed dot and per batch."""
        sizes = [core._unwrap_if_constexpr(size) for size in lhs.shape]
        flops = 2 * core._unwrap_if_constexpr(rhs.shape[-1])
        for size in sizes:
            flops *= size
        # rest: acc, input_precision, max_num_imprecise_acc, out_dtype
        precision = rest[1] or self.builder.options.default_dot_input_precision
        self._count_flops(flops, flop_kind(lhs.dtype.name, str(precision)))
        return super().dot(lhs, rhs, *rest)

    def dot_scaled(self, lhs: Any, lhs_scale: Any, lhs_format: Any, rhs: Any, *rest: Any) -> Any:
        """Count 2·M·N·K per executed dot; two 4-bit elements sit in one byte."""
        # rest: rhs_scale, rhs_format, acc, fast_math, lhs_k_pack, rhs_k_pack, out_dtype
        flops = 2
        for size in (*lhs.shape, rhs.shape[-1]):
            flops *= core._unwrap_if_constexpr(size)
        if core._unwrap_if_constexpr(lhs_format) == "e2m1":
            flops *= 2
        columns_packed = core._unwrap_if_constexpr(rest[1]) == "e2m1" and not rest[5]
        formats = [core._unwrap_if_constexpr(item) for item in (lhs_format, rest[1])]
        kind = "fp4" if formats == ["e2m1", "e2m1"] else "fp8"
        self._count_flops(flops * 2 if columns_packed else flops, kind)
        return super().dot_scaled(lhs, lhs_scale, lhs_format, rhs, *rest)


def _listed(values: Any) -> list[Any]:
    values = core._unwrap_if_constexpr(values)
    return list(values) if hasattr(values, "__iter__") else [values]
