"""Which colours the tile maps have, by the user's wish and by what is known."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from playground.model.program_grid import program_count
from playground.ui.views.coverage_legend import LegendFacts
from playground.ui.views.plane_colours import SCHEDULED, ColourBy, Colouring

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playground.model.coverage import Coverage, TensorCoverage
    from playground.ui.document_programs import DocumentPrograms


class CoverageColours:
    """The user's wish, and what comes of it for each tensor."""

    def __init__(self, programs: DocumentPrograms) -> None:
        self._programs = programs
        self.wish: ColourBy = "owner"

    def of(self, tensor: TensorCoverage) -> ColourBy:
        """Return what colours a tensor: the wish, or loads where nothing is stored."""
        if self.wish != "loads" and not tensor.stores.total:
            return "loads"
        if self.wish in SCHEDULED and self._programs.schedule.turns is None:
            return "owner"
        return self.wish

    def colouring(self, by: ColourBy) -> Colouring:
        """Return the colours of programs, or of counts."""
        schedule = self._programs.schedule
        if by == "sm" and schedule.reply is not None:
            return Colouring(by, schedule.reply.multiprocessor)
        if by == "wave" and schedule.turns is not None:
            return Colouring(by, schedule.turns.wave + 1)
        return Colouring(by, self._programs.ranks() if by == "order" else None)

    def of_programs(self) -> Colouring:
        """Return the colours of the grid of programs: of counts it has none of its own."""
        if self.wish in SCHEDULED and self._programs.schedule.turns is not None:
            return self.colouring(self.wish)
        return self.colouring("order" if self.wish in ("order", "first") else "owner")

    def legend(
        self, tensor: TensorCoverage, coverage: Coverage, drawn: Sequence[TensorCoverage] = ()
    ) -> LegendFacts:
        """Return what the legend says of a tensor's map, and of others `drawn` beside it."""
        facts = self._facts(tensor, coverage)
        others = [each for each in drawn if self.of(each) != facts.by]
        if not others:
            return facts
        # The most of all of them: one scale of counts stands for every input.
        beside = max((self._facts(each, coverage) for each in others), key=lambda f: f.maximum)
        return replace(facts, beside=beside)

    def _facts(self, tensor: TensorCoverage, coverage: Coverage) -> LegendFacts:
        by, schedule = self.of(tensor), self._programs.schedule
        most = tensor.loads.maximum if by == "loads" else tensor.stores.maximum
        if by == "sm" and schedule.reply is not None:
            most = schedule.reply.figures.multiprocessors
        elif by == "wave" and schedule.turns is not None:
            most = int(schedule.turns.wave.max(initial=0)) + 1
        return LegendFacts(
            by, program_count(coverage.grid), most, tensor.unwritten, tensor.multi_written,
            tensor.disputed or 0, by_start=by == "order" and self._programs.ranks() is not None,
        )  # fmt: skip
