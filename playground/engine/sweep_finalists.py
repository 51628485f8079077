"""The end of a sweep: its fastest few timed again in turns on one device, and looked at."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from playground.engine import sweep_rows
from playground.engine.bench_messages import Confirm, Confirmed, Prove, Proved
from playground.engine.bench_process import BenchError, DiedError, LostError, OverdueError
from playground.engine.job import CancelledError
from playground.engine.machine import model_of
from playground.model.ranking import Ranking, ranked

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from playground.engine.bench_process import Bench
    from playground.engine.foresight import Foresight
    from playground.engine.job import Job
    from playground.engine.sweep_tally import Tally
    from playground.model.config import Config
    from playground.model.sweep_plan import SweepPlan

FINALISTS = 8
"""Configs that are timed again at the end, in turns, so that drift hits all of them alike."""
CONFIRM_S = 5.0
_PROVE_MEANWHILE_S = 2.0
"""Seconds that a second GPU may check finalists on other inputs while the first times them."""
_FAILURES = (DiedError, OverdueError, LostError, BenchError)


@dataclass
class Finalists:
    """The last part of one sweep; `ranking` and `proved_at` are what comes of it.

    Parameters
    ----------
    limit_s
        Seconds that one config may take.
    foresight
        The other inputs on which the best are checked, and what is compiled for them already.
    """

    tally: Tally
    benches: Sequence[Bench]
    plan: SweepPlan
    limit_s: float
    foresight: Foresight
    job: Job
    ranking: Ranking = field(default_factory=Ranking)
    proved_at: str = ""
    _rounds: dict[Config, tuple[float, ...]] = field(default_factory=dict)
    _looked_at: set[Config] = field(default_factory=set)
    _right: set[Config] = field(default_factory=set)
    _wrong: dict[Config, str] = field(default_factory=dict)
    _unknown: str = ""

    def decide(self) -> None:
        """Time the fastest few again, with the sliders' config and the baseline, and rank them.

        All of them on the first worker that can: times of different GPUs are never ranked against
        each other. Another GPU of the same model checks them on other inputs meanwhile, which is
        the same there; all other workers are ended before, so that the machine is quiet.
        """
        fastest = sweep_rows.finalists(
            self.tally.rows(), FINALISTS, (self.plan.start, self.plan.baseline)
        )
        configs = tuple(row.config for row in fastest)
        if not configs:
            return
        timer, prover = self._roles()
        if self.plan.prove:
            self._foresee(prover or timer, configs)
        meanwhile = None
        if prover is not None and self.plan.prove and len(configs) >= 2:
            meanwhile = threading.Thread(
                target=self._prove_meanwhile, args=(prover, configs), daemon=True, name="proving"
            )
            meanwhile.start()
        try:
            if len(configs) >= 2:
                configs = self._in_turns(configs, timer, prover, meanwhile)
        finally:
            if meanwhile is not None:
                meanwhile.join()
        if configs and self.plan.prove:
            self._on_other_inputs(configs, [bench for bench in (timer, prover) if bench])

    # ------------------------------------------------------------------ inside

    def _roles(self) -> tuple[Bench | None, Bench | None]:
        """Return the worker that times, and one on another GPU like its own that may check."""
        usable = [bench for bench in self.benches if bench.device]
        timer = usable[0] if usable else None
        prover = next(
            (bench for bench in usable[1:] if timer is not None and bench.gpu != timer.gpu
             and model_of(bench.device) == model_of(timer.device)), None,
        )  # fmt: skip
        for bench in self.benches:
            if bench is not timer and bench is not prover:
                bench.close()
        return timer, prover

    def _foresee(self, bench: Bench | None, configs: tuple[Config, ...]) -> None:
        if bench is None:
            return
        began = time.monotonic()
        self.foresight.start()
        try:
            self.foresight.look(bench, configs, self.job.check)
        except BenchError:
            return  # what it is asked next says so
        finally:
            self.tally.phase(foresee_s=time.monotonic() - began)

    def _in_turns(
        self, configs: tuple[Config, ...], timer: Bench | None, prover: Bench | None,
        meanwhile: threading.Thread | None,
    ) -> tuple[Config, ...]:  # fmt: skip
        """Return the finalists that are right, the best first."""
        tally = self.tally
        self.job.progress("confirming the fastest", None)
        began = time.monotonic()
        order = Confirm(configs, self.plan.cache, seconds=CONFIRM_S)

        def others() -> Iterator[Bench]:
            if timer is not None:
                yield timer
            if meanwhile is not None:
                meanwhile.join()  # it asks that one something until then
            yield from [bench for bench in self.benches if bench is prover]

        try:
            bench, answer = self._asked(order, CONFIRM_S + self.limit_s, others())
        finally:
            tally.phase(confirm_s=time.monotonic() - began)
        if bench is None or not isinstance(answer, Confirmed):
            return configs
        self._condemn(dict(answer.wrong))
        wrong = {config for config, _ in answer.wrong}
        rounds = {
            config: times
            for config, times in zip(answer.configs, answer.times_ms, strict=True)
            if config not in wrong and times
        }
        for note in answer.notes:
            tally.note(note)
        for config, times in rounds.items():
            row = sweep_rows.confirmed_row(tally[config], times, answer.source, bench.device)
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

    def _prove_meanwhile(self, bench: Bench, configs: tuple[Config, ...]) -> None:
        """Check the finalists on another GPU than the one that times them, those compiled first."""
        try:
            self.foresight.wait_for(configs[0], self.job.check)
            ready = tuple(config for config in configs if self.foresight.is_ready(config))
            order = Prove(ready, self.foresight.seed, self.foresight.sizes, _PROVE_MEANWHILE_S)
            self._take(bench, bench.ask(order, len(ready) * self.limit_s, self.job.check))
        except (*_FAILURES, CancelledError):
            return  # the best are checked once more where they were timed

    def _on_other_inputs(self, configs: tuple[Config, ...], benches: list[Bench]) -> None:
        """Check the best with another seed and at ragged sizes; what is wrong there cannot win."""
        self.job.progress("checking the fastest on other inputs", None)
        began = time.monotonic()
        try:
            while not self._unknown:
                # The best that may still win has to be right; of the others as many as time allows.
                left = [config for config in configs if config not in self._wrong]
                if not left or left[0] in self._right:
                    break
                todo = [config for config in left if config not in self._looked_at]
                if not todo:
                    break
                self.foresight.wait_for(todo[0], self.job.check)
                ready = tuple(config for config in todo if self.foresight.is_ready(config))
                order = Prove(ready, self.foresight.seed, self.foresight.sizes)
                bench, answer = self._asked(order, len(ready) * self.limit_s, iter(benches))
                self._looked_at.add(todo[0])
                if bench is None:
                    break
                self._take(bench, answer)
        finally:
            self.tally.phase(prove_s=time.monotonic() - began)
        self.tally.note(self._unknown or self.foresight.note)
        for config in self._right:
            self.tally.keep(replace(self.tally[config], proved=True))
        self._condemn(self._wrong)
        if self._rounds.keys() & self._wrong.keys():
            self._rounds = {c: times for c, times in self._rounds.items() if c not in self._wrong}
            self._rank()

    def _take(self, bench: Bench, answer: Any) -> None:
        """Note what a worker found on other inputs."""
        if not isinstance(answer, Proved):
            return
        if answer.fatal:
            bench.close()
        if answer.note:
            self._unknown = f"the fastest were checked on no other inputs: {answer.note}"
            return
        self.proved_at = answer.at
        self._right.update(answer.right)
        self._wrong.update(answer.wrong)
        self._looked_at |= {*answer.right, *(config for config, _ in answer.wrong)}

    def _condemn(self, wrong: dict[Config, str]) -> None:
        for config, why in wrong.items():
            self.tally.keep(replace(self.tally[config], status="wrong", reason=why, place=None))

    def _asked(
        self, order: Confirm | Prove, limit_s: float, benches: Iterator[Bench]
    ) -> tuple[Bench | None, Any]:
        """Return the first worker that gives an answer, and that; two may try."""
        why = "no worker is left"
        for bench in benches:
            try:
                answer = bench.ask(order, limit_s, self.job.check)
            except _FAILURES as error:
                why = str(error)
                continue
            if isinstance(answer, (Confirmed, Proved)):
                return bench, answer
            why = f"it answered with {type(answer).__name__}"
        what = "timed" if isinstance(order, Confirm) else "checked"
        self.tally.note(f"the finalists could not be {what} again: {why}")
        return None, None
