"""What would go otherwise with a launch where its file is meant to run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from playground.engine.triton_private import wrappers
from playground.model.finding import Finding, Severity

_MOST_CUDA_ROWS = 65535
"""Programs along a grid's second and third axis (CUDA C++ Programming Guide, table of limits)."""

if TYPE_CHECKING:
    from playground.engine.capture import CapturedLaunch


def warnings_of(
    captured: CapturedLaunch, given: dict[str, Any], target: str, file: str | None, *,
    performs: bool, tuning: bool,
) -> list[Finding]:  # fmt: skip
    """Return what the user should know of a launch before its results are believed.

    Parameters
    ----------
    given
        The launch options as given.
    file
        The user's file.
    performs
        Whether the launch can run in this process.
    tuning
        Whether the user asked for the file's own tuning.
    """
    name, function, line = captured.info.kernel, captured.function, captured.info.call_line
    found: list[Finding] = []

    def tell(severity: Severity, message: str, hint: str) -> None:
        found.append(Finding(severity, "capture", message, hint, file, line))

    if not performs:
        language = "Gluon" if wrappers.is_gluon(function) else "a kernel for the compiler alone"
        tell(
            "warning",
            f"{name} is {language}, which Triton's interpreter cannot run: the launch is known, "
            "its results are missing",
            "it compiles for any target here; run it on a machine with a GPU",
        )
    if isinstance(captured.grid, int):
        tell(
            "warning",
            f"the grid of {name} is a number, which Triton refuses",
            f"write {name}[({captured.grid},)](…)",
        )
    if target.startswith("cuda") and max(captured.info.grid[1:]) > _MOST_CUDA_ROWS:
        axis, programs = (
            ("y", captured.info.grid[1])
            if captured.info.grid[1] > _MOST_CUDA_ROWS
            else ("z", captured.info.grid[2])
        )
        tell(
            "error",
            f"the grid of {name} has {programs} programs along {axis}, and a GPU by NVIDIA takes "
            f"{_MOST_CUDA_ROWS} there: it refuses the launch (invalid argument)",
            "give the long axis to program_id(0), which takes 2147483647, or put the axes into one "
            "and take them apart in the kernel with // and %",
        )
    if not wrappers.is_interpreted(function):
        return found
    if tuning and captured.chosen is not None:
        tell(
            "hint",
            f"{name} was not tuned: without a GPU its configs cannot be timed, so the first that "
            "can run was taken",
            "its configs are presets; run the file on a machine with a GPU to tune it",
        )
    # The interpreter drops such keywords silently; the compiler refuses them.
    known = wrappers.known_options(target)
    names = wrappers.parameter_names(function)
    for keyword in given:
        if keyword not in known and keyword not in names:
            tell(
                "warning",
                f"{name} has no parameter {keyword!r}, and it is no launch option",
                "on a GPU this launch fails; its parameters are " + ", ".join(names),
            )
    return found
