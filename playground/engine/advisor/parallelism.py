"""Parallelism: programs against multiprocessors, waves and tail, threads against elements."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from playground.engine.advisor import choices
from playground.engine.advisor.costs import START_MS, uneven, waves
from playground.engine.advisor.resources import spills
from playground.engine.advisor.weighing import about, by_parts, figure, gain_of, with_try

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playground.engine.advisor.facts import Facts
    from playground.engine.advisor.trials import Trials
    from playground.model.advice import Advice, Try
    from playground.model.knobs import KnobValue

_LEAST_WORK_MS = 2e-3
"""A launch expected to take less is bound by being launched: its programs are as they are."""
_TAIL = 1.2
_FEW_WAVES = 4.0
_ROOM = 1.25
_IDLE = 0.3
_LONGEST = 2.0


def answers(facts: Facts) -> str:
    """Return the figures of the checklist's point, in words."""
    text = f"{facts.programs:,} programs"
    if facts.gpu is None:
        return text
    text += f" over {facts.multiprocessors} multiprocessors × {facts.held} at once"
    text += f": {facts.programs / (facts.multiprocessors * facts.held):.3g} waves"
    if facts.report is not None and facts.report.occupancy is not None:
        held = facts.report.occupancy
        text += f"; occupancy {held.share_text}, limited by {held.limiter}"
    if facts.schedule is not None:
        text += f"; measured: {facts.schedule.idle_share:.0%} of the multiprocessors' time idle"
    return text


def advice(facts: Facts, trials: Trials) -> Iterator[Advice | None]:
    """Yield what there is to say about how the work is dealt out."""
    if facts.gpu is None or not facts.programs or spills(facts):
        return
    found = _few_programs(facts, trials)
    yield found
    if found is None:
        yield _tail(facts, trials)
    yield _threads(facts, trials)
    yield _uneven(facts)


# ------------------------------------------------------------------- too few programs


def _few_programs(facts: Facts, trials: Trials) -> Advice | None:
    wanted = facts.multiprocessors
    if facts.programs >= wanted or trials.now.time_ms < _LEAST_WORK_MS:
        return None

    def better(then: Facts) -> bool:
        return then.programs > facts.programs

    # Many a constexpr has nothing to do with the grid, and compiling would be the long way to know.
    larger = (
        attempt
        for attempt in _more_programs(facts, trials)
        if attempt is not None and trials.programs(attempt) > facts.programs
    )
    predicted = trials.best(larger, better=better)
    if predicted is None:
        return None
    item = about(
        "parallelism", "few-programs",
        f"{facts.programs} programs leave {wanted - facts.programs} of {wanted} multiprocessors "
        "without work",
        "make the grid larger: smaller blocks, a smaller share for each program, or another "
        "dimension of the problem given to programs of its own",
        facts, facts.launch.line,
        figure("programs", facts.programs, "programs", "launch"),
        figure("multiprocessors", wanted, "multiprocessors", "data sheet"),
        figure("programs with the try", predicted.facts.programs, "programs", "launch"),
    )  # fmt: skip
    return with_try(trials, item, predicted, None)


