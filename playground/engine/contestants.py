"""What a launch can be compared with: another config, an expression, another file's kernel."""

from __future__ import annotations

import ast
import contextlib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from playground.engine import drivers, sampling
from playground.engine.comparing import (
    NEEDS_A_GPU,
    Contestant,
    NotTimedError,
    compare,
    expression_work,
)
from playground.engine.replay import put_back_after
from playground.engine.tape import record

if TYPE_CHECKING:
    from collections.abc import Mapping

    from playground.engine.job import Job
    from playground.engine.session import Session
    from playground.model.comparison import Comparison
    from playground.model.config import Config
    from playground.model.measurement import CacheMode

_SAME_BYTES = 0.01


def compared(
    session: Session, launch: int, config: Config, against: Config | str, cache: CacheMode,
    budget_ms: float, more: Comparison | None, job: Job,
) -> Comparison:  # fmt: skip
    """Compare a launch under `config` with what `against` names.

    Raises
    ------
    NotTimedError
        There is no GPU, a result is wrong, or nothing of `against` runs on the GPU.
    """
    if session.device.mode != "gpu":
        raise NotTimedError(
            "there is no GPU here: the interpreter's time says nothing to compare", NEEDS_A_GPU
        )
    with contextlib.ExitStack() as stack:
        ours = of_config(session, launch, config, cache, job)
        stack.callback(ours.close)
        theirs = named(session, launch, against, cache, job)
        stack.callback(theirs.close)
        floor = session.noise_floor(launch, config, cache, job)
        with session.guarded(job):
            found = compare(
                ours, theirs, cache=cache, budget_ms=budget_ms, job=job, floor=floor, more=more
            )
        unlike = unlike_work(ours, theirs)
        if unlike and unlike not in found.notes:
            found = replace(found, notes=(*found.notes, unlike))
        return found


def unlike_work(ours: Contestant, theirs: Contestant) -> str:
    """Return a note where two kernels do not move the same bytes: then they do not do the same."""
    a, b = ours.bytes_unique, theirs.bytes_unique
    if not a or not b or abs(a - b) <= _SAME_BYTES * max(a, b):
        return ""
    return (
        f"not the same work: {b:,} bytes of the other's tensors are touched, {a:,} of ours; give "
        "both the same problem size"
    )


def of_config(
    session: Session, launch: int, config: Config, cache: CacheMode, job: Job
) -> Contestant:
    """Return a launch under a config, checked: what computes a wrong result is not compared.

    Raises
    ------
    NotTimedError
        Its result is wrong.
    """
    kernel = session.launches[launch].info.kernel
    checked = session.judge(launch, config, job)
    if checked.result.status == "wrong":
        raise NotTimedError(
            f"{config.label()} is not timed: {checked.result.text()}",
            "a time of a wrong result is worth nothing: choose another config",
        )
    counted = session.counted(launch, config, job)
    # Not clones: the same launch on other addresses differs by a per cent or so, and configs of one
    # launch are compared on the same memory.
    prepared = session.prepare(launch, config)
    stack = contextlib.ExitStack()
    stack.enter_context(put_back_after(prepared))
    prepared.restore()
    prepared.run()
    work = sampling.work_of(prepared, cache, sampling.reads_what_it_writes(counted))
    moved = counted.bytes_unique if counted is not None else None
    return Contestant(f"{kernel} {config.label()}", work, stack.close, moved)


def of_expression(session: Session, launch: int, code: str, cache: CacheMode) -> Contestant:
    """Return Python code as a contestant: it sees the file's names and the launch's arguments.

    `reference` alone stands for the file's `reference` with the driver's arguments.

    Raises
    ------
    NotTimedError
        It puts no work on the GPU, or the file has no `reference` that fits the driver.
    SyntaxError
        It is no Python.
    """
    captured = session.launches[launch]
    prepared = session.prepare(launch, captured.info.config).clone()
    names = {**session.namespace, "torch": torch, **prepared.arguments}
    if code.strip() == "reference":
        return _reference(session, cache)
    tree = ast.parse(code, drivers.DRIVER_FILE, "eval")
    compiled = compile(tree, drivers.DRIVER_FILE, "eval")

    def run() -> object:
        return eval(compiled, names)

    return Contestant(code.strip(), expression_work(run, cache))


