"""Memory access: coalescing, masks, hints, volatile loads; atomics stand in a file beside."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from playground.engine.advisor import atomics, choices, hints, rewrites
from playground.engine.advisor.costs import (
    moved,
    moved_bytes,
    needed,
    slots,
)
from playground.engine.advisor.weighing import about, by_parts, figure, gain_of, in_words, with_try

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playground.engine.advisor.facts import Facts
    from playground.engine.advisor.trials import Predicted, Trials
    from playground.model.access_site import AccessSite
    from playground.model.advice import Advice, ExpectedGain
    from playground.model.knobs import KnobValue

POOR_EFFICIENCY = 0.5
_MUCH_OF_THE_TRAFFIC = 0.2
MASKED_MUCH = 0.4
_SECTORS_OF_A_LINE = 128
_SHOWN = 0.005
_FEW_BYTES = 1 << 16


def answers(facts: Facts) -> str:
    """Return the figures of the checklist's point, in words."""
    if not facts.sites:
        return "nothing is counted"
    moves, least = moved_bytes(facts), sum(map(needed, facts.sites))
    coverage = facts.coverage
    text = f"{least / moves:.0%} of the sectors moved are needed" if moves else "nothing is moved"
    if coverage is not None and coverage.bytes_unique:
        again = coverage.bytes_requested / coverage.bytes_unique
        text += f"; each byte is asked for {again:.3g} ×"
    lanes = sum(site.lanes for site in facts.sites)
    if lanes:
        off = 1 - sum(site.active for site in facts.sites) / lanes
        text += f"; masks switch {off:.0%} of the lanes off" if off >= _SHOWN else ""
    return text


def advice(facts: Facts, trials: Trials) -> Iterator[Advice | None]:
    """Yield what there is to say about how the launch asks for memory."""
    yield _uncoalesced(facts, trials)
    yield _masked_off(facts, trials)
    yield _missing_hint(facts, trials)
    yield _volatile(facts, trials)
    yield from atomics.advice(facts, trials)


# ------------------------------------------------------------------- coalescing


