"""Instructions: address arithmetic, divisions, barriers and what else a program issues in vain."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from playground.engine.advisor import rewrites
from playground.engine.advisor.costs import clock_ghz, executed, tensor_instructions, waves
from playground.engine.advisor.weighing import (
    about,
    by_parts,
    figure,
    gain_of,
    in_words,
    standing_of,
    with_try,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playground.engine.advisor.facts import Facts
    from playground.engine.advisor.trials import Predicted, Trials
    from playground.model.advice import Advice, ExpectedGain

_FEWER = 1.15
_INT32 = 1 << 31
_BARRIER_CYCLES = 30
"""Assumed cycles until the last warp at a barrier lets the others go on."""


def answers(facts: Facts) -> str:
    """Return the figures of the checklist's point, in words."""
    if facts.code is None:
        return "no machine code is at hand"
    counts = dict(facts.code.total)
    total = sum(counts.values())
    if not total:
        return "no instructions"
    integer, narrow = counts.get("integer", 0), counts.get("narrow memory", 0)
    text = f"{total:,} instructions, {integer / total:.0%} of them integer arithmetic"
    text += f"; {counts.get('wide memory', 0)} accesses of 16 bytes a thread, {narrow} narrower"
    return f"{text}; {counts.get('barrier', 0)} barriers"


def advice(facts: Facts, trials: Trials) -> Iterator[Advice | None]:
    """Yield what there is to say about what a program's warps execute."""
    if facts.text is None:
        return
    yield _wide_integers(facts, trials)
    yield _divisions(facts, trials)
    yield _doubles(facts, trials)
    yield _barriers(facts, trials)
    yield _prints(facts, trials)


def fewer(facts: Facts, then: Predicted, what: str) -> ExpectedGain:
    """Return the gain of executing fewer instructions: what a warp executes now over then.

    It bounds the gain from above: only a launch that is bound by issuing gains all of it.
    """
    now, after = executed(facts), executed(then.facts)
    return gain_of(
        now / after if after else 1.0,
        f"instructions of one warp {what}: {now:,.0f} now over {after:,.0f}",
    )


# ------------------------------------------------------------------- integers


def _wide_integers(facts: Facts, trials: Trials) -> Advice | None:
    found = rewrites.narrower(facts, "int64", "")
    if found is None or facts.text is None:
        return None
    largest = max(
        (item.tensor.storage_nbytes // item.tensor.element_size for item in facts.launch.tensors()
         if item.tensor is not None), default=0,
    )  # fmt: skip
    if largest >= _INT32 or any(
        item.tensor is not None and item.tensor.dtype == "int64" for item in facts.launch.tensors()
    ):
        return None
    attempt, line = found
    predicted = trials.best([attempt], least=0.0)
    if predicted is None or executed(facts) < _FEWER * executed(predicted.facts):
        return None
    item = about(
        "instructions", "int64",
        "offsets are computed in 64 bits, which takes several instructions for each",
        "32 bits are enough below 2^31 elements: leave the cast out, or cast the program's start "
        "only (a scalar), not the whole block",
        facts, line,
        in_words(facts.text.shown(line)),
        figure("elements of the largest tensor", largest, "elements", "launch"),
        figure("instructions of one warp", executed(facts), "instructions", "compiled"),
        figure("the same in 32 bits", executed(predicted.facts), "instructions", "compiled"),
    )  # fmt: skip
    return with_try(trials, item, predicted, fewer(facts, predicted, "in 64 bits"))


def _divisions(facts: Facts, trials: Trials) -> Advice | None:
    found = rewrites.run_time_divisors(facts)
    if found is None or facts.text is None:
        return None
    names, line = found
    attempt = rewrites.as_constexpr(facts, names)
    if attempt is None:
        return None
    predicted = trials.best([attempt], least=0.0)
    if predicted is None or executed(facts) < _FEWER * executed(predicted.facts):
        return None
    listed = ", ".join(sorted(names))
    item = about(
        "instructions", "divisor",
        f"blocks are divided by {listed}, which the compiler does not know: each division takes "
        "some twenty instructions",
        f"make {listed} tl.constexpr: a division by a constant is a multiplication and a shift "
        "(the kernel is compiled anew for each value)",
        facts, line,
        in_words(facts.text.shown(line)),
        figure("instructions of one warp", executed(facts), "instructions", "compiled"),
        figure("the same with a constant", executed(predicted.facts), "instructions", "compiled"),
    )  # fmt: skip
    return with_try(trials, item, predicted, fewer(facts, predicted, "with divisions"))