def of_file(
    path: Path, launch: int, cache: CacheMode, job: Job, sizes: Mapping[str, int] | None = None
) -> Contestant:
    """Return a launch of another file, run by its first driver.

    Parameters
    ----------
    sizes
        Problem sizes of the launch it is compared with; those that the driver has too are taken.

    Raises
    ------
    NotTimedError
        The file could not be run, or launches no such kernel.
    """
    from playground.engine.session import Session

    session = Session()
    try:
        session.load(path)
        result = session.run(sizes=shared_sizes(session, sizes or {}), job=job)
        if launch >= len(result.launches):
            why = result.findings[0].message if result.findings else "it launches nothing"
            raise NotTimedError(f"{Path(path).name} has no launch {launch}: {why}")
        inner = of_config(session, launch, result.launches[launch].config, cache, job)
    except BaseException:
        session.close()
        raise

    def close() -> None:
        inner.close()
        session.close()

    return Contestant(f"{path.name}: {inner.label}", inner.work, close, inner.bytes_unique)


def shared_sizes(session: Session, sizes: Mapping[str, int]) -> dict[str, int]:
    """Return those of `sizes` that the first driver of a session's file has as well."""
    offered = session.outline.drivers
    names = {size.name for size in offered[0].sizes} if offered else set()
    return {name: value for name, value in sizes.items() if name in names}


def sizes_of(session: Session) -> dict[str, int]:
    """Return the problem sizes that a session's driver ran with."""
    own = session.driver.sizes if session.driver is not None else ()
    return {**{size.name: size.default for size in own}, **session.sizes}


def file_named(text: str, beside: str | Path) -> Path:
    """Return the file that `text` names: in the folder of the file `beside`, else in this one.

    Raises
    ------
    NotTimedError
        There is no such file.
    """
    given = Path(text.strip()).expanduser()
    folders = (Path(beside).parent, Path.cwd())
    found = next((path for folder in folders if (path := folder / given).is_file()), None)
    if found is None:
        raise NotTimedError(
            f"no file {text.strip()} beside {Path(beside).name} or in {Path.cwd()}",
            "give its whole path",
        )
    return found


def named(
    session: Session, launch: int, against: Config | str, cache: CacheMode, job: Job
) -> Contestant:
    """Return the contestant that `against` names: a config, `FILE.py` or `FILE.py:2`, or code."""
    if not isinstance(against, str):
        return of_config(session, launch, against, cache, job)
    path, colon, number = against.rpartition(":")
    if not colon or not number.isdecimal():
        path, number = against, "0"
    if path.strip().endswith(".py"):
        file = file_named(path, session.path)
        return of_file(file, int(number), cache, job, sizes_of(session))
    return of_expression(session, launch, against, cache)


def _reference(session: Session, cache: CacheMode) -> Contestant:
    driver = session.driver
    code = None
    if driver is not None:
        sized = drivers.with_sizes(driver.code, session.sizes)
        code = drivers.reference_code(sized, session.namespace)
    if code is None:
        raise NotTimedError(
            "the file has no reference() that the driver's call of example() fits: type an "
            "expression instead, such as torch.softmax(x, -1)"
        )
    compiled = compile(code, drivers.DRIVER_FILE, "eval")
    with session.as_before_the_driver():
        tape = record(lambda: eval(compiled, session.namespace))
    label = "reference, in the inputs' own precision" if tape.in_own_precision else "reference"
    return Contestant(label, expression_work(tape.play, cache))
