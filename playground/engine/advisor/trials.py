"""What could be tried, and what the figures promise of it before a clock has run.

A try of knobs is compiled and counted as it stands: its gain is the model's time now over the
model's time then. A change of the text goes through a session of its own, in the same way.
"""

from __future__ import annotations

import contextlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from playground.engine.advisor.costs import Costs, costs
from playground.engine.advisor.facts import Facts, gather
from playground.engine.job import CancelledError
from playground.engine.resources import ToolError
from playground.model.advice import ExpectedGain, Try, edited, try_label
from playground.model.config import validated
from playground.model.knobs import KnobError
from playground.model.roofline import duration

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from playground.engine.compile_outcome import CompileOutcome
    from playground.engine.job import Job
    from playground.engine.session import Session
    from playground.model.advice import LineEdit
    from playground.model.config import Config
    from playground.model.knobs import KnobValue

MOST_LOOKED_AT = 6
"""Candidates looked at for one piece of advice: each takes a compilation and a count."""
_NEAR = 1.15
WORTH = 1.1
"""An expected gain from which on there is anything to say."""


@dataclass(frozen=True)
class Predicted:
    """A try, what is known of the launch with it, and the model's times then."""

    attempt: Try
    facts: Facts
    costs: Costs


class Trials:
    """Looks at what could be tried with one launch; answers are kept for other advice."""

    def __init__(self, session: Session, facts: Facts, job: Job) -> None:
        self.session, self.facts, self.job = session, facts, job
        self.now = costs(facts)
        self.is_at_the_roof = _is_at_the_roof(facts)
        self._known: dict[Try, Predicted | None] = {}
        self._ahead: set[Try] = set()

    def of_values(self, values: dict[str, KnobValue]) -> Try | None:
        """Return the try that sets these knobs, None where one cannot take its value."""
        before = self.facts.config
        changed = {
            name: value
            for name, value in values.items()
            if name in before and before[name] != value
        }
        if not changed:
            return None
        launch = self.facts.launch
        if any(launch.knob(name).derived for name in changed):
            return None
        try:
            validated(before.updated(changed), launch.knobs)
        except KnobError:
            return None
        pairs = tuple(changed.items())
        return Try(try_label(pairs), pairs)

    def of_edits(self, label: str, edits: Sequence[LineEdit]) -> Try | None:
        """Return the try that changes these lines, None where nothing changes."""
        return Try(label, edits=tuple(edits)) if edits else None

    def programs(self, attempt: Try) -> int:
        """Return how many programs the launch has under a try of knobs, before it is compiled.

        As many as now where the launch cannot be made so.
        """
        try:
            x, y, z = self.session.prepare(
                self.facts.launch.index, attempt.config(self.facts.config)
            ).grid
        except CancelledError:
            raise
        except Exception as error:
            if self.session.is_fatal(error):
                raise
            return self.facts.programs  # what cannot be launched is nothing to offer
        return x * y * z

    def predicted(self, attempt: Try) -> Predicted | None:
        """Return what is known of the launch with a try, None where it cannot run."""
        if attempt not in self._known:
            self.job.check()
            self._known[attempt] = self._look(attempt)
        return self._known[attempt]

    def _compile_ahead(self, attempts: Sequence[Try]) -> None:
        """Compile the next few tries of knobs at a time, where none of them is compiled yet.

        As many as the workers that are up: what comes after a try that is good enough is in vain.
        """
        session, index = self.session, self.facts.launch.index
        count = session.compiler.workers
        first = attempts[0]
        if count < 2 or first.edits or first in self._known or first in self._ahead:
            return
        wanted = [item for item in attempts[:count] if not item.edits and item not in self._known]
        self._ahead.update(wanted)
        try:
            configs = [
                session.chosen(index, item.config(self.facts.config), {})[1] for item in wanted
            ]
            made = session.compiler.compile_many(
                session.launches[index], configs, self.facts.target, self.job
            )
        except CancelledError:
            raise
        except Exception as error:
            if self.session.is_fatal(error):
                raise
            return  # each is looked at alone, and what cannot run is nothing to offer
        with ThreadPoolExecutor(count) as pool:
            list(pool.map(_disassembled, made.values()))

    def _look(self, attempt: Try) -> Predicted | None:
        try:
            with self._session_of(attempt) as (session, launch):
                config = self._config(session, launch, attempt)
                outcome = session.compile(launch, config, self.facts.target, self.job)
                if outcome.report is None or not outcome.report.fits:
                    return None
                found = gather(
                    session, launch, config, self.facts.target, self.job,
                    schedule=False, measure=False,
                )  # fmt: skip
        except CancelledError:
            raise
        except Exception as error:
            if self.session.is_fatal(error):
                raise
            return None  # what cannot run is nothing to offer
        if found.report is None or not found.report.fits:
            return None
        if found.coverage is not None and _is_worse(found, self.facts):
            return None
        return Predicted(attempt, found, costs(found))

    def _config(self, session: Session, launch: int, attempt: Try) -> Config:
        """Return the config of a try: this launch's, as far as its knobs are still there."""
        known = session.launches[launch].info.config
        kept = {name: value for name, value in self.facts.config.values if name in known}
        return attempt.config(known.updated(kept))

    @contextlib.contextmanager
    def _session_of(self, attempt: Try) -> Iterator[tuple[Session, int]]:
        if not attempt.edits:
            yield self.session, self.facts.launch.index
            return
        text = edited(self.session.text, attempt.edits)
        with session_with(self.session, text, self.facts.launch.index, self.job) as other:
            yield other, self.facts.launch.index

    # ------------------------------------------------------------------ choosing

    def best(
        self,
        attempts: Iterable[Try | None],
        *,
        better: Callable[[Facts], bool] = lambda _: True,
        enough: Callable[[Predicted], bool] | None = None,
        least: float = WORTH,
        same_roof: bool = True,
    ) -> Predicted | None:
        """Return the most promising of some tries, None where none promises anything.

        Nothing is looked at where the time measured leaves nothing to gain.

        Parameters
        ----------
        better
            Whether what is known of a try has put right what the advice is about.
        enough
            Whether a try is so good that none after it needs a look: near the least that memory
            and arithmetic allow, when left out.
        least
            The expected gain below which a try is not offered.
        same_roof
            Whether the tries stay under the roof of today: another kind of product has another.
        """
        if same_roof and self.is_at_the_roof:
            return None
        good = enough if enough is not None else _is_near_the_roof
        looked_at = [item for item in dict.fromkeys(attempts) if item is not None][:MOST_LOOKED_AT]
        found = []
        for number, attempt in enumerate(looked_at):
            self._compile_ahead(looked_at[number:])
            each = self.predicted(attempt)
            if each is None or not better(each.facts):
                continue
            found.append(each)
            if good(each) and self.factor(each) >= least:
                break
        if not found:
            return None
        chosen = min(found, key=lambda each: each.costs.time_ms)
        return chosen if self.factor(chosen) >= least else None

    def factor(self, predicted: Predicted) -> float:
        """Return the model's time now over its time then."""
        then = predicted.costs.time_ms
        return self.now.time_ms / then if then else 1.0

    def offered(self, predicted: Predicted, why: str = "") -> Try:
        """Return a try with its expected gain, and `why` before its formula."""
        then = predicted.costs
        formula = (
            f"{duration(self.now.time_ms)} ({self.now.bound}) over {duration(then.time_ms)} "
            f"({then.bound}), both from figures"
        )
        gain = ExpectedGain(self.factor(predicted), f"{why}; {formula}" if why else formula)
        return replace(predicted.attempt, gain=gain)


