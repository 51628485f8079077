"""Block pointers and tensor descriptors as plain pointers, for the tracing copy of a kernel.

The hardware's tile loads hide their addresses from the counters, so the tracing copy computes every
lane's pointer and mask itself. These values carry what a tile needs (base, shape, strides, offsets)
through loops and calls as ordinary IR values.
"""

from __future__ import annotations

from typing import Any

import triton.language as tl
from triton.language import core


class TileType(core.dtype):  # type: ignore[misc]
    """Type of a traced block pointer; says `is_ptr` like the pointer it stands for."""

    def __init__(
        self, base_type: Any, parts: tuple[Any, ...], block_shape: tuple[int, ...]
    ) -> None:
        self.base_type = base_type
        self.parts = parts
        self.block_shape = block_shape
        self.element_ty = tl.block_type(base_type.element_ty, list(block_shape))
        self.name = f"traced_tile<{base_type}, {list(block_shape)}>"

    @property
    def scalar(self) -> TileType:
        """The type itself, as for a pointer."""
        return self

    def is_ptr(self) -> bool:
        """Tell Triton's front end that a load may go through this value."""
        return True

    def is_const(self) -> bool:
        """Tell whether stores through it are forbidden."""
        return bool(self.base_type.is_const())

    def is_block(self) -> bool:
        """Tell that a tile is one value, not a block of pointers."""
        return False

    def mangle(self) -> str:
        """Return the name part for functions specialised on this type."""
        parts = "_".join(part.mangle() for part in self.parts)
        return f"TILE{self.base_type.mangle()}_{'x'.join(map(str, self.block_shape))}_{parts}"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, TileType)
            and self.base_type == other.base_type
            and self.parts == other.parts
            and self.block_shape == other.block_shape
        )

    def __hash__(self) -> int:
        return hash(self.name)

    def __str__(self) -> str:
        return str(self.name)

    def _flatten_ir_types(self, builder: Any, out: list[Any]) -> None:
        self.base_type._flatten_ir_types(builder, out)
        for part in self.parts:
            part._flatten_ir_types(builder, out)

    def _unflatten_ir(self, handles: list[Any], cursor: int) -> tuple[Any, int]:
        base, cursor = self.base_type._unflatten_ir(handles, cursor)
        values = []
        for part in self.parts:
            value, cursor = part._unflatten_ir(handles, cursor)
            values.append(value)
        rank = len(self.block_shape)
        return BlockPointer(
            base, values[:rank], values[rank : 2 * rank], values[2 * rank :], self.block_shape
        ), cursor


class BlockPointer(tl.tensor):  # type: ignore[misc]
    """What `tl.make_block_ptr` returns in the tracing copy."""

    def __init__(
        self,
        base: Any,
        shape: list[Any],
        strides: list[Any],
        offsets: list[Any],
        block_shape: tuple[int, ...],
    ) -> None:
        parts = tuple(value.type for value in (*shape, *strides, *offsets))
        super().__init__(base.handle, base.type)
        self.base, self.extents, self.steps, self.offsets = base, shape, strides, offsets
        self.block_shape = block_shape
        self.type = TileType(base.type, parts, block_shape)
        self.dtype = self.type

    def _values(self) -> list[Any]:
        return [self.base, *self.extents, *self.steps, *self.offsets]

    def _flatten_ir(self, handles: list[Any]) -> None:
        for value in self._values():
            value._flatten_ir(handles)

    def _set_name(self, builder: Any, name: str) -> None:
        for value in self._values():
            value._set_name(builder, name)

    def moved(self, plain: Any, steps: Any) -> BlockPointer:
        """Return the block pointer advanced by `steps` (elements per dimension)."""
        offsets = [
            plain.add(plain.cast(offset, tl.int64), as_int64(plain, step), False)
            for offset, step in zip(self.offsets, steps, strict=True)
        ]
        return BlockPointer(self.base, self.extents, self.steps, offsets, self.block_shape)


class DescriptorType(core.tensor_descriptor_type):  # type: ignore[misc]
    """Type of a traced tensor descriptor: its shape and strides, and the base it points at."""

    def __init__(self, base_type: Any, block_type: Any, shape_type: Any, strides_type: Any) -> None:
        super().__init__(block_type, shape_type, strides_type)
        self.base_type = base_type

    def _flatten_ir_types(self, builder: Any, out: list[Any]) -> None:
        self.base_type._flatten_ir_types(builder, out)
        self.shape_type._flatten_ir_types(builder, out)
        self.strides_type._flatten_ir_types(builder, out)

    def _unflatten_ir(self, handles: list[Any], cursor: int) -> tuple[Any, int]:
        base, cursor = self.base_type._unflatten_ir(handles, cursor)
        shape, cursor = self.shape_type._unflatten_ir(handles, cursor)
        strides, cursor = self.strides_type._unflatten_ir(handles, cursor)
        return Descriptor(base, shape.values, strides.values, self.block_type), cursor

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescriptorType)
            and self.base_type == other.base_type
            and bool(super().__eq__(other))
        )

    def __hash__(self) -> int:
        return hash(str(self))

    def mangle(self) -> str:
        """Return the name part for functions specialised on this type."""
        return f"TRACED{self.base_type.mangle()}{super().mangle()}"


class Descriptor(core.tensor_descriptor):  # type: ignore[misc]
    """What a tensor descriptor is in the tracing copy, made on the host or in the kernel."""

    def __init__(self, base: Any, shape: Any, strides: Any, block_type: Any) -> None:
        super().__init__(base.handle, list(shape), list(strides), block_type)
        self.base = base
        self.type = DescriptorType(base.type, block_type, self.shape.type, self.strides.type)

    def _flatten_ir(self, handles: list[Any]) -> None:
        self.base._flatten_ir(handles)
        self.shape._flatten_ir(handles)
        self.strides._flatten_ir(handles)

    def _set_name(self, builder: Any, name: str) -> None:
        self.base._set_name(builder, name)


def as_int64(plain: Any, value: Any) -> Any:
    """Return a scalar (number, constexpr or tensor) as an int64 tensor."""
    return plain.cast(plain.to_tensor(value), tl.int64)


def lanes_of_tile(
    plain: Any,
    base: Any,
    extents: Any,
    steps: Any,
    starts: list[Any],
    block_shape: tuple[int, ...],
    checked: tuple[int, ...],
) -> tuple[Any, Any]:
    """Return (pointers, mask) of a tile: lanes outside the extents of `checked` dimensions are off.

    `starts` gives each dimension's first index, or a block of indices of its own (gather).
    """
    rank = len(block_shape)
    offset, mask = None, None
    for axis in range(rank):
        start = as_int64(plain, starts[axis])
        if start.type.is_block():
            index = start
        else:
            index = plain.add(
                start, plain.cast(plain.arange(0, block_shape[axis]), tl.int64), False
            )
        for other in range(rank):
            if other != axis:
                index = plain.expand_dims(index, other)
        part = plain.mul(index, as_int64(plain, steps[axis]), False)
        offset = part if offset is None else plain.add(offset, part, False)
        if axis in checked:
            inside = plain.and_(
                plain.greater_equal(index, as_int64(plain, 0)),
                plain.less_than(index, as_int64(plain, extents[axis])),
            )
            mask = inside if mask is None else plain.and_(mask, inside)
    offset = plain.broadcast_impl_shape(offset, list(block_shape))
    if mask is not None:
        mask = plain.broadcast_impl_shape(mask, list(block_shape))
    return plain.add(base, offset, False), mask
