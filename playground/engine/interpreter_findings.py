"""What the interpreter cannot do, told before anybody believes a number of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from playground.engine.triton_private.interpreter_limits import REMEDY, NotInterpretableError
from playground.model.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable

    from playground.engine.capture import CapturedLaunch


def limit_of(error: BaseException | None) -> NotInterpretableError | None:
    """Return the limit of the interpreter behind an error, None when it is something else."""
    while error is not None:
        if isinstance(error, NotInterpretableError):
            return error
        error = error.__cause__
    return None


def not_interpretable(kernel: str, finding: Finding, limit: NotInterpretableError) -> Finding:
    """Return `finding`, made from a launch's error, as the limit that it is."""
    return replace(
        finding, severity="warning", stage="capture", message=f"{kernel}: {limit}", hint=REMEDY
    )


def missing_results(launches: Iterable[CapturedLaunch], finding: Finding) -> Finding:
    """Return an error of the driver as what it is after a launch that could not be interpreted.

    The driver went on without the launch's results, so what it says of them is no fault of its.
    """
    without = [item.info.kernel for item in launches if limit_of(item.error) is not None]
    if not without:
        return finding
    return replace(
        finding,
        severity="warning",
        message=f"the driver stopped without the results of {without[0]}: {finding.message}",
        hint="on a GPU the launch gives them; what was launched before is all here",
    )


def unjudgeable(launch: CapturedLaunch) -> str:
    """Return why no verdict on the launch is possible here, empty when one is."""
    limit = limit_of(launch.error)
    return "" if limit is None else str(limit)


def waits(kernel: str, waited: tuple[int, int | None, str | None]) -> tuple[Finding, ...]:
    """Return what is to be known of programs that waited for each other (`last_waits`)."""
    together, line, file = waited
    if together < 2:
        return ()
    return (
        Finding(
            "hint", "capture",
            f"{kernel}: programs wait for each other, {together} of them at once: here they took "
            "turns",
            "a GPU must hold all of them at the same time, or it hangs: launch no more programs "
            "than fit on its multiprocessors (launch_cooperative_grid=True checks that)",
            file, line,
        ),
    )  # fmt: skip
