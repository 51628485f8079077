"""The totals of operations, and single accesses kept where they happen: "record" of a tracing copy.

An access of a chosen program reserves its place by one atomic on a cursor, whose high bits count
accesses and whose low bits count lanes, then writes two words about itself and every lane's
address. All threads of a program wait for the reserved place, so its accesses come in order.
"""

from __future__ import annotations

import math
from typing import Any

import triton.language as tl
from triton.language import core

from playground.engine.triton_private.library_steps import SortingContext
from playground.engine.triton_private.tracing_emit import CountingSemantic
from playground.engine.triton_private.tracing_plan import (
    COUNT_OPERATIONS,
    OPERATIONS,
    RECORD,
    RECORD_CURSOR,
    RECORD_EVENT_ROOM,
    RECORD_EVENTS,
    RECORD_LANE_ROOM,
    RECORD_LANES,
    RECORD_LIMITS,
    RECORD_PROGRAMS,
    RECORD_TAKEN,
    TrackedAccess,
)
from playground.engine.triton_private.tracing_program import linear_program
from playground.model.coverage import operation_name

LANE_BITS = 40
"""The cursor's low bits that count lanes; the rest counts accesses."""
NOT_ACTIVE = -1
"""What stands for the address of a lane that the mask switched off."""
EVENT_WORDS = 2
"""An event's words: its program and, from this bit on, its access; then its first lane's place."""
ACCESS_SHIFT = 32
TOTAL_CELLS = 64
"""A program adds to the cell of its number modulo this: less contention."""


