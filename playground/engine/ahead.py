"""The processes of a sweep, started before this one has torch: all of them import it at once.

A process needs seconds until it has torch and has compiled or run anything. A program that knows
from its start that it will sweep starts them first, and hands them to the session afterwards.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from playground.engine import machine
from playground.engine.bench_process import QUIET_CORES, spare_process
from playground.engine.compile_process import WorkerProcess, most_workers
from playground.engine.gpus import visible_gpus

if TYPE_CHECKING:
    from playground.engine.child_process import ChildProcess
    from playground.engine.session import Session
    from playground.model.sweep_workers import Workers


@dataclass
class Ahead:
    """Processes that nobody owns yet; `environment` is what they were started in."""

    environment: dict[str, str]
    benches: list[tuple[str, ChildProcess]] = field(default_factory=list)
    compilers: list[WorkerProcess] = field(default_factory=list)

    def hand_over(self, session: Session) -> None:
        """Give them to a session, which uses and ends them from now on."""
        session.spare_benches += self.benches
        session.compiler.adopt(self.compilers, self.environment)
        self.benches, self.compilers = [], []

    def close(self) -> None:
        """End those that no session has taken."""
        for process in (*(bench for _, bench in self.benches), *self.compilers):
            process.close()
        self.benches, self.compilers = [], []


def start_ahead(workers: Workers) -> Ahead:
    """Start what a sweep by these workers needs; they run nothing of the user's until then.

    Where there are fewer GPUs than are asked for, nothing is started to time on them: the engine
    says so. Nor where one process alone may use a GPU: the engine is the first to need it.
    """
    machine.prepare_environment()
    ahead = Ahead(dict(os.environ))
    count = workers.count or 1
    for gpu in () if workers.cluster else _bench_gpus(count):
        ahead.benches.append((gpu, spare_process(gpu=gpu)))
    spared = 0 if workers.cluster else QUIET_CORES * count
    for _ in range(max(1, most_workers() - spared)):
        ahead.compilers.append(WorkerProcess())
    return ahead


def _bench_gpus(count: int) -> tuple[str, ...]:
    """Return the GPU of each process that can be started, as CUDA_VISIBLE_DEVICES calls it."""
    gpus = () if machine.interpret_wanted() else visible_gpus()
    if not all(gpu.shared for gpu in gpus):
        return ()
    if count == 1:
        return ("",)
    return tuple(gpu.token for gpu in gpus[:count]) if len(gpus) >= count else ()
