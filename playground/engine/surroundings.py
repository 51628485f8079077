"""Everything around a file while it runs, so that it runs unchanged: and nothing of it afterwards.

The file works in its own folder, as its author ran it: relative names of data and of what it writes
mean the same. What it writes there stays, because it may read it again (a cache of generated
kernels), and the run says so. Without a GPU one is simulated; breakpoints are passed by, modules
that are not installed are stood in for, and its benchmarks are left out unless they are asked for.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from playground.engine import (
    breakpoints,
    host_watch,
    machine,
    missing_modules,
    notebook_names,
    process_state,
    run_notes,
    written_files,
)
from playground.engine.benchmarks import Plan, skipped
from playground.engine.triton_private import lenient_tuners

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playground.engine.session import Session
    from playground.engine.simulated_placement import Places


@dataclass
class Surroundings:
    """How the session's file is run: what was decided for it, and what is to be told of it.

    `benchmarks` and `tuning` say what the file may do beside launching; `places` where its tensors
    lie if the GPU is simulated.
    """

    benchmarks: bool = False
    tuning: bool = False
    plan: Plan = field(default_factory=Plan)
    notes: run_notes.RunNotes = field(default_factory=run_notes.RunNotes)
    environment: process_state.Environment = field(default_factory=process_state.Environment)
    places: Places | None = None


@contextlib.contextmanager
def first_run(session: Session, around: Surroundings) -> Iterator[None]:
    """Run the file as a run of the user's: with its notes taken, and the files it wrote named."""
    host_watch.forget()
    folder = os.path.dirname(session.path)
    before = written_files.listing(folder)
    with around.environment.scoped(), _around(session, around, around.notes, around.plan):
        yield
    names = written_files.written(before, written_files.listing(folder))
    if names:
        around.notes.tell(
            f"the file wrote into its folder: {names}",
            "it runs in its own folder, and what it writes there stays",
            place=(session.path, 1),
        )


@contextlib.contextmanager
def again(session: Session) -> Iterator[None]:
    """Run the file another time, for a replay: as the first time, and nothing is told."""
    around = session.surroundings
    repeated = process_state.Environment()
    with repeated.scoped(), _around(session, around, run_notes.RunNotes(), around.plan.again()):
        yield


@contextlib.contextmanager
def as_in_the_run(session: Session) -> Iterator[None]:
    """Let the user's functions find what they found in the run: its environment, its GPU."""
    from playground.engine.torch_doors import without_inductors_folder

    with (
        without_inductors_folder(),
        session.surroundings.environment.applied(),
        _simulated_gpu(session),
    ):
        yield


@contextlib.contextmanager
def _simulated_gpu(session: Session) -> Iterator[None]:
    if session.device.mode != "interpreter" or machine.has_nvidia_gpu():
        yield
        return
    from playground.engine import simulated_cuda

    around = session.surroundings
    if around.places is None:
        around.places = simulated_cuda.Places()
    with simulated_cuda.simulated_cuda(session.device.target, around.places):
        yield


@contextlib.contextmanager
def unattended(path: str, text: str) -> Iterator[None]:
    """Run a file where no launch is performed and nobody is told: in a process that compiles."""
    with _entered(*_plain(path, text, run_notes.RunNotes()), skipped(Plan(lambda: 1), text)):
        yield


@contextlib.contextmanager
def _around(
    session: Session, around: Surroundings, notes: run_notes.RunNotes, plan: Plan
) -> Iterator[None]:
    benchmarks: contextlib.AbstractContextManager[None] = contextlib.nullcontext()
    if around.benchmarks and session.device.mode == "interpreter":
        benchmarks = skipped(Plan(timed=True))
    elif not around.benchmarks:
        benchmarks = skipped(plan, session.text)
    plain = _plain(session.path, session.text, notes)
    with _entered(_simulated_gpu(session), *plain, benchmarks):
        yield


def _plain(path: str, text: str, notes: run_notes.RunNotes) -> list[Any]:
    return [
        process_state.kept(),
        process_state.in_folder(path),
        run_notes.taking(notes),
        missing_modules.stood_in_for(),
        breakpoints.passed_by(text),
        notebook_names.known(text),
        lenient_tuners.lenient(notes.tell),
    ]


@contextlib.contextmanager
def _entered(*contexts: Any) -> Iterator[None]:
    with contextlib.ExitStack() as stack:
        for context in contexts:
            stack.enter_context(context)
        yield
