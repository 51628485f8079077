"""Single accesses kept where they happen: the part of a tracing copy that records.

An access of a chosen program reserves its place by one atomic on a cursor, whose high bits count
accesses and whose low bits count lanes, then writes two words about itself and every lane's
address. All threads of a program wait for the reserved place, so its accesses come in order.
"""

from __future__ import annotations

import math
from typing import Any

import triton.language as tl

from playground.engine.triton_private.tracing_emit import (
    RECORD,
    RECORD_CURSOR,
    RECORD_EVENT_ROOM,
    RECORD_EVENTS,
    RECORD_LANE_ROOM,
    RECORD_LANES,
    RECORD_PROGRAMS,
    CountingSemantic,
    linear_program,
)

LANE_BITS = 40
"""The cursor's and an event's low bits that count lanes; the rest counts events, or is a shape."""
NOT_ACTIVE = -1
"""What stands for the address of a lane that the mask switched off."""
EVENT_WORDS = 2
"""An event's words: program, site and size; then its first lane's place and the block's shape."""
SITE_SHIFT, SIZE_SHIFT = 32, 48


class RecordingSemantic(CountingSemantic):
    """The counting semantics, able to keep the accesses of chosen programs."""

    def __init__(self, builder: Any, plan: Any, generator: Any) -> None:
        super().__init__(builder, plan, generator)
        self._chosen: Any = None

    def _condition(self, mode: int) -> Any:
        return self._among_the_chosen() if mode == RECORD else super()._condition(mode)

    def _among_the_chosen(self) -> Any:
        """Return whether this program is recorded: its bit in a map in device memory."""
        if self._chosen is None:
            p = self.plain
            with self._at_entry():
                # Outside of a recording run there is no map: its address is 0, and nothing is read.
                base = self._read_word(RECORD_PROGRAMS)
                there = p.not_equal(base, self._constant(0, tl.int64, []))
                program = linear_program(self.plain)
                word = p.lshr(program, self._constant(5, tl.int32, []))
                bit = p.and_(program, self._constant(31, tl.int32, []))
                place = p.add(p.cast(base, tl.pointer_type(tl.int32)), word, False)
                bits = tl.load(place, mask=there, other=0, _semantic=p)
                mine = p.and_(p.lshr(bits, bit), self._constant(1, tl.int32, []))
                self._chosen = p.not_equal(mine, self._constant(0, tl.int32, []))
        return self._chosen

    def _observe(self, site: int, address: Any, mask: Any, size: int, shape: list[int]) -> None:
        super()._observe(site, address, mask, size, shape)
        if self.plan.modes & RECORD:
            with self._when(RECORD):
                self._keep(site, address, mask, size, shape)

    def _keep(self, site: int, address: Any, mask: Any, size: int, shape: list[int]) -> None:
        p = self.plain
        wide = self._wide
        lanes = math.prod(shape)
        cursor = p.cast(self.word(RECORD_CURSOR), tl.pointer_type(tl.int64))
        step = wide((1 << LANE_BITS) + lanes)
        held = p.atomic_add(cursor, step, None, "relaxed", "gpu")
        event = p.lshr(held, wide(LANE_BITS))
        place = p.and_(held, wide((1 << LANE_BITS) - 1))
        fits = p.and_(
            p.less_than(event, self.word(RECORD_EVENT_ROOM)),
            p.less_equal(p.add(place, wide(lanes), False), self.word(RECORD_LANE_ROOM)),
        )
        first = p.or_(
            p.cast(self.program(), tl.int64),
            wide((site << SITE_SHIFT) | (size << SIZE_SHIFT)),
        )
        second = p.or_(place, wide(self.plan.shape(shape) << LANE_BITS))
        events = p.cast(self.word(RECORD_EVENTS), tl.pointer_type(tl.int64))
        events = p.add(events, p.mul(event, wide(EVENT_WORDS), False), False)
        tl.store(events, first, mask=fits, _semantic=p)
        tl.store(p.add(events, wide(1), False), second, mask=fits, _semantic=p)
        if mask is not None:
            address = self._select(mask, address, self._constant(NOT_ACTIVE, tl.int64, shape))
        room = p.cast(self.word(RECORD_LANES), tl.pointer_type(tl.int64))
        room = p.add(room, place, False)
        places = self._spread(room, shape)
        if shape:
            places = p.add(places, self._lane_numbers(shape), False)
        tl.store(places, address, mask=self._spread(fits, shape), _semantic=p)

    def _wide(self, value: int) -> Any:
        return self._constant(value, tl.int64, [])

    def _lane_numbers(self, shape: list[int]) -> Any:
        """Return each lane's number in its block, the last axis running fastest."""
        p = self.plain
        total = None
        step = 1
        for axis in reversed(range(len(shape))):
            index = p.mul(p.arange(0, shape[axis]), self._constant(step, tl.int32, [shape[axis]]),
                          False)  # fmt: skip
            for other in range(len(shape)):
                if other != axis:
                    index = p.expand_dims(index, other)
            total = index if total is None else p.add(total, index, False)
            step *= shape[axis]
        return p.broadcast_impl_shape(total, list(shape))
