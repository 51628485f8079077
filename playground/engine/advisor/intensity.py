"""Arithmetic intensity: the roofline's side, tensor cores used or missed, types, tiles, order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from playground.engine.advisor import choices, rewrites
from playground.engine.advisor.costs import moved_bytes, peak_tflops, tensor_instructions
from playground.engine.advisor.resources import spills
from playground.engine.advisor.weighing import (
    about,
    by_parts,
    figure,
    gain_of,
    in_words,
    with_try,
    within,
)
from playground.engine.findings import NotCountedError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playground.engine.advisor.facts import Facts
    from playground.engine.advisor.trials import Trials
    from playground.model.advice import Advice, Try
    from playground.model.schedule import CacheReuse

_HALVES = ("float16", "bfloat16")
_ROOM = 1.15
_MUCH_AGAIN = 1.5
_LONGEST_STEP = 1024


def answers(facts: Facts) -> str:
    """Return the figures of the checklist's point, in words."""
    coverage, standing = facts.coverage, facts.standing
    if coverage is None or standing is None:
        return "nothing is counted"
    text = standing.text()
    if coverage.flops:
        kinds = ", ".join(kind for kind, _ in coverage.flops_by_kind)
        used = "used" if tensor_instructions(facts) else "not used"
        text += f"; {standing.intensity:.3g} operations a byte, {kinds} products"
        text += f"; tensor cores {used}" if facts.code is not None else ""
    return text


def advice(facts: Facts, trials: Trials) -> Iterator[Advice | None]:
    """Yield what there is to say about products and how much is done with each byte."""
    yield _sum_of_products(facts, trials)
    coverage = facts.coverage
    if coverage is None or not coverage.flops:
        return
    yield _upcast(facts, trials)
    yield _ieee(facts, trials)
    yield _small_tiles(facts, trials)
    yield _order(facts, trials)


def _line_of_dot(facts: Facts) -> int | None:
    if facts.text is None:
        return None
    return next((call.lineno for call in facts.text.calls("dot")), None)


# ------------------------------------------------------------------- tensor cores


def _sum_of_products(facts: Facts, trials: Trials) -> Advice | None:
    found = rewrites.sum_to_dot(facts)
    if found is None or facts.text is None:
        return None
    attempt, line = found
    predicted = trials.best([attempt], least=0.0)
    if predicted is None or predicted.facts.coverage is None:
        return None  # its blocks are too small for tl.dot, or of three dimensions for a reason
    flops = predicted.facts.coverage.flops
    kind = max(predicted.facts.coverage.flops_by_kind, key=lambda item: item[1], default=("", 0))[0]
    fast, plain = peak_tflops(facts, kind), facts.gpu.peak("fp32") if facts.gpu else None
    if not flops or not fast or not plain:
        return None
    item = about(
        "arithmetic intensity", "no-dot",
        "a product of matrices is written as a sum of products: no tensor core is used, and every "
        "product of two elements takes registers",
        "write tl.dot(a, b), with blocks of at least 16 in each dimension",
        facts, line,
        in_words(facts.text.shown(line)),
        figure("operations of the product", flops, "FLOP"),
        figure("tensor core instructions now", tensor_instructions(facts), "instructions",
               "compiled"),
        figure(f"peak of {kind} products", fast, "TFLOP/s", "data sheet"),
        figure("peak of float32 arithmetic", plain, "TFLOP/s", "data sheet"),
        notes=("float32 operands are rounded to tf32 then",) if kind == "tf32" else (),
    )  # fmt: skip
    gain = gain_of(fast / plain, f"peak of {kind} products over float32's: {fast:g} / {plain:g}")
    return with_try(trials, item, predicted, within(facts, gain, predicted))


def _upcast(facts: Facts, trials: Trials) -> Advice | None:
    coverage = facts.coverage
    assert_counted = dict(coverage.flops_by_kind) if coverage is not None else {}
    slow = next((kind for kind in ("tf32", "fp32") if assert_counted.get(kind)), "")
    halves = [
        argument.name for argument in facts.launch.tensors()
        if argument.tensor is not None and argument.tensor.dtype in _HALVES
    ]  # fmt: skip
    attempt = rewrites.without_upcast(facts)
    if not slow or not halves or attempt is None:
        return None
    fast, now = peak_tflops(facts, "fp16"), peak_tflops(facts, slow)
    if not fast or not now:
        return None
    item = about(
        "arithmetic intensity", "upcast",
        f"tl.dot multiplies {slow} although {', '.join(halves)} hold 16-bit numbers: they are cast "
        "up first",
        "hand tl.dot the operands as they were loaded: it sums up in float32 all the same",
        facts, _line_of_dot(facts),
        figure(f"{slow} operations of tl.dot", assert_counted[slow], "FLOP"),
        figure("peak of 16-bit products", fast, "TFLOP/s", "data sheet"),
        figure(f"peak of {slow} products", now, "TFLOP/s", "data sheet"),
    )  # fmt: skip
    predicted = trials.best([attempt], least=0.0, same_roof=False)
    gain = gain_of(fast / now, f"peak of 16-bit products over {slow}'s: {fast:g} / {now:g}")
    gain = within(facts, gain, predicted)
    return with_try(trials, item, predicted, gain, same_roof=False)