# ------------------------------------------------------------------- float64


def _doubles(facts: Facts, trials: Trials) -> Advice | None:
    found = rewrites.narrower(facts, "float64", "float32")
    if found is None or facts.text is None or any(
        item.tensor is not None and item.tensor.dtype == "float64"
        for item in facts.launch.tensors()
    ):  # fmt: skip
        return None
    attempt, line = found
    predicted = trials.best([attempt], least=0.0)
    if predicted is None:
        return None
    fast, slow = (facts.gpu.peak(kind) if facts.gpu else None for kind in ("fp32", "fp64"))
    item = about(
        "instructions", "float64",
        "arithmetic is done in float64 although no tensor holds any",
        "compute in float32: it is what loads and stores carry here",
        facts, line,
        in_words(facts.text.shown(line)),
        figure("instructions of one warp", executed(facts), "instructions", "compiled"),
        figure("the same in float32", executed(predicted.facts), "instructions", "compiled"),
    )  # fmt: skip
    ratio = fast / slow if fast and slow else 2.0
    gain = gain_of(
        ratio, f"float32's rate over float64's: {ratio:.3g}" + ("" if slow else " (assumed)")
    )
    return with_try(trials, item, predicted, gain)


# ------------------------------------------------------------------- barriers and prints


def _barriers(facts: Facts, trials: Trials) -> Advice | None:
    if facts.text is None:
        return None
    for call in facts.text.calls("debug_barrier"):
        attempt = rewrites.removed_statement(facts, call)
        if attempt is None:
            continue
        trips = facts.times(call.lineno)
        item = about(
            "instructions", "barrier",
            "tl.debug_barrier() makes all warps of a program wait for one another, and keeps the "
            "compiler from moving loads across it",
            "take it out: Triton puts a barrier wherever one is needed",
            facts, call.lineno,
            in_words(facts.text.shown(call.lineno)),
            figure("times that one program comes by", trips, "times"),
        )  # fmt: skip
        gain = _without_barrier(facts, trials, call.lineno, trips)
        return with_try(trials, item, trials.best([attempt], least=0.0), gain)
    return None


def _without_barrier(facts: Facts, trials: Trials, line: int, trips: float) -> ExpectedGain:
    """Return the gain of taking a barrier out.

    In a loop of the machine code no step's load begins before the barrier of the step before, which
    stands behind that step's sum. Where the loop is unrolled (a barrier in the code for each step)
    loads go out one after the other all the same, and only the meeting itself is lost.
    """
    now = trials.now
    code = facts.by_line.get(line)
    written = dict(code.counts).get("barrier", 0) if code is not None else 1
    if trips > max(written, 1):
        return by_parts(now, replace(now, latency_ms=0.0), "steps that need not wait")
    met = waves(facts) * trips * _BARRIER_CYCLES / (clock_ghz(facts) * 1e6)
    time = standing_of(facts, now).time_ms or now.time_ms
    return gain_of(
        time / max(time - met, 0.5 * time) if time else 1.0,
        f"{_BARRIER_CYCLES} cycles a barrier (assumed), {trips:.3g} times in each of "
        f"{waves(facts):.3g} turns of programs",
    )


def _prints(facts: Facts, trials: Trials) -> Advice | None:
    if facts.text is None:
        return None
    for call in facts.text.calls("device_print"):
        attempt = rewrites.removed_statement(facts, call)
        if attempt is None:
            continue
        predicted = trials.best([attempt], least=0.0)
        if predicted is None:
            return None
        item = about(
            "instructions", "print",
            "tl.device_print is left in the kernel: it takes registers and a call even where "
            "nothing is printed",
            "take it out when you are done with it, or put it under `if DEBUG:` with DEBUG a "
            "tl.constexpr",
            facts, call.lineno,
            in_words(facts.text.shown(call.lineno)),
            figure("instructions of one warp", executed(facts), "instructions", "compiled"),
            figure("the same without", executed(predicted.facts), "instructions", "compiled"),
        )  # fmt: skip
        if trials.now.in_turns and not predicted.costs.in_turns:
            found = figure(
                "products that wait for each other, because a function is called between them",
                tensor_instructions(facts),
                "products",
                "compiled",
            )
            item = replace(item, evidence=(*item.evidence, found))
        return with_try(trials, item, predicted, fewer(facts, predicted, "with it"))
    return None
