"""The verbs of a session about sweeps that were kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from playground.engine.session import Session
    from playground.model.importance import Importance
    from playground.model.past_sweep import PastSweep
    from playground.model.sweep import SweepResult
    from playground.model.sweep_compare import SweepComparison


class PastSweepVerbs:
    """Past sweeps, one opened again, two compared; a part of `Session`, in a file of its own."""

    def past_sweeps(self, *, every: bool = False) -> tuple[PastSweep, ...]:
        """Return the sweeps kept of this file, the newest first; with `every` those of all files.

        Raises
        ------
        sweep_store.StoreError
            The store cannot be used.
        """
        from playground.engine.past_sweeps import past
        from playground.engine.sweep_store import opened

        path = cast("Session", self).path
        with opened() as store:
            found = tuple(past(sweep) for sweep in store.sweeps())
        return tuple(sweep for sweep in found if every or sweep.file == path)

    def past_sweep(self, number: int) -> SweepResult:
        """Return a past sweep with all its rows; raises `LookupError` when there is none of it."""
        from playground.engine.sweep_store import opened

        with opened() as store:
            return store.open(number)

    def compare_sweeps(self, before: int, after: int) -> SweepComparison:
        """Return how two past sweeps differ, config by config; raises `LookupError`."""
        from playground.model.sweep_compare import compare_sweeps

        return compare_sweeps(self.past_sweep(before), self.past_sweep(after))

    def knob_importance(self, number: int) -> Importance:
        """Return how much each knob mattered in a past sweep; raises `LookupError`."""
        from playground.model.importance import importance
        from playground.model.sweep_views import comparable

        return importance(comparable(self.past_sweep(number).rows))