def _more_programs(facts: Facts, trials: Trials) -> Iterator[Try | None]:
    """Yield tries that aim at two and at four programs for every multiprocessor."""
    shares = choices.others(facts)
    for each in (2, 4):
        factor = _power_near(each * facts.multiprocessors / facts.programs)
        for name, value in shares.items():
            # A number of programs grows, what a program gets shrinks: counting tells them apart.
            if value >= factor:
                yield trials.of_values({name: value // factor})
            if value * factor <= 8 * facts.multiprocessors:
                yield trials.of_values({name: value * factor})
        for name, value in choices.blocks(facts).items():
            if not shares and value // factor >= 2 * choices.smallest(facts):
                yield trials.of_values({name: value // factor})


def _power_near(value: float) -> int:
    power = 1
    while power < value:
        power *= 2
    return power


# ------------------------------------------------------------------- the last wave


def _tail(facts: Facts, trials: Trials) -> Advice | None:
    now = trials.now
    lost = uneven(facts)
    bound = now.arithmetic_ms >= max(now.memory_ms, now.l2_ms)
    if lost < _TAIL or not bound or now.time_ms < _LEAST_WORK_MS:
        return None
    if facts.programs < facts.multiprocessors:
        return None
    if waves(facts) > _FEW_WAVES:
        return None

    def better(then: Facts) -> bool:
        return uneven(then) < lost

    smaller = choices.scaled(facts, 0.5, choices.blocks(facts))
    larger = choices.scaled(facts, 2, choices.blocks(facts))
    along = choices.loop_blocks(facts)
    settings = [item for item in (*smaller, *larger) if next(iter(item)) not in along]
    # Of tiles that come out even, those that move least are the best: all are looked at.
    predicted = trials.best(
        choices.tries(trials, iter(settings)), better=better, enough=lambda _: False
    )
    each = facts.programs / facts.multiprocessors
    item = about(
        "parallelism", "tail",
        f"{facts.programs} programs over {facts.multiprocessors} multiprocessors are {each:.3g} "
        "for each: while the last few run, the others wait",
        "choose tiles of which the number comes out just under a multiple of the multiprocessors, "
        "or smaller ones, or a persistent kernel with split sums",
        facts, facts.launch.line,
        figure("programs", facts.programs, "programs", "launch"),
        figure("multiprocessors", facts.multiprocessors, "multiprocessors", "data sheet"),
        figure("busiest multiprocessor's share over an even one", lost, "×", "launch"),
    )  # fmt: skip
    then = replace(now, arithmetic_ms=now.arithmetic_ms / lost)
    gain = by_parts(now, then, "programs dealt out evenly")
    return with_try(trials, item, predicted, gain if predicted is None else None)


# ------------------------------------------------------------------- threads and elements


def _threads(facts: Facts, trials: Trials) -> Advice | None:
    now = trials.now
    if facts.text is not None and any(facts.text.calls("debug_barrier")):
        return None  # its loads wait because they are made to
    loads = [site for site in facts.sites if site.active]
    if not loads or facts.coverage is None or facts.coverage.flops:
        return None
    least = max(now.memory_ms, now.l2_ms)
    if max(now.latency_ms, now.issue_ms) < _ROOM * least:
        return None
    main = max(loads, key=lambda site: site.lanes)
    lanes = main.lanes / max(facts.programs * facts.executions(main), 1)
    idle = lanes < facts.threads
    predicted = trials.best(_more_each(facts, trials, lanes))
    if predicted is None:
        return None
    evidence = (
        figure("elements of the largest block", lanes, "elements"),
        figure("threads of a program", facts.threads, "threads", "compiled"),
        figure("programs", facts.programs, "programs", "launch"),
        figure("programs at once on a multiprocessor", facts.resident, "programs", "compiled"),
    )
    if idle:
        item = about(
            "parallelism", "idle-threads",
            f"a program has {facts.threads} threads for blocks of {lanes:.0f} elements: the others "
            "repeat what these do",
            "fewer warps, or a larger block: at least one element for each thread, better 16 bytes",
            facts, main.line, *evidence, file=main.file,
        )  # fmt: skip
    else:
        item = about(
            "parallelism", "small-programs",
            f"a program loads {lanes:.0f} elements at a time and ends or waits: too little is on "
            "its way from memory at once",
            "give each program more to load at a time: a larger block",
            facts, main.line, *evidence,
            figure("time to start and end a program", START_MS * 1e3, "µs", "assumed"),
            file=main.file,
        )  # fmt: skip
    return with_try(trials, item, predicted, None)


def _more_each(facts: Facts, trials: Trials, lanes: float) -> Iterator[Try | None]:
    """Yield tries that give a thread more to do: larger blocks, fewer warps."""
    sizes = choices.blocks(facts)
    fewer = max(int(lanes) // facts.warp_size, 1)
    settings: list[dict[str, KnobValue]] = []
    if lanes < facts.threads:
        wide = int(lanes) * facts.element_bytes // (16 * facts.warp_size)
        settings += [{"num_warps": _power_below(wide)}, {"num_warps": _power_below(fewer)}]
    for name, value in sizes.items():
        for wanted in (1024, 2048, 4096):
            if value < wanted and lanes * wanted / value <= 1 << 14:
                settings.append({name: wanted})
    if not settings and choices.warps(facts) > 1:
        settings.append({"num_warps": choices.warps(facts) // 2})
    yield from choices.tries(trials, iter(settings))


def _power_below(value: int) -> int:
    return 1 << (max(value, 1).bit_length() - 1)


# ------------------------------------------------------------------- uneven programs


def _uneven(facts: Facts) -> Advice | None:
    found = facts.schedule
    if found is None or not found.median_ns or found.idle_share < _IDLE:
        return None
    if found.longest_ns < _LONGEST * found.median_ns:
        return None
    from playground.engine.advisor.weighing import weighed

    item = about(
        "parallelism", "uneven-programs",
        f"the longest program runs {found.longest_ns / found.median_ns:.3g} times as long as the "
        f"median, and multiprocessors stand idle {found.idle_share:.0%} of the time",
        "let the long programs start first (reverse their order), or split them",
        facts, facts.launch.line,
        figure("longest program", found.longest_ns, "ns", "measured"),
        figure("median program", found.median_ns, "ns", "measured"),
        figure("idle share of the multiprocessors", found.idle_share, "share", "measured"),
    )  # fmt: skip
    gain = gain_of(1 / (1 - found.idle_share), "all multiprocessors busy: 1 / (1 - idle share)")
    return weighed(facts, item, gain)
