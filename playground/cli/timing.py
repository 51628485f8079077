"""What `bench` does beside measuring: comparison, curves, roofline, host cost, energy, Nsight."""

from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING

from playground.cli import schema
from playground.cli.task import typed_value
from playground.cli.work import FailedError, RefusedError, refusal
from playground.model.curve import Axis, AxisError, Line, Spacing, axis
from playground.model.finding import Finding
from playground.model.knobs import KnobError, validate

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.cli.schema import Json
    from playground.cli.work import Work
    from playground.model.config import Config

_SPACINGS: dict[str, Spacing] = {
    "linear": "linear", "log": "log", "pow2": "powers of two", "ragged": "ragged",
}  # fmt: skip
_CURVE = re.compile(
    r"(\w+(?:\s*,\s*\w+)*)\s*=(.+?):(.+?)(?::(\d+))?(?::(linear|log|pow2|ragged))?$"
)
_CURVE_BUDGET_MS = 50.0
_DEFAULT_COUNT = 12


def extras(work: Work) -> Json:
    """Return what was asked for beside the measurement, by key."""
    task, session = work.task, work.session
    index, config, cache, job = work.launch.index, work.config, task.cache, work.job
    found: dict[str, object] = {}

    def add(key: str, doing: str, step: Callable[[], object]) -> None:
        # One that cannot be done is told; what was measured and the other extras stay.
        with contextlib.suppress(FailedError):
            found[key] = work.attempt("timing", doing, step)

    if task.against is not None:
        against = _against(work, task.against)
        budget_ms = max(task.budget_ms, 1000.0)
        add(
            "comparison",
            f"comparing with {task.against}",
            lambda: schema.comparison(
                session.compare(index, config, against, cache, budget_ms, job=job)
            ),
        )
    if task.curve:
        axes = [_axis(work, text) for text in task.curve]
        lines = _lines(work)
        add(
            "curve",
            "timing over problem sizes",
            lambda: schema.curve(
                session.curve(index, axes, lines, cache, _CURVE_BUDGET_MS, job=job)
            ),
        )
    if task.roofline:
        add(
            "roofline",
            "measuring the ceilings",
            lambda: schema.roofline(*session.roofline(index, config, task.target, job=job)),
        )
    if task.host:
        add(
            "host_cost",
            "timing the host",
            lambda: schema.plain(session.host_cost(index, config, job)),
        )
    if task.energy:
        add(
            "energy",
            "measuring energy",
            lambda: schema.plain(session.energy(index, config, job)),
        )
    if task.ncu:
        found["nsight"] = _nsight(work)
    return found


def _nsight(work: Work) -> object:
    from playground.engine.nsight import NsightError

    session, index, config = work.session, work.launch.index, work.config
    work.report.doing("profiling with Nsight Compute")
    command = session.nsight_command(index, config)
    try:
        report = session.nsight(index, config, work.job)
    except NsightError as error:
        work.report.add(
            Finding("warning", "timing", str(error), hint=f"where it is allowed: {command}")
        )
        return {"command": command, "report": None}
    return {"command": command, "report": schema.nsight(report)}


def _against(work: Work, text: str) -> Config | str:
    """Return what `--vs` names: a config as `BLOCK=64,num_warps=8`, else a file or expression."""
    parts = [part.partition("=") for part in text.split(",")]
    knobs = {knob.name: knob for knob in work.launch.knobs}
    if not all(equals and name.strip() in knobs for name, equals, _ in parts):
        return text
    try:
        return work.launch.config.updated(
            {
                name.strip(): validate(knobs[name.strip()], typed_value(value.strip()))
                for name, _, value in parts
            }
        )
    except KnobError as error:
        raise RefusedError(refusal("timing", str(error), work.task)) from error


def _axis(work: Work, text: str) -> Axis:
    match = _CURVE.match(text.strip())
    hint = (
        "--curve takes NAME=LOW:HIGH, with the number of sizes and the spacing if wanted: "
        "size=2**12:2**26:15:log, m=512:8192:pow2, n=1000:5000:ragged; m,n,k=512:8192 moves "
        "three sizes together"
    )
    if match is None:
        raise RefusedError(refusal("timing", f"{text!r} is no range of sizes", work.task, hint))
    name, low, high, count, spacing = match.groups()
    ends = [typed_value(low), typed_value(high)]
    if not all(isinstance(end, int) and not isinstance(end, bool) for end in ends):
        told = f"{low} to {high} are no whole numbers"
        raise RefusedError(refusal("timing", told, work.task, hint))
    try:
        first, last = (int(str(end)) for end in ends)
        return axis(name, first, last, int(count or _DEFAULT_COUNT), _SPACINGS[spacing or "log"])
    except AxisError as error:
        raise RefusedError(refusal("timing", str(error), work.task, hint)) from error


def _lines(work: Work) -> tuple[Line, ...]:
    """Return the lines of a curve: the config, the file's reference, and what `--vs` names."""
    lines = [Line(work.config.label() or "captured", work.config)]
    if work.session.outline.has_reference:
        lines.append(Line("reference", expression="reference"))
    if work.task.against is not None and work.task.against != "reference":
        against = _against(work, work.task.against)
        if isinstance(against, str):
            lines.append(Line(against, expression=against))
        else:
            lines.append(Line(against.label(), against))
    return tuple(lines)
