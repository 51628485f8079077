"""From a cause to a piece of advice: what it may gain at most, and whether that is worth saying."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from playground.engine.advisor.costs import Costs, costs
from playground.engine.advisor.trials import WORTH
from playground.model.advice import Advice, Evidence, ExpectedGain, capped
from playground.model.roofline import duration

if TYPE_CHECKING:
    from collections.abc import Iterable

    from playground.engine.advisor.facts import Facts
    from playground.engine.advisor.trials import Predicted, Trials
    from playground.model.advice import Source, Topic, Try


@dataclass(frozen=True)
class Standing:
    """The time that gains are taken of, and the least that the ceilings allow, in ms."""

    time_ms: float | None
    floor_ms: float | None
    measured: bool


def standing_of(facts: Facts, expected: Costs) -> Standing:
    """Return where a launch stands: as measured, else as the model expects."""
    floor = facts.standing.floor_ms if facts.standing is not None else None
    timed = facts.measurement
    if timed is not None and timed.source != "interpreter":
        return Standing(timed.median_ms, floor, True)
    return Standing(expected.time_ms or None, floor, False)


def figure(text: str, value: float, unit: str = "", source: Source = "counted") -> Evidence:
    """Return a number as evidence."""
    return Evidence(text, float(value), unit, source)


def in_words(text: str, source: Source = "source") -> Evidence:
    """Return evidence that is no number."""
    return Evidence(text, None, "", source)


def gain_of(factor: float, formula: str) -> ExpectedGain:
    """Return an expected gain before it is held against the roof."""
    return ExpectedGain(factor, formula)


def by_parts(now: Costs, then: Costs, what: str) -> ExpectedGain:
    """Return the gain where one part of the launch's costs changes."""
    factor = now.time_ms / then.time_ms if then.time_ms else 1.0
    return ExpectedGain(
        factor,
        f"{what}: {duration(now.time_ms)} ({now.bound}) over {duration(then.time_ms)} "
        f"({then.bound}), both from figures",
    )


def within(facts: Facts, gain: ExpectedGain, predicted: Predicted | None) -> ExpectedGain:
    """Return a gain that leaves the try at least what its bytes and instructions take.

    Where only figures tell the time now, and they know of nothing that the cause costs, the gain
    stays as its own formula has it.
    """
    stands = standing_of(facts, costs(facts))
    least = predicted.costs.least_ms if predicted is not None else 0.0
    if predicted is None or not stands.time_ms or not least:
        return gain
    most = stands.time_ms / least
    if gain.factor <= most or (most < WORTH and not stands.measured):
        return gain
    return replace(
        gain, factor=max(most, 1.0),
        formula=f"{gain.formula}; with the try {predicted.costs.least_bound} alone take "
        f"{duration(least)}, so no more than {most:.3g} ×",
    )  # fmt: skip


def weighed(
    facts: Facts, advice: Advice, gain: ExpectedGain | None, tries: Iterable[Try] = (), *,
    least: float = WORTH, same_roof: bool = True,
) -> Advice | None:  # fmt: skip
    """Return advice with its gain held against the roof; None where it is not worth saying.

    With `same_roof` False the advice leads under another roof than today's, by another kind of
    product. A time that was measured can fall no lower than the roof; one that only figures tell is
    not held against it, for both would come from the same figures.
    """
    stands = standing_of(facts, costs(facts))
    if gain is None:
        return replace(advice, tries=tuple(tries))
    if stands.measured and same_roof:
        gain = replace(capped(gain, stands.time_ms, stands.floor_ms), measured=True)
    elif stands.time_ms:
        saved = stands.time_ms * (1 - 1 / gain.factor)
        gain = replace(gain, saved_ms=saved, measured=stands.measured)
    if gain.factor < least:
        return None
    held = tuple(
        replace(item, gain=capped(item.gain, stands.time_ms, stands.floor_ms))
        if item.gain is not None and stands.measured and same_roof else item
        for item in tries
    )  # fmt: skip
    return replace(advice, gain=gain, tries=held)


def with_try(
    trials: Trials, advice: Advice, predicted: Predicted | None, gain: ExpectedGain | None,
    *, least: float = WORTH, same_roof: bool = True,
) -> Advice | None:  # fmt: skip
    """Return advice with what can be tried; the try's gain is the advice's where there is one."""
    if predicted is None:
        return weighed(trials.facts, advice, gain, least=least, same_roof=same_roof)
    offered = trials.offered(predicted)
    chosen = offered.gain
    if gain is not None and (chosen is None or gain.factor > chosen.factor):
        # What the advice alone promises is told by its own formula; so is the try that does it.
        chosen = gain
        offered = replace(offered, gain=gain)
    return weighed(trials.facts, advice, chosen, (offered,), least=least, same_roof=same_roof)


def about(
    topic: Topic, cause: str, message: str, remedy: str, facts: Facts, line: int | None,
    *evidence: Evidence, file: str | None = None, notes: tuple[str, ...] = (),
) -> Advice:  # fmt: skip
    """Return a piece of advice without gain or tries yet; it stands in the launch's file."""
    return Advice(
        topic, cause, message, remedy, tuple(evidence), file=file or facts.launch.file,
        line=line or facts.launch.line, notes=notes,
    )  # fmt: skip
