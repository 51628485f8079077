"""The bench workers of one sweep: how many, on which GPU and which cores, here or on a cluster."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from playground.engine.bench_process import QUIET_CORES, BenchProcess, recipe_of
from playground.engine.child_process import usable_cores
from playground.engine.gpus import visible_gpus

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from playground.engine.bench_process import Bench
    from playground.engine.job import Job
    from playground.engine.session import Session
    from playground.model.sweep_workers import Workers

_FEWEST_CORES = 4
"""Cores from which on the timed processes get some of their own."""


class WorkersError(RuntimeError):
    """The workers asked for cannot be had; `hint` says what to ask for instead."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


@dataclass
class Benches:
    """The workers of one sweep; `others` are the cores left to compiling, all when empty.

    `timed` says whether they have GPUs, `target` what these are, `note` what is to be said of them.
    """

    workers: Sequence[Bench]
    timed: bool
    target: str
    others: Sequence[int] = ()
    note: str = ""
    on_close: list[Callable[[], None]] = field(default_factory=list)

    @property
    def on_several_gpus(self) -> bool:
        """Whether times of different GPUs come together, which must be put on one scale."""
        return self.timed and len({worker.gpu for worker in self.workers}) > 1

    def close(self) -> None:
        """End every worker, and what was started for them."""
        for worker in self.workers:
            worker.close()
        while self.on_close:
            self.on_close.pop()()


def worker_gpus(session: Session, workers: Workers) -> tuple[str, ...]:
    """Return the GPU of each local worker, as CUDA_VISIBLE_DEVICES calls it.

    One worker alone is left all of them, as the engine is: the file may name one.

    Raises
    ------
    WorkersError
        There are fewer GPUs than workers, and they are not to be shared.
    """
    count = workers.count or 1
    if count == 1:
        return ("",)
    tokens = [gpu.token for gpu in visible_gpus()]
    if session.device.mode != "gpu":
        if not workers.share:
            raise WorkersError(
                f"{count} GPUs were asked for, and {_no_gpu(tokens)}",
                "leave --gpus out, or add --share: several interpreters check side by side",
            )
        return ("",) * count
    if count > len(tokens) and not workers.share:
        there = "one GPU" if len(tokens) == 1 else f"{len(tokens)} GPUs"
        instead = "leave --gpus out" if len(tokens) == 1 else f"ask for --gpus {len(tokens)}"
        raise WorkersError(
            f"{count} GPUs were asked for, and this machine has {there}",
            f"{instead}, or add --share: several workers use one GPU and disturb each other's "
            "times",
        )
    return tuple(tokens[index % len(tokens)] for index in range(count))


def _no_gpu(tokens: Sequence[str]) -> str:
    if tokens:
        return "the engine interprets (TRITON_INTERPRET is set)"
    return "this machine has no NVIDIA GPU"


def open_benches(session: Session, launch: int, workers: Workers, job: Job) -> Benches:
    """Return the workers for sweeping a launch; they are not started yet.

    Raises
    ------
    WorkersError
        They cannot be had as asked for.
    """
    if workers.cluster:
        from playground.engine.cluster_benches import open_cluster

        return open_cluster(session, launch, workers, job)
    timed = session.device.mode == "gpu"
    gpus = worker_gpus(session, workers)
    cores = sorted(usable_cores())
    count = len(gpus)
    roomy = timed and len(cores) >= _FEWEST_CORES + QUIET_CORES * (count - 1)
    own, others = (
        (cores[-QUIET_CORES * count :], cores[: -QUIET_CORES * count]) if roomy else ([], [])
    )
    recipe = recipe_of(session, launch)
    found = [
        BenchProcess(
            recipe, own[QUIET_CORES * index : QUIET_CORES * (index + 1)],
            session.take_bench(gpu), gpu,
        )
        for index, gpu in enumerate(gpus)
    ]  # fmt: skip
    return Benches(found, timed, session.device.target, others, _note(gpus, timed))


def _note(gpus: Sequence[str], timed: bool) -> str:
    count, different = len(gpus), len(set(gpus))
    if count == 1:
        return ""
    if not timed:
        return f"{count} interpreters side by side, on no GPU"
    if different < count:
        shared = "one GPU" if different == 1 else f"{different} GPUs"
        return f"{count} workers share {shared}, as asked: their times disturb each other"
    return f"{count} workers, each on a GPU of its own"
