"""What was compiled of the text in use, by order, within a bound of memory."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playground.engine.compile_messages import Order
    from playground.engine.compile_outcome import CompileOutcome

_BYTES = 256 << 20


class KeptOutcomes:
    """Outcomes by order; those used longest ago go first."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Order, CompileOutcome] = OrderedDict()
        self._bytes = 0

    def get(self, order: Order) -> CompileOutcome | None:
        """Return the outcome of an order, or None where it is not kept."""
        found = self._kept.get(order)
        if found is not None:
            self._kept.move_to_end(order)
        return found

    def keep(self, order: Order, outcome: CompileOutcome) -> None:
        """Keep an outcome, and drop others where it gets too much."""
        self._kept[order] = outcome
        self._bytes += _size(outcome)
        while self._bytes > _BYTES and len(self._kept) > 1:
            self._bytes -= _size(self._kept.popitem(last=False)[1])

    def clear(self) -> None:
        """Drop them all."""
        self._kept.clear()
        self._bytes = 0


def _size(outcome: CompileOutcome) -> int:
    # The SASS is made when it is first asked for: it counts neither when it comes nor when it goes.
    return sum(len(text) for stage, text in outcome.asm.items() if stage != "sass")
