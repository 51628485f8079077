"""Who touches marked cells, and how: "marked" of a tracing copy.

A first count finds the cells at which programs meet, or that nothing has written. The host marks
them; this copy tells for each access site which marks it met, compares the values stored to a cell,
and notes what is read before it is written. A mark's low bits are `engine.hazards`' bits, the rest
is the cell's rank among those whose values are compared.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import triton.language as tl

from playground.engine.counter_layout import PROGRAM_LIMIT
from playground.engine.hazards import MAYBE_UNWRITTEN, RANK_SHIFT, UNWRITTEN, WRITES
from playground.engine.triton_private.tracing_plan import (
    LOOK_AT_MARKED,
    MARKED_SITES,
    MARKS,
    UNWRITTEN_FIRST,
    VALUE_HIGH,
    VALUE_LOW,
    WRITTEN,
    TrackedAccess,
)
from playground.engine.triton_private.tracing_record import RecordingSemantic

if TYPE_CHECKING:
    from collections.abc import Iterator

_EVERY_BIT = (1 << RANK_SHIFT) - 1


class MarkingSemantic(RecordingSemantic):
    """The recording semantics, able to look at what happens to marked cells."""

    def __init__(self, builder: Any, plan: Any, generator: Any) -> None:
        super().__init__(builder, plan, generator)
        self._value: Any = None

    @contextlib.contextmanager
    def storing(self, value: Any) -> Iterator[None]:
        """Say what the access tracked inside stores."""
        self._value = value
        yield
        self._value = None

    def _observe(self, access: TrackedAccess) -> None:
        super()._observe(access)
        if self.plan.modes & LOOK_AT_MARKED:
            with self._when(LOOK_AT_MARKED):
                for cells, lanes in access.parts:
                    self._look(access, cells, lanes)

    def _look(self, access: TrackedAccess, cells: Any, lanes: Any) -> None:
        p, shape = self.plain, access.shape

        def number(value: int) -> Any:
            return self._constant(value, tl.int32, shape)

        places = self._cells_at(MARKS, cells, shape)
        marks = tl.load(places, mask=lanes, other=0, _semantic=p)
        marked = p.and_(lanes, p.not_equal(marks, number(0)))
        base = p.cast(self.word(MARKED_SITES), tl.pointer_type(tl.int32))
        site = p.add(base, self._constant(access.made.site, tl.int32, []), False)
        sites = self._spread(site, shape)
        self._atomic("or", sites, p.and_(marks, number(_EVERY_BIT)), marked)
        fresh = p.and_(marked, p.not_equal(p.and_(marks, number(MAYBE_UNWRITTEN)), number(0)))
        written = self._cells_at(WRITTEN, cells, shape)
        if access.kind != "store":
            # What this program stored before must be seen here, whichever thread stored it.
            p.debug_barrier()
            held = p.atomic_or(written, number(0), fresh, "relaxed", "gpu")
            never = p.and_(fresh, p.equal(held, number(0)))
            self._atomic("or", sites, number(UNWRITTEN), never)
            before = p.sub(self._constant(PROGRAM_LIMIT, tl.int32, []), self.program(), False)
            firsts = self._cells_at(UNWRITTEN_FIRST, cells, shape)
            self._atomic("max", firsts, self._spread(before, shape), never)
        if access.kind != "load":
            self._atomic("or", written, number(1), fresh)
            p.debug_barrier()
        if access.kind == "store":
            self._compare(access, marks, marked)

    def _compare(self, access: TrackedAccess, marks: Any, marked: Any) -> None:
        """Keep the highest and the lowest bits stored to each ranked cell."""
        p, shape = self.plain, access.shape
        bits = self._bits_stored(access)
        ranks = p.lshr(marks, self._constant(RANK_SHIFT, tl.int32, shape))
        several = p.and_(marks, self._constant(WRITES, tl.int32, shape))
        nothing = self._constant(0, tl.int32, shape)
        ranked = p.and_(p.not_equal(several, nothing), p.not_equal(ranks, nothing))
        ranked = p.and_(ranked, marked)
        for operation, word in (("max", VALUE_HIGH), ("min", VALUE_LOW)):
            base = p.cast(self.word(word), tl.pointer_type(tl.uint64))
            self._atomic(operation, p.add(self._spread(base, shape), ranks, False), bits, ranked)

    def _bits_stored(self, access: TrackedAccess) -> Any:
        """Return the bits that each lane stores, as uint64."""
        p, shape = self.plain, access.shape
        element, value = access.element, self._value
        if shape:
            value = p.broadcast_impl_shape(value, list(shape))
        if element.is_ptr():
            bits = p.cast(value, tl.int64)
        elif element == tl.int1:
            bits = p.cast(value, tl.int8)
        else:
            bits = p.cast(value, element)
            if element.is_floating():
                bits = p.bitcast(bits, _UNSIGNED[access.made.size])
        wide = self._type(tl.uint64, shape)
        unsigned = self._type(_UNSIGNED[access.made.size], shape)
        bits = tl.tensor(bits.handle, unsigned)
        if access.made.size == 8:
            return tl.tensor(bits.handle, wide)
        return tl.tensor(
            self.builder.create_int_cast(bits.handle, wide.to_ir(self.builder), False), wide
        )


_UNSIGNED = {1: tl.uint8, 2: tl.uint16, 4: tl.uint32, 8: tl.uint64}
