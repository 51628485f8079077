"""Resources: registers and spills, and shared memory against the stages that it holds."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from playground.engine.advisor import choices
from playground.engine.advisor.costs import is_pipelined, rounds, spilled_bytes
from playground.engine.advisor.weighing import about, by_parts, figure, gain_of, with_try

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playground.engine.advisor.facts import Facts
    from playground.engine.advisor.trials import Trials
    from playground.model.advice import Advice, Try

_FEW_SPILLED_BYTES = 64
"""A thread that spills less moves it once or twice: not worth a word."""
_LEAST_TRIPS = 3


def answers(facts: Facts) -> str:
    """Return the figures of the checklist's point, in words."""
    report = facts.report
    if report is None:
        return "nothing is compiled"
    parts = []
    if report.registers is not None:
        parts.append(f"{report.registers} registers a thread")
    if report.spill_bytes is not None:
        parts.append(f"{report.spill_bytes} bytes of them spilled" if report.spill_bytes
                     else "none spilled")  # fmt: skip
    limit = f" of {report.shared_limit_bytes:,}" if report.shared_limit_bytes else ""
    parts.append(f"{report.shared_bytes:,}{limit} bytes of shared memory")
    stages = choices.stages(facts)
    if stages is not None and is_pipelined(facts):
        parts.append(f"{stages} stages")
    return ", ".join(parts)


def advice(facts: Facts, trials: Trials) -> Iterator[Advice | None]:
    """Yield what there is to say about registers and shared memory."""
    yield _spills(facts, trials)
    yield _stages(facts, trials)


def spills(facts: Facts) -> bool:
    """Tell whether the launch spills so much that its other figures are those of the spilling."""
    report = facts.report
    return report is not None and (report.spill_bytes or 0) >= _FEW_SPILLED_BYTES


def _spills(facts: Facts, trials: Trials) -> Advice | None:
    report = facts.report
    if report is None or not spills(facts):
        return None
    spilled = report.spill_bytes or 0

    def better(then: Facts) -> bool:
        return then.report is not None and (then.report.spill_bytes or 0) < spilled / 2

    forced = facts.config.as_dict().get("maxnreg")
    # What spills least is best; the model's times are rough where almost everything spills.
    predicted = trials.best(
        _room_for_registers(facts, trials, forced), better=better,
        enough=lambda each: not spills(each.facts), least=0.0,
    )  # fmt: skip
    lines = sorted(
        (item for item in facts.by_line.values() if item.spill_bytes),
        key=lambda item: -item.spill_bytes * facts.trips(item.line),
    )
    moves = spilled_bytes(facts)
    why = f"maxnreg={forced} forces it" if forced else "its blocks hold more than its threads can"
    item = about(
        "resources", "spills",
        f"{spilled} bytes a thread are spilled from registers to memory and read back: {why}",
        "raise or drop maxnreg" if forced else
        "more warps share the block out among more threads; a smaller block needs less of each",
        facts, lines[0].line if lines else None,
        figure("spilled a thread", spilled, "B", "compiled"),
        figure("registers a thread", report.registers or 0, "registers", "compiled"),
        *((figure("moved by spills in the launch", moves, "B", "compiled"),) if moves else ()),
    )  # fmt: skip
    then = replace(trials.now, spill_ms=0.0)
    gain = by_parts(trials.now, then, "the traffic of the spills left out")
    unique = facts.coverage.bytes_requested if facts.coverage is not None else 0
    if unique and moves:
        more = gain_of(1 + moves / unique, "bytes asked for and spilled over those asked for: "
                       f"{(unique + moves):,.0f} / {unique:,}")  # fmt: skip
        gain = max(gain, more, key=lambda each: each.factor)
    return with_try(trials, item, predicted, gain)


def _room_for_registers(facts: Facts, trials: Trials, forced: object) -> Iterator[Try | None]:
    if forced is not None:
        yield trials.of_values({"maxnreg": None})
        return
    warps = choices.warps(facts)
    for count in (2 * warps, 4 * warps, 8 * warps):
        if count <= 32:
            yield trials.of_values({"num_warps": count})
    sizes = choices.blocks(facts)
    for name in sorted(sizes, key=lambda name: -sizes[name]):
        if sizes[name] // 2 >= choices.smallest(facts):
            yield trials.of_values({name: sizes[name] // 2})


def _stages(facts: Facts, trials: Trials) -> Advice | None:
    count = choices.stages(facts)
    coverage = facts.coverage
    if count is None or coverage is None or not coverage.flops or facts.report is None:
        return None
    if spills(facts):
        return None
    trips = rounds(facts) * (max(count - 1, 1) if is_pipelined(facts) else 1)
    if count > 2 or trips < _LEAST_TRIPS or is_pipelined(facts):
        return None

    def better(then: Facts) -> bool:
        return is_pipelined(then)

    predicted = trials.best(
        (trials.of_values({"num_stages": more}) for more in (4, 3, 2)),
        better=better,
        enough=lambda _: True,
        least=0.0,
    )
    if predicted is None:
        return None
    item = about(
        "resources", "stages",
        f"num_stages={count}: each step of the loop waits for its loads before it multiplies, "
        "although shared memory has room for more",
        "num_stages=3 or 4 loads the next steps while this one is multiplied",
        facts, _first_load(facts),
        figure("steps of the loop in one program", trips, "steps"),
        figure("shared memory now", facts.report.shared_bytes, "B", "compiled"),
        *((figure("shared memory a program may have", facts.report.shared_limit_bytes, "B",
                  "compiled"),) if facts.report.shared_limit_bytes else ()),
        figure("shared memory with the try", predicted.facts.report.shared_bytes
               if predicted.facts.report is not None else 0, "B", "compiled"),
    )  # fmt: skip
    return with_try(trials, item, predicted, None)


def _first_load(facts: Facts) -> int | None:
    most = max(facts.sites, key=facts.executions, default=None)
    return most.line if most is not None else None