class NotRunError(RuntimeError):
    """A changed text does not run, or no longer makes the launch."""


@contextlib.contextmanager
def session_with(session: Session, text: str, launch: int, job: Job) -> Iterator[Session]:
    """Yield a session in which `text` has run in the place of the file's, with the same driver.

    Raises
    ------
    NotRunError
        It launches no such kernel then.
    """
    from playground.engine.compiling import Compiler
    from playground.engine.session import Session as Sessions

    other = Sessions(session.device)
    if session.trial_compiler is None:
        session.trial_compiler = Compiler(session.device)
    other.lend_compiler(session.trial_compiler)
    try:
        other.load(session.path, text)
        around = session.surroundings
        result = other.run(
            session.driver, session.sizes, job, benchmarks=around.benchmarks, tuning=around.tuning
        )
        name = session.launches[launch].info.kernel
        if launch >= len(result.launches) or result.launches[launch].kernel != name:
            why = result.findings[0].message if result.findings else "it launches nothing"
            raise NotRunError(why)
        yield other
    finally:
        other.lend_compiler(None)
        other.close()


def _disassembled(outcome: CompileOutcome) -> None:
    """Make the machine code's text of a compilation, in any thread."""
    if outcome.report is not None and "sass" in outcome.report.stages:
        with contextlib.suppress(KeyError, ToolError):  # told where it is looked at
            outcome.asm["sass"]


def _is_at_the_roof(facts: Facts) -> bool:
    """Tell whether the time that was measured is so near the roof that no gain is worth a word."""
    standing = facts.standing
    share = standing.share if standing is not None else None
    return share is not None and share * WORTH > 1


def _is_near_the_roof(predicted: Predicted) -> bool:
    then = predicted.costs
    return then.time_ms <= _NEAR * max(then.memory_ms, then.arithmetic_ms)


def _is_worse(then: Facts, now: Facts) -> bool:
    """Tell whether a try leaves elements unwritten or reaches outside where the launch does not."""
    before, after = now.coverage, then.coverage
    if before is None or after is None:
        return False
    unwritten = {item.name: item.unwritten or 0 for item in before.tensors}
    if any((item.unwritten or 0) > unwritten.get(item.name, 0) for item in after.tensors):
        return True
    return len(after.out_of_bounds) > len(before.out_of_bounds)
