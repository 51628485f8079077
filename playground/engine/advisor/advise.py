"""The advisor's verbs: advice on a launch, and a try measured against what is there."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from playground.engine.advisor import (
    instructions,
    intensity,
    memory,
    mistakes,
    parallelism,
    resources,
)
from playground.engine.advisor.costs import costs
from playground.engine.advisor.facts import gather
from playground.engine.advisor.trials import NotRunError, Trials, session_with
from playground.engine.advisor.weighing import standing_of
from playground.engine.comparing import NotTimedError, compare
from playground.engine.contestants import of_config
from playground.model.advice import TOPICS, Advisory, Answer, TryResult, edited

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playground.engine.advisor.facts import Facts
    from playground.engine.job import Job
    from playground.engine.session import Session
    from playground.model.advice import Advice, Topic, Try
    from playground.model.config import Config
    from playground.model.measurement import CacheMode


class _Point(Protocol):
    """One point of the checklist: a module with its figures and its advice."""

    def answers(self, facts: Facts) -> str: ...

    def advice(self, facts: Facts, trials: Trials) -> Iterator[Advice | None]: ...


_POINTS: dict[Topic, _Point] = {
    "slips": mistakes,
    "memory access": memory,
    "arithmetic intensity": intensity,
    "parallelism": parallelism,
    "resources": resources,
    "instructions": instructions,
}


def advise(session: Session, launch: int, config: Config, target: str | None, job: Job) -> Advisory:
    """Return what there is to say about a launch, in the checklist's order."""
    facts = gather(session, launch, config, target, job)
    trials = Trials(session, facts, job)
    items: list[Advice] = []
    answers: list[Answer] = []
    for number, topic in enumerate(TOPICS):
        job.progress(f"looking at {topic}", 0.6 + 0.4 * number / len(TOPICS))
        job.check()
        point = _POINTS[topic]
        answers.append(Answer(topic, point.answers(facts)))
        items += [item for item in point.advice(facts, trials) if item is not None]
    stands = standing_of(facts, costs(facts))
    return Advisory(
        launch=facts.launch.index, config=facts.config, kernel=facts.launch.kernel,
        target=facts.target, items=tuple(items), answers=tuple(answers), time_ms=stands.time_ms,
        floor_ms=stands.floor_ms, measured=stands.measured, missing=facts.missing,
    )  # fmt: skip


def tried(
    session: Session, launch: int, config: Config, attempt: Try, cache: CacheMode,
    budget_ms: float, job: Job,
) -> TryResult:  # fmt: skip
    """Return what came of a try: checked, then timed in turns with what is there.

    Without a GPU it is checked only, and the note says so.
    """
    try:
        if not attempt.edits:
            return _of_values(session, launch, config, attempt, cache, budget_ms, job)
        text = edited(session.text, attempt.edits)
        with session_with(session, text, launch, job) as other:
            return _of_text(session, other, launch, config, attempt, cache, budget_ms, job)
    except (NotTimedError, NotRunError, ValueError) as error:
        return TryResult(attempt, None, "failed", str(error))


def _of_values(
    session: Session, launch: int, config: Config, attempt: Try, cache: CacheMode,
    budget_ms: float, job: Job,
) -> TryResult:  # fmt: skip
    wanted = attempt.config(config)
    checked = session.judge(launch, wanted, job)
    if checked.result.status == "wrong":
        return TryResult(attempt, None, "wrong", checked.result.text())
    if session.device.mode != "gpu":
        return TryResult(attempt, None, "not measured", _unmeasured(checked.result.text()))
    found = session.compare(launch, wanted, config, cache, budget_ms, job=job)
    return TryResult(attempt, found, "measured")


def _of_text(
    session: Session, other: Session, launch: int, config: Config, attempt: Try,
    cache: CacheMode, budget_ms: float, job: Job,
) -> TryResult:  # fmt: skip
    from playground.engine.advisor.same_results import differs

    known = other.launches[launch].info.config
    wanted = known.updated({name: value for name, value in config.values if name in known})
    wanted = wanted.updated(dict(attempt.values))
    checked = other.judge(launch, wanted, job)
    unlike = differs(session, other)
    if checked.result.status == "wrong" or unlike:
        return TryResult(attempt, None, "wrong", unlike or checked.result.text())
    if session.device.mode != "gpu":
        return TryResult(attempt, None, "not measured", _unmeasured(checked.result.text()))
    with contextlib.ExitStack() as stack:
        after = of_config(other, launch, wanted, cache, job)
        stack.callback(after.close)
        before = of_config(session, launch, config, cache, job)
        stack.callback(before.close)
        floor = session.noise_floor(launch, config, cache, job)
        with session.guarded(job):
            found = compare(
                replace(after, label=attempt.label), before, cache=cache, budget_ms=budget_ms,
                job=job, floor=floor,
            )  # fmt: skip
    return TryResult(attempt, found, "measured")


def _unmeasured(checked: str) -> str:
    return f"not measured: there is no GPU here; {checked}"
