"""What the whole driver says of a launch under another config: its results, and its own checks.

The driver runs again with the knob overridden where it enters. What it returns is compared, else
its own comparisons judge, else what later launches or its module's names hold. An assertion that
held as captured and fails now is a verdict as well; one that stands before the launch only says
that the host code does not take the config.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from playground.engine import checking, hosting, rehost, user_frames
from playground.engine.arguments import tensors_in
from playground.engine.drivers import DRIVER_FILE
from playground.model.check import CheckResult
from playground.model.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from playground.engine.capture import CapturedLaunch
    from playground.engine.job import Job
    from playground.engine.rehost import WholeRun
    from playground.engine.session import Session
    from playground.model.config import Config


@dataclass(frozen=True)
class Whole:
    """What came of the whole driver.

    `result` is None where nothing can be judged by it; `refusal` says why the driver does not get
    to the launch; `findings` are what the driver's own checks say.
    """

    result: CheckResult | None = None
    refusal: str = ""
    findings: tuple[Finding, ...] = ()


def of_driver(
    session: Session, launch: CapturedLaunch, config: Config, moved: Sequence[str],
    expected: list[checking.Expected], job: Job,
) -> Whole:  # fmt: skip
    """Run the driver with `launch` under `config` and judge what comes of it."""
    with session.guarded(job):
        edits = hosting.whole_edits(session, launch, config)
        made = rehost.whole_run(session, launch, config, moved, edits)
    if made.error is not None:
        return _ended(session, launch, config, made)
    if made.checks.failed:
        if not _compares_as_captured(session, launch, job):
            return Whole()
        return _denied(launch, config, made.checks.failed_at, "comparison")
    differences = list(_differences(session, launch, expected, made))
    if differences:
        against: Any = "reference" if expected else "captured"
        return Whole(checking.verdict(differences, against))
    if made.checks.made:
        return Whole(CheckResult("correct", "reference", tensor="the driver's own comparison"))
    differences = list(_of_later(made)) or list(_of_globals(session, launch, made))
    return Whole(checking.verdict(differences, "captured") if differences else None)


def _ended(session: Session, launch: CapturedLaunch, config: Config, made: WholeRun) -> Whole:
    """Tell what it means that the driver ended before its end."""
    error = made.error
    place = None if error is None else user_frames.last_of(error)
    if isinstance(error, AssertionError) and made.checks.started and _held(session):
        return _denied(launch, config, place, "assertion", str(error))
    where = _where(place)
    said = f"{type(error).__name__}{': ' if str(error) else ''}{error}".split("\n", 1)[0]
    if made.checks.started:
        return Whole(refusal=f"under this config the driver ends{where} with {said}")
    return Whole(refusal=f"the host code does not take this config: {said}{where}")


def _denied(
    launch: CapturedLaunch, config: Config, place: tuple[str, int] | None, what: str,
    message: str = "",
) -> Whole:  # fmt: skip
    """Return the verdict that an assertion or comparison of the driver's own gives."""
    note = f"the driver's own {what}{_where(place)} does not hold"
    file, line = (launch.info.file, launch.info.line) if place is None else place
    told = Finding(
        "error",
        "check",
        f"{launch.info.kernel}: wrong: {note}",
        f"it held as captured, and does not under {config.label()}; no time of it counts",
        file=file,
        line=line,
        detail=message,
    )
    return Whole(CheckResult("wrong", "reference", note=note, route="driver"), "", (told,))


def _where(place: tuple[str, int] | None) -> str:
    if place is None:
        return ""
    return f" at line {place[1]}{' of the driver' if place[0] == DRIVER_FILE else ''}"


def _held(session: Session) -> bool:
    """Tell whether the captured run came through its own assertions."""
    return not any(told.stage == "driver" and told.severity == "error" for told in session.findings)


def _compares_as_captured(session: Session, launch: CapturedLaunch, job: Job) -> bool:
    """Tell whether the driver's comparisons all say yes under the captured config."""
    with session.guarded(job):
        made = rehost.whole_run(session, launch, launch.info.config, (), ())
    return made.error is None and made.checks.made > 0 and not made.checks.failed


def _differences(
    session: Session, launch: CapturedLaunch, expected: list[checking.Expected], made: WholeRun
) -> Iterator[checking.Difference]:
    wanted = [item.want for item in expected]
    if not wanted:
        wanted = list(_tensors(session.result))
    for one, other in zip(_tensors(made.value), wanted, strict=False):
        limits = checking.tolerances(launch, one.dtype)
        yield checking.compare("result", one, other, *limits)


def _of_later(made: WholeRun) -> Iterator[checking.Difference]:
    for captured, name, left in made.later:
        want = captured.snapshot.result(captured.arguments[name])
        if want is not None and want.shape == left.shape:
            limits = checking.tolerances(captured, left.dtype)
            yield checking.compare(f"{name} of {captured.info.kernel}", left, want, *limits)


def _of_globals(
    session: Session, launch: CapturedLaunch, made: WholeRun
) -> Iterator[checking.Difference]:
    """Compare what a script leaves in its own names, except what this launch itself wrote."""
    own = {
        tensor.data_ptr()
        for name in launch.snapshot.written
        for tensor in tensors_in(launch.arguments[name])
    }
    inputs = {
        tensor.data_ptr() for value in launch.arguments.values() for tensor in tensors_in(value)
    }
    computed = False
    found = []
    for name, left in session.namespace.items():
        if name not in made.namespace or name.startswith("__"):
            continue
        for pair in checking.pair_up(made.namespace[name], left, name):
            got, want = pair.got, pair.want
            if want.data_ptr() in own or want.shape != got.shape:
                continue
            computed = computed or want.data_ptr() not in inputs
            limits = checking.tolerances(launch, got.dtype)
            found.append(checking.compare(pair.label, got, want, *limits))
    # Inputs alone say nothing about what the launch did.
    yield from found if computed else ()


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    """Yield the tensors of a driver's value in order, numbers as tensors too."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, float):
        yield torch.tensor([value], dtype=torch.float32)
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from _tensors(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _tensors(item)
    else:
        yield from (item.got for item in checking.pair_up(value, value))