class RecordingSemantic(CountingSemantic):
    """The counting semantics, able to keep the accesses of chosen programs."""

    def __init__(self, builder: Any, plan: Any, generator: Any) -> None:
        super().__init__(builder, plan, generator)
        self._chosen: Any = None

    def _wide(self, value: int) -> Any:
        return self._constant(value, tl.int64, [])

    def _observe(self, access: TrackedAccess) -> None:
        super()._observe(access)
        if self.plan.modes & RECORD:
            number = self.plan.access(access.made)
            with self._when(RECORD):
                self._keep(number, access.address, access.mask, access.shape)

    # ------------------------------------------------------------ totals

    def _add_to(self, word: int, row: int, value: Any) -> None:
        """Add an int64 scalar to a row of totals."""
        p = self.plain
        base = p.cast(self.word(word), tl.pointer_type(tl.int64))
        cell = p.and_(self.program(), self._constant(TOTAL_CELLS - 1, tl.int32, []))
        cell = p.add(cell, self._constant(TOTAL_CELLS * row, tl.int32, []), False)
        self._atomic("add", p.add(base, cell, False), value, None)

    def reduction(self, inputs: Any, axis: Any, region: Any) -> Any:
        """Count the operations of a reduction: one less than elements along the axis, each row."""
        self._count_operations("reduce", inputs, axis, region)
        return super().reduction(inputs, axis, region)

    def associative_scan(self, inputs: Any, axis: Any, region: Any, reverse: Any) -> Any:
        """Count the operations of a scan, as many as those of a reduction."""
        self._count_operations("scan", inputs, axis, region)
        return super().associative_scan(inputs, axis, region, reverse)

    def _count_operations(self, kind: str, inputs: Any, axis: Any, region: Any) -> None:
        sorting = isinstance(self.generator.caller_context, SortingContext)
        if sorting or not self.plan.modes & COUNT_OPERATIONS:
            return
        shape = [core._unwrap_if_constexpr(size) for size in inputs[0].type.shape]
        lanes = math.prod(shape)
        length = lanes if axis is None else shape[axis]
        name = operation_name(kind, _combined_by(region))
        with self._when(COUNT_OPERATIONS):
            count = lanes // length * (length - 1)
            self._add_to(OPERATIONS, self.plan.operation(name), self._wide(count))

    # ------------------------------------------------------------ single accesses

    def _condition(self, mode: int) -> Any:
        return self._among_the_chosen() if mode == RECORD else super()._condition(mode)

    def _among_the_chosen(self) -> Any:
        """Return whether this program is recorded: its bit in a map in device memory."""
        if self._chosen is None:
            p = self.plain
            with self._at_entry():
                # Outside of a recording run there is no map: its address is 0, and nothing is read.
                base = self._read_word(RECORD_PROGRAMS)
                there = p.not_equal(base, self._wide(0))
                program = linear_program(p)
                word = p.lshr(program, self._constant(5, tl.int32, []))
                bit = p.and_(program, self._constant(31, tl.int32, []))
                place = p.add(p.cast(base, tl.pointer_type(tl.int32)), word, False)
                bits = tl.load(place, mask=there, other=0, _semantic=p)
                mine = p.and_(p.lshr(bits, bit), self._constant(1, tl.int32, []))
                self._chosen = p.not_equal(mine, self._constant(0, tl.int32, []))
        return self._chosen

    def _looked_at(self) -> Any:
        return self._among_the_chosen() if self.plan.modes & RECORD else super()._looked_at()

    def _keep(self, number: int, address: Any, mask: Any, shape: list[int]) -> None:
        p = self.plain
        wide = self._wide
        lanes = math.prod(shape)
        wanted = self._below_its_limit(number)
        cursor = p.cast(self.word(RECORD_CURSOR), tl.pointer_type(tl.int64))
        step = wide((1 << LANE_BITS) + lanes)
        held = p.atomic_add(cursor, step, wanted, "relaxed", "gpu")
        event = p.lshr(held, wide(LANE_BITS))
        place = p.and_(held, wide((1 << LANE_BITS) - 1))
        fits = p.and_(
            p.less_than(event, self.word(RECORD_EVENT_ROOM)),
            p.less_equal(p.add(place, wide(lanes), False), self.word(RECORD_LANE_ROOM)),
        )
        fits = p.and_(fits, wanted)
        first = p.or_(p.cast(self.program(), tl.int64), wide(number << ACCESS_SHIFT))
        events = p.cast(self.word(RECORD_EVENTS), tl.pointer_type(tl.int64))
        events = p.add(events, p.mul(event, wide(EVENT_WORDS), False), False)
        tl.store(events, first, mask=fits, _semantic=p)
        tl.store(p.add(events, wide(1), False), place, mask=fits, _semantic=p)
        if mask is not None:
            address = self._select(mask, address, self._constant(NOT_ACTIVE, tl.int64, shape))
        room = p.cast(self.word(RECORD_LANES), tl.pointer_type(tl.int64))
        room = p.add(room, place, False)
        places = self._spread(room, shape)
        if shape:
            places = p.add(places, self._lane_numbers(shape), False)
            places = self._one_lane_a_thread(places)
        tl.store(places, address, mask=self._spread(fits, shape), _semantic=p)

    def _below_its_limit(self, number: int) -> Any:
        """Return whether fewer of this access are kept than the run's limit, if it has any."""
        p = self.plain
        limits = self.word(RECORD_LIMITS)
        limited = p.not_equal(limits, self._wide(0))
        index = self._constant(number, tl.int32, [])
        here = p.add(p.cast(limits, tl.pointer_type(tl.int32)), index, False)
        limit = tl.load(here, mask=limited, other=0, _semantic=p)
        taken = p.add(p.cast(self.word(RECORD_TAKEN), tl.pointer_type(tl.int32)), index, False)
        one = self._constant(1, tl.int32, [])
        already = p.atomic_add(taken, one, limited, "relaxed", "gpu")
        unlimited = p.equal(limits, self._wide(0))
        return p.or_(unlimited, p.less_than(already, limit))

    def _lane_numbers(self, shape: list[int]) -> Any:
        """Return each lane's number in its block, the last axis running fastest."""
        p = self.plain
        total = None
        step = 1
        for axis in reversed(range(len(shape))):
            along = p.arange(0, shape[axis])
            index = p.mul(along, self._constant(step, tl.int32, [shape[axis]]), False)
            for other in range(len(shape)):
                if other != axis:
                    index = p.expand_dims(index, other)
            total = index if total is None else p.add(total, index, False)
            step *= shape[axis]
        return p.broadcast_impl_shape(total, list(shape))


def _combined_by(region: Any) -> str:
    """Return the name of the function that a reduction or scan combines with.

    The front end hands the semantics a closure that builds the region, in which the function is.
    """
    for cell in region.__closure__ or ():
        name = getattr(getattr(cell.cell_contents, "fn", None), "__name__", "")
        if name:
            return str(name)
    return ""