def _uncoalesced(facts: Facts, trials: Trials) -> Advice | None:
    total = moved_bytes(facts)
    poor = [
        site for site in facts.sites
        if site.efficiency is not None and site.efficiency < POOR_EFFICIENCY
        and moved(site) - needed(site) > _MUCH_OF_THE_TRAFFIC * total
    ]  # fmt: skip
    if not poor:
        return None
    worst = max(poor, key=lambda site: moved(site) - needed(site))
    wasted = sum(moved(site) - needed(site) for site in poor)

    def better(then: Facts) -> bool:
        left = sum(moved(site) - needed(site) for site in then.sites)
        return left < wasted / 2

    wide = max(_SECTORS_OF_A_LINE // facts.element_bytes, 1)
    attempts = [
        rewrites.cyclic_to_contiguous(facts),
        *choices.tries(trials, choices.reshaped(facts, wide)),
        *choices.tries(trials, choices.reshaped(facts, 2 * wide)),
    ]
    predicted = trials.best(attempts, better=better)
    then = replace(trials.now, l2_ms=trials.now.l2_ms * (total - wasted) / total)
    what = f"{worst.kind} of {', '.join(worst.tensors) or 'memory'}"
    strided = _strided(facts, worst)
    item = about(
        "memory access", "uncoalesced",
        f"this {what} uses {worst.efficiency:.0%} of the sectors it moves",
        "let neighbouring threads touch neighbouring elements: make the block long along the axis "
        "of stride 1, and let tl.arange run along it" + strided,
        facts, worst.line,
        figure("sectors moved that are needed", worst.efficiency or 0.0, "share"),
        figure("bytes moved that nobody asked for", wasted, "B"),
        figure("bytes moved in all", total, "B"),
        file=worst.file,
    )  # fmt: skip
    gain = by_parts(trials.now, then, "the L2's traffic without the waste")
    return with_try(trials, item, predicted, gain)


def _strided(facts: Facts, site: AccessSite) -> str:
    for argument in facts.launch.tensors():
        tensor = argument.tensor
        if tensor is None or argument.name not in site.tensors or not tensor.strides:
            continue
        if min(stride for stride in tensor.strides if stride or len(tensor.strides) == 1) > 1:
            return (
                f"; {argument.name} itself has strides {tensor.strides}: hand over "
                f"{argument.name}.contiguous() where it is used more than once"
            )
    return ""


# ------------------------------------------------------------------- masks


def _masked_off(facts: Facts, trials: Trials) -> Advice | None:
    lanes = sum(site.lanes for site in facts.sites)
    active = sum(site.active for site in facts.sites)
    if not lanes or not active or 1 - active / lanes < MASKED_MUCH:
        return None
    if sum(site.bytes_requested for site in facts.sites) < _FEW_BYTES:
        return None
    worst = max(facts.sites, key=lambda site: site.lanes - site.active)
    if worst.masked_off_share < MASKED_MUCH:
        return None
    share = active / lanes

    def better(then: Facts) -> bool:
        offered = sum(site.lanes for site in then.sites)
        return bool(offered) and sum(site.active for site in then.sites) / offered > 1.5 * share

    settings = [
        setting
        for halvings in (1, 2, 3, 4)
        for setting in choices.scaled(facts, 0.5**halvings, choices.blocks(facts))
    ]
    wanted = [item for item in settings if next(iter(item.values()), None)]
    likely = sorted(wanted, key=lambda item: _misses(facts, item, share))
    predicted = trials.best(
        choices.tries(trials, iter(likely)), better=better, enough=lambda _: True, least=0.0
    )
    item = about(
        "memory access", "masked-off",
        f"the mask switches {worst.masked_off_share:.0%} of the lanes of this "
        f"{worst.kind} off: they take registers and issue slots all the same",
        "choose the smallest block that holds what is needed: the next power of two above it",
        facts, worst.line,
        figure("lanes in all", lanes, "lanes"),
        figure("lanes that the masks let through", active, "lanes"),
        file=worst.file,
    )  # fmt: skip
    gain = gain_of(1 / share, f"lanes in all over lanes let through: {lanes:,} / {active:,}")
    return with_try(trials, item, predicted, gain)


def _misses(facts: Facts, setting: dict[str, KnobValue], share: float) -> float:
    """Return how far a setting is from shrinking its block by just what the masks switch off."""
    name, value = next(iter(setting.items()))
    now = facts.config[name]
    shrunk = float(str(value)) / float(str(now))
    return abs(shrunk - share) + (1.0 if shrunk < share * 0.99 else 0.0)


# ------------------------------------------------------------------- hints


def _missing_hint(facts: Facts, trials: Trials) -> Advice | None:
    if facts.text is None or facts.code is None:
        return None
    found = hints.hint(facts, trials)
    if found is None:
        return None
    site, attempt, runs, bits = found

    def better(then: Facts) -> bool:
        return narrow_accesses(then) < narrow_accesses(facts)

    predicted = trials.best([attempt], better=better, least=0.0)
    if predicted is None:
        return None
    before, after = narrow_accesses(facts), narrow_accesses(predicted.facts)
    item = about(
        "memory access", "missing-hint",
        f"the compiler cannot prove that this {site.kind} is aligned, and moves {bits} bits a "
        "thread at a time",
        "where it always holds, say so: tl.multiple_of for the alignment in bytes of the first "
        "address, tl.max_contiguous for how many elements follow on",
        facts, site.line,
        figure("bits of one access of a thread", bits, "bit", "compiled"),
        figure("every run of addresses looked at begins at a multiple of", runs, "B"),
        figure("narrow memory instructions", before, "instructions", "compiled"),
        figure("narrow memory instructions with the hint", after, "instructions", "compiled"),
        file=site.file,
        notes=("that the addresses are aligned was seen in this launch; that they always are is "
               "yours to know",),
    )  # fmt: skip
    return with_try(trials, item, predicted, _by_slots(facts, predicted))


def narrow_accesses(facts: Facts) -> int:
    """Return the machine instructions that move less than 16 bytes a thread, of global memory."""
    if facts.code is None:
        return 0
    return dict(facts.code.total).get("narrow memory", 0)


# ------------------------------------------------------------------- volatile loads


def _volatile(facts: Facts, trials: Trials) -> Advice | None:
    if facts.text is None:
        return None
    for call in facts.text.calls("load"):
        attempt = rewrites.without_keyword(facts, call, "volatile", "True")
        site = next((item for item in facts.sites if item.line == call.lineno), None)
        if attempt is None or site is None:
            continue
        predicted = trials.best([attempt], least=0.0)
        if predicted is None:
            return None
        item = about(
            "memory access", "volatile",
            "volatile=True sends every load to memory anew, one element a thread at a time",
            "leave it out, unless another program writes there while this one reads",
            facts, call.lineno,
            in_words(facts.text.shown(call.lineno)),
            figure("narrow memory instructions", narrow_accesses(facts), "instructions",
                   "compiled"),
            figure("narrow memory instructions without", narrow_accesses(predicted.facts),
                   "instructions", "compiled"),
        )  # fmt: skip
        return with_try(trials, item, predicted, _by_slots(facts, predicted))
    return None


def _by_slots(facts: Facts, predicted: Predicted) -> ExpectedGain:
    """Return the gain of fewer and wider accesses: issue slots of one warp now over then."""
    now, then = slots(facts), slots(predicted.facts)
    return gain_of(
        now / then if then else 1.0,
        f"issue slots of one warp with narrow accesses over wide ones: {now:,.0f} / {then:,.0f}",
    )