def _ieee(facts: Facts, trials: Trials) -> Advice | None:
    coverage = facts.coverage
    flops = dict(coverage.flops_by_kind).get("fp32", 0) if coverage is not None else 0
    attempts = [rewrites.precision(facts, "tf32"), rewrites.precision(facts, "tf32x3")]
    fast, now = peak_tflops(facts, "tf32"), peak_tflops(facts, "fp32")
    if not flops or attempts[0] is None or not fast or not now:
        return None
    item = about(
        "arithmetic intensity", "ieee",
        "tl.dot multiplies float32 exactly, which no tensor core does",
        'input_precision="tf32" keeps 10 bits of each operand\'s mantissa, "tf32x3" about all of '
        "them in three products: choose by the accuracy that is needed",
        facts, _line_of_dot(facts),
        figure("float32 operations of tl.dot", flops, "FLOP"),
        figure("tensor core instructions now", tensor_instructions(facts), "instructions",
               "compiled"),
        figure("peak of tf32 products", fast, "TFLOP/s", "data sheet"),
        figure("peak of float32 products", now, "TFLOP/s", "data sheet"),
        notes=("results differ in the last digits: the try is checked before it is timed",),
    )  # fmt: skip
    predicted = trials.best(attempts[:1], least=0.0, same_roof=False)
    gain = gain_of(fast / now, f"peak of tf32 products over float32's: {fast:g} / {now:g}")
    gain = within(facts, gain, predicted)
    found = with_try(trials, item, predicted, gain, same_roof=False)
    if found is None or attempts[1] is None:
        return found
    third = fast / 3
    slower = gain_of(third / now, f"a third of tf32's peak over float32's: {third:g} / {now:g}")
    slower = within(facts, slower, predicted)
    return replace(found, tries=(*found.tries, replace(attempts[1], gain=slower)))


# ------------------------------------------------------------------- tiles and their order


def _small_tiles(facts: Facts, trials: Trials) -> Advice | None:
    now = trials.now
    least = max(now.memory_ms, now.arithmetic_ms)
    if spills(facts):
        return None
    if not least or max(now.l2_ms, now.latency_ms, now.issue_ms) < _ROOM * least:
        return None
    sizes = choices.blocks(facts)
    along = choices.loop_blocks(facts)
    outer = {name: value for name, value in sizes.items() if name not in along}
    if not sizes or facts.coverage is None:
        return None
    grown = [{name: max(value, 128) for name, value in outer.items()},
             {name: max(value, 64) for name, value in outer.items()},
             {name: 2 * value for name, value in outer.items()}]  # fmt: skip
    longer = {name: max(value, 64) for name, value in along.items()}
    attempts = [trials.of_values({**dict(item), **longer}) for item in grown]
    attempts += [trials.of_values({**longer}), trials.of_values({**grown[1], **longer,
                                                                 "num_warps": 8})]  # fmt: skip
    if dict(facts.coverage.flops_by_kind).get("fp32"):
        attempts = [item for item in attempts if item is not None and _is_short(facts, item)]
    predicted = trials.best(attempts)
    if predicted is None:
        return None
    moves = moved_bytes(facts)
    item = about(
        "arithmetic intensity", "small-tiles",
        f"the tiles are too small for their products: every byte loaded or stored serves "
        f"{facts.coverage.flops / max(facts.coverage.bytes_requested, 1):.3g} operations only",
        "larger tiles reuse more of what they load, and each step along the sum has more to do",
        facts, _line_of_dot(facts),
        figure("operations of tl.dot", facts.coverage.flops, "FLOP"),
        figure("bytes moved between programs and the L2", moves, "B"),
        figure("the same with the try", moved_bytes(predicted.facts), "B"),
    )  # fmt: skip
    return with_try(trials, item, predicted, None)


def _is_short(facts: Facts, attempt: Try) -> bool:
    """Tell whether a product without tensor cores stays a bearable number of instructions.

    All of a step is written out: that many multiply-adds for each thread, and compiling takes as
    long.
    """
    config = attempt.config(facts.config).as_dict()
    each = 1.0
    for name in choices.blocks(facts):
        value = config[name]
        each *= value if isinstance(value, int) else 1
    warps = config.get("num_warps")
    threads = (warps if isinstance(warps, int) else choices.warps(facts)) * facts.warp_size
    return each <= _LONGEST_STEP * threads


def _order(facts: Facts, trials: Trials) -> Advice | None:
    """Advise on the order of programs where the L2 fetches much of it again."""
    groups = {
        name: value for name, value in choices.others(facts).items()
        if value == 1 and "GROUP" in name.upper()
    }  # fmt: skip
    now = trials.now
    if not groups or not now.memory_ms:
        return None
    reuse = _reuse(trials, {})
    if reuse is None or reuse.fetched_bytes < _MUCH_AGAIN * reuse.least_bytes:
        return None
    copy = facts.ceilings.copy_gbps * 1e6 if facts.ceilings is not None else 0.0
    name = next(iter(groups))
    grouped = _reuse(trials, {name: 8})
    if grouped is None or not copy or grouped.fetched_bytes >= reuse.fetched_bytes:
        return None
    before = replace(now, memory_ms=reuse.fetched_bytes / copy)
    after = replace(now, memory_ms=grouped.fetched_bytes / copy)
    item = about(
        "arithmetic intensity", "order",
        f"in this order of programs the L2 fetches {reuse.fetched_bytes / reuse.least_bytes:.3g} "
        "times what it needs to",
        f"let programs that run together share rows and columns: {name}=8",
        facts, facts.launch.line,
        figure("bytes that the L2 fetches", reuse.fetched_bytes, "B"),
        figure(f"with {name}=8", grouped.fetched_bytes, "B"),
        figure("the least", reuse.least_bytes, "B"),
    )  # fmt: skip
    predicted = trials.best([trials.of_values({name: 8})], least=0.0)
    return with_try(trials, item, predicted, by_parts(before, after, "what the L2 fetches"))


def _reuse(trials: Trials, values: dict[str, int]) -> CacheReuse | None:
    facts = trials.facts
    config = facts.config.updated(dict(values))
    try:
        return trials.session.reuse(facts.launch.index, config, facts.target, trials.job)
    except (NotCountedError, LookupError):
        return None
