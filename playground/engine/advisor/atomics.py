"""Atomics: on one address by many, on none that is shared, or in an order that nobody needs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from playground.engine.advisor import choices, rewrites
from playground.engine.advisor.costs import LATENCY_MS, updates_of_one_address
from playground.engine.advisor.weighing import about, by_parts, figure, gain_of, with_try

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playground.engine.advisor.facts import Facts
    from playground.engine.advisor.trials import Trials
    from playground.model.access_site import AccessSite
    from playground.model.advice import Advice

_ONCE = 1.001
_CONTENDED = 256
_FEW_BYTES = 1 << 12


def advice(facts: Facts, trials: Trials) -> Iterator[Advice | None]:
    """Yield what there is to say about the first place with an atomic that is worth a word."""
    for site in facts.sites:
        if site.kind != "atomic" or site.bytes_requested < _FEW_BYTES:
            continue
        updates = updates_of_one_address(site)
        if updates <= _ONCE and _is_alone(facts, site):
            yield _as_store(facts, trials, site)
            return
        if updates >= _CONTENDED:
            found = _contended(facts, trials, site, updates)
            yield found
            if found is not None:
                return
        yield _order(facts, trials, site)
        return


def _is_alone(facts: Facts, site: AccessSite) -> bool:
    """Tell whether no element that an atomic updates is stored to a second time in the launch.

    What was looked at of the place may be a sample; the counts of its tensors are of all programs.
    """
    coverage = facts.coverage
    if coverage is None or coverage.programs_counted is not None:
        return False
    tensors = [item for item in coverage.tensors if item.name in site.tensors]
    return bool(tensors) and all(item.stores.maximum <= 1 for item in tensors)


def _as_store(facts: Facts, trials: Trials, site: AccessSite) -> Advice | None:
    attempt = rewrites.atomic_to_store(facts, site.line)
    if attempt is None:
        return None
    bytes_now = sum(item.bytes_requested for item in facts.sites) + site.bytes_requested
    item = about(
        "memory access", "atomic-store",
        f"this atomic updates each element of {', '.join(site.tensors)} exactly once: nobody "
        "shares it",
        "store instead: tl.store(pointer, value, mask); an atomic makes the L2 read and write",
        facts, site.line,
        figure("elements updated", site.active, "elements"),
        figure("updates of each", 1, "updates"),
        figure("fences and barriers on the line", _fences(facts, site.line), "instructions",
               "compiled"),
        file=site.file,
        notes=("right only where the tensor holds zeros before the launch",),
    )  # fmt: skip
    factor = bytes_now / (bytes_now - site.bytes_requested)
    gain = gain_of(factor, f"bytes at the L2 with the atomic's read over without: {factor:.3g}")
    predicted = trials.best([attempt], least=0.0, same_roof=False)
    return with_try(trials, item, predicted, gain, same_roof=False)


def _contended(facts: Facts, trials: Trials, site: AccessSite, updates: float) -> Advice | None:
    settings = [
        setting
        for factor in (16, 8, 4)
        for setting in choices.scaled(facts, factor, choices.blocks(facts))
    ]
    predicted = trials.best(choices.tries(trials, iter(settings)))
    item = about(
        "memory access", "atomic-contention",
        f"{updates:,.0f} updates go to each element of {', '.join(site.tensors)}, one after "
        "another in the L2",
        "combine more within a program first (a larger block, tl.sum before the atomic), or give "
        "every program an element of its own and add these up afterwards",
        facts, site.line,
        figure("updates of one element", updates, "updates"),
        file=site.file,
    )  # fmt: skip
    then = replace(trials.now, contention_ms=0.0)
    gain = by_parts(trials.now, then, "one update of an address a cycle, against none")
    return with_try(trials, item, predicted, gain if predicted is None else None)


def _order(facts: Facts, trials: Trials, site: AccessSite) -> Advice | None:
    attempt = rewrites.relaxed(facts, site.line)
    fences = _fences(facts, site.line)
    if attempt is None or not fences:
        return None

    def better(then: Facts) -> bool:
        return _barriers(then) < _barriers(facts)

    predicted = trials.best([attempt], better=better, least=0.0)
    if predicted is None:
        return None
    times = facts.executions(site)
    waits = times * LATENCY_MS
    item = about(
        "memory access", "atomic-order",
        "this atomic orders all other memory accesses around it (sem='acq_rel', the default): each "
        "waits until everything before it has arrived",
        "write sem='relaxed' where the atomic only adds up and nothing is read because of it",
        facts, site.line,
        figure("fences and barriers on the line", fences, "instructions", "compiled"),
        figure("atomics of one program here", times, "atomics"),
        file=site.file,
    )  # fmt: skip
    each = max(trials.now.latency_ms, waits)
    gain = gain_of(
        1 + waits / max(each, 1e-9),
        f"a wait of {LATENCY_MS * 1e3:g} µs (assumed) for each of {times:.3g} atomics of a program",
    )
    return with_try(trials, item, predicted, gain)


def _fences(facts: Facts, line: int) -> int:
    found = facts.by_line.get(line)
    return 0 if found is None else dict(found.counts).get("barrier", 0)


def _barriers(facts: Facts) -> int:
    return 0 if facts.code is None else dict(facts.code.total).get("barrier", 0)
