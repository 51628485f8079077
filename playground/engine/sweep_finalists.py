"""The end of a sweep: its fastest few timed again in turns on one device, and looked at."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from playground.engine import sweep_rows
from playground.engine.bench_messages import Confirm, Confirmed, Prove, Proved
from playground.engine.bench_process import BenchError, DiedError, LostError, OverdueError
from playground.model.ranking import Ranking, ranked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playground.engine.bench_process import Bench
    from playground.engine.job import Job
    from playground.engine.sweep_tally import Tally
    from playground.model.config import Config
    from playground.model.sweep_plan import SweepPlan

FINALISTS = 8
"""Configs that are timed again at the end, in turns, so that drift hits all of them alike."""
CONFIRM_S = 5.0
_FAILURES = (DiedError, OverdueError, LostError, BenchError)


@dataclass
class Finalists:
    """The last part of one sweep; `ranking` and `proved_at` are what comes of it.

    Parameters
    ----------
    limit_s
        Seconds that one config may take.
    seed, sizes
        Those of the other inputs on which the best are checked.
    """

    tally: Tally
    benches: Sequence[Bench]
    plan: SweepPlan
    limit_s: float
    seed: int
    sizes: tuple[tuple[str, int], ...]
    job: Job
    ranking: Ranking = field(default_factory=Ranking)
    proved_at: str = ""
    _rounds: dict[Config, tuple[float, ...]] = field(default_factory=dict)

    def decide(self) -> None:
        """Time the fastest few again, with the sliders' config and the baseline, and rank them.

        All of them on the first worker that can: times of different GPUs are never ranked against
        each other. The other workers are ended before, so that the machine is quiet.
        """
        fastest = sweep_rows.finalists(
            self.tally.rows(), FINALISTS, (self.plan.start, self.plan.baseline)
        )
        configs = tuple(row.config for row in fastest)
        if len(configs) >= 2:
            configs = self._in_turns(configs)
        if configs and self.plan.prove:
            self._on_other_inputs(configs)

    # ------------------------------------------------------------------ inside

    def _in_turns(self, configs: tuple[Config, ...]) -> tuple[Config, ...]:
        """Return the finalists that are right, the best first."""
        tally = self.tally
        self.job.progress("confirming the fastest", None)
        began = time.monotonic()
        order = Confirm(configs, self.plan.cache, seconds=CONFIRM_S)
        try:
            device, answer = self._asked(order, CONFIRM_S + self.limit_s)
        finally:
            tally.phase(confirm_s=time.monotonic() - began)
        if not isinstance(answer, Confirmed):
            return configs
        self._condemn(answer.wrong)
        wrong = {config for config, _ in answer.wrong}
        rounds = {
            config: times
            for config, times in zip(answer.configs, answer.times_ms, strict=True)
            if config not in wrong and times
        }
        for note in answer.notes:
            tally.note(note)
        for config, times in rounds.items():
            row = sweep_rows.confirmed_row(tally[config], times, answer.source, device)
            tally.keep(row, times)
        self._rounds = rounds
        self._rank()
        return tuple(config for group in self.ranking.groups for config in group)

    def _rank(self) -> None:
        rounds = self._rounds
        if not rounds:
            return
        self.ranking = ranked(
            rounds, {config: self.tally[config].shared_bytes for config in rounds}
        )
        for config in rounds:
            place = self.ranking.place(config)
            if self.tally[config].place != place:
                self.tally.keep(replace(self.tally[config], place=place))

    def _on_other_inputs(self, configs: tuple[Config, ...]) -> None:
        """Check the best with another seed and at ragged sizes; what is wrong there cannot win."""
        self.job.progress("checking the fastest on other inputs", None)
        began = time.monotonic()
        order = Prove(configs, self.seed, self.sizes)
        try:
            _, answer = self._asked(order, len(configs) * self.limit_s)
        finally:
            self.tally.phase(prove_s=time.monotonic() - began)
        if not isinstance(answer, Proved):
            return
        if answer.note:
            self.tally.note(f"the fastest were checked on no other inputs: {answer.note}")
            return
        self.proved_at = answer.at
        for config in answer.right:
            self.tally.keep(replace(self.tally[config], proved=True))
        self._condemn(answer.wrong)
        if answer.wrong:
            for config, _ in answer.wrong:
                self._rounds.pop(config, None)
            self._rank()

    def _condemn(self, wrong: tuple[tuple[Config, str], ...]) -> None:
        for config, why in wrong:
            self.tally.keep(replace(self.tally[config], status="wrong", reason=why, place=None))

    def _asked(self, order: Confirm | Prove, limit_s: float) -> tuple[str, Any]:
        """Return the device and its answer, of the first worker that gives one; two may try."""
        usable = [bench for bench in self.benches if bench.device][:2]
        why = "no worker is left"
        for bench in usable:
            for other in self.benches:
                if other is not bench:
                    other.close()
            try:
                answer = bench.ask(order, limit_s, self.job.check)
            except _FAILURES as error:
                why = str(error)
                continue
            if isinstance(answer, (Confirmed, Proved)):
                return bench.device, answer
            why = f"it answered with {type(answer).__name__}"
        what = "timed" if isinstance(order, Confirm) else "checked"
        self.tally.note(f"the finalists could not be {what} again: {why}")
        return "", None
