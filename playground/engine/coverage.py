"""Counting which program loads and stores which element, where the kernel runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playground.engine.counters import Counts
from playground.engine.findings import NotCountedError
from playground.engine.job import Job
from playground.engine.one_thread import one_thread
from playground.engine.replay_layout import layout_for

if TYPE_CHECKING:
    from playground.engine.replay import PreparedReplay

__all__ = ["Counts", "count"]


def count(
    prepared: PreparedReplay, job: Job | None = None, *, budget_bytes: int | None = None,
    sample: int | None = None,
) -> Counts:  # fmt: skip
    """Count every load and store of one launch under one config.

    On a GPU by a tracing copy of the kernel. Without one, all programs are followed together as far
    as addresses depend on what they compute, or run in Triton's interpreter where that is not
    enough. The working copies of `prepared` are restored before each run; what they hold afterwards
    is not the launch's result: the last run may be of some of its programs.

    Counted are loads and stores of every element with its first and last storer, lanes outside,
    operations, what each place in the source asks for, and hazards. The first and last loader of an
    element are found on a GPU when they are asked for, by another run: `Counts.know_loaders`.

    Parameters
    ----------
    prepared
        The launch under its config.
    job
        Progress and cancelling.
    budget_bytes
        Memory for counters: a quarter of the GPU's free memory by default, 2 GB in the
        interpreter. Above it the count takes several runs, or keeps its counters on disk.
    sample
        Without a GPU, count so many programs instead of all, and say so. On a GPU it has no effect.

    Raises
    ------
    NotCountedError
        The kernel is of a kind that no counting copy can be made of.
    """
    from playground.engine.triton_private import wrappers

    if wrappers.is_gluon(prepared.launch.function):
        raise NotCountedError(
            f"{prepared.launch.info.kernel} is written in Gluon: its loads and stores are not "
            "counted"
        )
    job = job or Job()
    job.progress("counting loads and stores")
    layout = layout_for(prepared)
    if wrappers.is_interpreted(prepared.launch.function):
        from playground.engine.triton_private.tracing_interpreter import InterpreterCounter

        with one_thread():
            counts = InterpreterCounter(layout).count(prepared, job, budget_bytes, sample)
            counts.summary()  # here, so that the side thread finds it made
    else:
        from playground.engine.triton_private.tracing_passes import GpuCounter

        counts = GpuCounter(layout, prepared).count(prepared, job, budget_bytes)
        counts.summary()
    return counts
