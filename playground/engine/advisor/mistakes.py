"""Slips that make results wrong or tuning useless: told before anything about speed."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from playground.engine import slips
from playground.engine.advisor import rewrites
from playground.engine.advisor.kernel_text import keyword, named_values
from playground.engine.advisor.weighing import about, figure, in_words
from playground.engine.coverage_findings import out_of_bounds
from playground.engine.tuner_findings import tuner_findings
from playground.model.advice import Advice, Evidence, Try

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playground.engine.advisor.facts import Facts
    from playground.engine.advisor.trials import Trials
    from playground.model.coverage import OutOfBounds
    from playground.model.finding import Finding

_INT32 = 1 << 31


def answers(facts: Facts) -> str:
    """Return what was looked at, in words."""
    looked = ["the text"] if facts.text is not None else []
    if facts.coverage is not None:
        looked.append(f"{facts.coverage.bytes_requested:,} bytes of accesses")
    return f"looked at: {' and '.join(looked)}" if looked else "nothing to look at"


def advice(facts: Facts, trials: Trials) -> Iterator[Advice | None]:
    """Yield the slips of the launch's file and of what the launch does."""
    yield from _outside(facts)
    yield _wide_offsets(facts)
    session = trials.session
    for finding in slips.slips_in(session.text, session.path):
        if finding.severity == "warning":
            yield _told(finding, facts, "text-slip")
    captured = session.launches[facts.launch.index]
    for finding in tuner_findings(session, captured, trials.job):
        yield _told(finding, facts, "tuned-in-place")
    yield _rounded(facts)


def _told(finding: Finding, facts: Facts, cause: str) -> Advice:
    evidence: tuple[Evidence, ...] = ()
    if finding.line and facts.text is not None:
        shown = facts.text.shown(finding.line)
        evidence = (in_words(shown),) if shown else ()
    return Advice(
        "slips", slips.name_of(finding) or cause, finding.message, finding.hint, evidence,
        file=finding.file, line=finding.line,
    )  # fmt: skip


# ------------------------------------------------------------------- masks


def _outside(facts: Facts) -> Iterator[Advice]:
    coverage = facts.coverage
    if coverage is None:
        return
    seen: set[int | None] = set()
    for event in coverage.out_of_bounds:
        if event.line in seen:
            continue
        seen.add(event.line)
        finding = out_of_bounds(facts.launch.kernel, event, coverage)
        in_loop = bool(
            facts.text is not None and event.line and list(facts.text.loops_around(event.line))
        )
        wrapped = "int32" in finding.hint
        cause = "int32-offset" if wrapped else ("loop-without-mask" if in_loop else "no-mask")
        remedy = finding.hint
        if cause == "loop-without-mask":
            remedy = (
                "the loop's last step may hold fewer elements than its block: mask the load by "
                "what is left, as in mask=k < K - step * BLOCK_K, other=0.0"
            )
        attempt = _masked(facts, event) if cause == "no-mask" else None
        yield Advice(
            "slips", cause, finding.message, remedy,
            (figure("lanes outside", event.lanes, "lanes"),
             figure("elements from the tensor, the first of them", abs(event.distance),
                    "elements")),
            tries=() if attempt is None else (attempt,), file=event.file, line=event.line,
        )  # fmt: skip


def _masked(facts: Facts, event: OutOfBounds) -> Try | None:
    """Return the try that gives an access the mask of its neighbours, or one by its length."""
    text = facts.text
    if text is None or event.line is None:
        return None
    for call in text.calls("load", "store"):
        if not call.lineno <= event.line <= (call.end_lineno or call.lineno) or not call.args:
            continue
        if keyword(call, "mask") is not None:
            return None
        names = named_values(call.args[0])
        for other in text.calls("load", "store"):
            mask = keyword(other, "mask")
            if mask is not None and named_values(other.args[0]) - _tensors(facts) == (
                names - _tensors(facts)
            ):
                return rewrites.with_keyword(facts, call, "mask", ast.unparse(mask.value))
        length = _length(facts, event.tensor)
        offsets = sorted(names - _tensors(facts))
        if length is not None and len(offsets) == 1:
            return rewrites.with_keyword(facts, call, "mask", f"{offsets[0]} < {length}")
    return None


def _tensors(facts: Facts) -> set[str]:
    return {argument.name for argument in facts.launch.tensors()}


def _length(facts: Facts, tensor: str) -> str | None:
    """Return the argument that holds the number of a tensor's elements."""
    elements = next(
        (item.tensor.elements for item in facts.launch.tensors()
         if item.name == tensor and item.tensor is not None), None,
    )  # fmt: skip
    if elements is None:
        return None
    same = [
        item.name for item in facts.launch.arguments
        if item.kind == "int" and item.text == str(elements)
    ]  # fmt: skip
    return same[0] if len(same) == 1 else None


# ------------------------------------------------------------------- numbers


def _wide_offsets(facts: Facts) -> Advice | None:
    """Advise on offsets in 32 bits into a tensor that has more elements than they reach."""
    text = facts.text
    if text is None or "int64" in ast.unparse(text.node):
        return None
    for argument in facts.launch.tensors():
        tensor = argument.tensor
        if tensor is None or not tensor.shape or not tensor.elements:
            continue
        last = sum((size - 1) * abs(stride)
                   for size, stride in zip(tensor.shape, tensor.strides, strict=True))  # fmt: skip
        if last < _INT32:
            continue
        return about(
            "slips", "int32-offset",
            f"{argument.name} has elements past 2^31 - 1, where offsets of 32 bits wrap around",
            "compute the program's start in 64 bits: tl.program_id(0).to(tl.int64) * stride",
            facts, facts.launch.line,
            figure(f"offset of the last element of {argument.name}", last, "elements", "launch"),
            figure("largest offset of 32 bits", _INT32 - 1, "elements", "launch"),
        )  # fmt: skip
    return None


def _rounded(facts: Facts) -> Advice | None:
    """Tell that float32 operands of `tl.dot` are rounded to tf32 unless the text says otherwise."""
    coverage, text = facts.coverage, facts.text
    if coverage is None or text is None or not dict(coverage.flops_by_kind).get("tf32"):
        return None
    if not any(
        item.tensor is not None and item.tensor.dtype == "float32"
        for item in facts.launch.tensors()
    ):
        return None
    for call in text.calls("dot"):
        if keyword(call, "input_precision") is None and keyword(call, "allow_tf32") is None:
            attempt = rewrites.with_keyword(facts, call, "input_precision", '"tf32x3"')
            return Advice(
                "slips", "tf32-default",
                "tl.dot rounds float32 operands to tf32, which keeps 10 bits of their mantissa: "
                "that is its default",
                'say what you want: input_precision="tf32" (fast), "tf32x3" (about float32\'s '
                'accuracy), "ieee" (exact, no tensor cores)',
                (in_words(text.shown(call.lineno)),
                 figure("operations rounded so", dict(coverage.flops_by_kind)["tf32"], "FLOP")),
                tries=() if attempt is None else (attempt,), file=facts.launch.file,
                line=call.lineno,
            )  # fmt: skip
    return None
