"""What `coverage` does beside counting: the schedule, cache reuse, one program's steps, files."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from playground.cli import schema
from playground.cli.work import FailedError, RefusedError, refusal
from playground.model.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.cli.schema import Json
    from playground.cli.work import Work


def extras(work: Work) -> Json:
    """Return what was asked for beside the counts, by key; files are written on the way."""
    task, session = work.task, work.session
    index, config, job = work.launch.index, work.config, work.job
    program = None if task.steps is None else _program(work, task.steps)
    found: dict[str, object] = {}

    def add(key: str, doing: str, step: Callable[[], object]) -> None:
        # One that cannot be done is told; the counts and the other extras stay.
        with contextlib.suppress(FailedError):
            found[key] = work.attempt("coverage", doing, step)

    if task.schedule:
        add(
            "schedule",
            "looking where and when programs run",
            lambda: schema.schedule(session.schedule(index, config, job)),
        )
    if task.reuse:
        add(
            "reuse",
            "following the L2 cache",
            lambda: schema.reuse(session.reuse(index, config, task.target, job)),
        )
    if program is not None:
        add(
            "steps",
            f"recording program {program}",
            lambda: schema.steps(
                session.steps(index, config, program, job),
                session.coverage(index, config, job, sample=task.sample),
            ),
        )
    files = dict.fromkeys(schema.COVERAGE_FILES)
    if task.npz and _written(work, task.npz, with_schedule=found.get("schedule") is not None):
        files["npz"] = task.npz
    if task.picture_data:
        _keep_picture(work, task.picture_data)
    return {**found, "files": schema.plain(files)}


def _written(work: Work, path: str, *, with_schedule: bool) -> bool:
    def save() -> bool:
        try:
            work.session.save_counts(
                path,
                work.launch.index,
                work.config,
                work.job,
                schedule=with_schedule,
                sample=work.task.sample,
            )
        except OSError as failure:
            why = failure.strerror or str(failure)
            message = f"no counts were written: cannot write {path}: {why}"
            hint = "give a folder that you may write to and that has room left"
            work.report.add(Finding("error", "coverage", message, hint))
            return False
        return True

    with contextlib.suppress(FailedError):
        return work.attempt("coverage", f"writing {path}", save)
    return False


def _keep_picture(work: Work, path: str) -> None:
    """Keep what the picture is drawn from for the process that draws it."""
    from playground.engine.pictures import coverage_replies
    from playground.protocol.message_files import save_replies

    counts = work.session.kept.counts_to_show((work.launch.index, work.config))
    if counts is None:
        raise LookupError("the counts are no longer kept: they take more memory than there is")
    with contextlib.suppress(FailedError):
        work.attempt(
            "coverage",
            "making tile maps",
            lambda: save_replies(path, coverage_replies(counts)),
        )


def _program(work: Work, text: str) -> int:
    """Return the linear id of a program given as one, or by its place in the grid."""
    grid = work.session.prepare(work.launch.index, work.config).grid
    x, y, z = grid
    hint = f"--steps takes 0 to {x * y * z - 1}, or a place in the grid {x} × {y} × {z} as 3,0,1"
    if 0 in grid:
        hint = f"its grid is {x} × {y} × {z}: it has no program at all; leave --steps out"
    try:
        place = [int(part) for part in text.split(",")]
    except ValueError:
        place = []
    if len(place) == 1 and 0 <= place[0] < x * y * z:
        return place[0]
    padded = (*place, *(0,) * (3 - len(place)))
    if 2 <= len(place) <= 3 and all(0 <= at < n for at, n in zip(padded, grid, strict=True)):
        return padded[0] + x * (padded[1] + y * padded[2])
    raise RefusedError(refusal("coverage", f"the grid has no program {text}", work.task, hint))
