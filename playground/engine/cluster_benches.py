"""Bench workers on the engines of a cluster: one GPU an engine, a lost engine replaced."""

from __future__ import annotations

import itertools
import os
import pickle
import platform
from typing import TYPE_CHECKING, Any

from playground.engine import cluster_engine
from playground.engine.bench_process import BenchError, LostError, recipe_of
from playground.engine.benches import Benches, WorkersError
from playground.engine.clusters import Cluster, EngineGoneError
from playground.engine.gpus import gpu_count

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from playground.engine.bench_messages import Recipe
    from playground.engine.cluster_engine import EngineFacts
    from playground.engine.gpus import VisibleGpu
    from playground.engine.job import Job
    from playground.engine.session import Session
    from playground.model.sweep_workers import Workers

_WAIT_S = 0.5
"""So long an engine works on one call; in between it can be told to stop."""
_names = itertools.count()


class Seats:
    """Which GPU each engine has: every one its own, unless they are shared."""

    def __init__(self, *, share: bool, interpret: bool) -> None:
        self._share = share
        self._interpret = interpret
        self._taken: dict[int, tuple[str, str]] = {}

    def seat(self, engine: int, facts: EngineFacts) -> VisibleGpu | None:
        """Return a GPU for an engine, None where there is none for it."""
        gpus = () if self._interpret else facts.gpus
        taken = [uuid for host, uuid in self._taken.values() if host == facts.host]
        free = sorted(gpus, key=lambda gpu: taken.count(gpu.uuid))
        if not free or (free[0].uuid in taken and not self._share):
            return None
        self._taken[engine] = (facts.host, free[0].uuid)
        return free[0]

    def leave(self, engine: int) -> None:
        """Free the GPU of an engine that is gone."""
        self._taken.pop(engine, None)


class ClusterBench:
    """The worker of one engine; another engine's takes its place when that is lost."""

    def __init__(
        self, cluster: Cluster, seats: Seats, recipe: Recipe, engine: int, facts: EngineFacts,
        gpu: VisibleGpu | None, *, interpret: bool,
    ) -> None:  # fmt: skip
        self._cluster = cluster
        self._seats = seats
        self._recipe = pickle.dumps(recipe)
        self._interpret = interpret
        self._engine: int | None = engine
        self._started = False
        self._ready = False
        self._take(facts, gpu)
        self.device = ""
        self.start_s = 0.0
        self.starts = 0

    def start(self) -> None:
        """Let the engine start its worker."""
        if self._started or self._engine is None:
            return
        self._name = f"{platform.node()}-{os.getpid()}-{next(_names)}"
        owner = (platform.node(), os.getpid())
        self._cluster.send(
            self._engine, cluster_engine.hold, self._name, self._recipe, self._token,
            self._interpret, owner,
        )  # fmt: skip
        self._started = True
        self.starts += 1

    def make_ready(self, go_on: Callable[[], None]) -> None:
        """Wait until the worker stands before the launch, on another engine if need be."""
        for attempt in (1, 2):
            if self._engine is None:
                self._replace(go_on)
            self.start()
            if self._ready:
                return
            try:
                found = self._answered(self._call(cluster_engine.answer, go_on), go_on)
            except LostError as error:
                if attempt == 2:
                    raise BenchError(str(error)) from error
                continue
            self.device, self.start_s = found
            self._ready = True
            return

    def ask(self, order: Any, limit_s: float, go_on: Callable[[], None]) -> Any:
        """Return the worker's answer to `order`; see `BenchProcess.ask`."""
        self.make_ready(go_on)
        content = pickle.dumps(order)
        return self._answered(self._call(cluster_engine.ask, go_on, content, limit_s), go_on)

    def close(self) -> None:
        """End the worker; the engine stays."""
        if self._engine is not None and self._started:
            self._cluster.send(self._engine, cluster_engine.release, self._name)
        self._started = self._ready = False

    # ------------------------------------------------------------------ inside

    def _take(self, facts: EngineFacts, gpu: VisibleGpu | None) -> None:
        self.gpu = f"{facts.host} {gpu.uuid}" if gpu is not None else ""
        self._token = gpu.token if gpu is not None else ""

    def _call(self, function: Callable[..., bytes], go_on: Callable[[], None], *args: Any) -> Any:
        if self._engine is None:
            raise LostError("its engine is gone")
        try:
            answer = self._cluster.call(
                self._engine, function, self._name, *args, _WAIT_S, go_on=go_on
            )
        except EngineGoneError as error:
            self._seats.leave(self._engine)
            self._engine = None
            self._started = self._ready = False
            raise LostError(str(error)) from error
        except (RuntimeError, OSError) as error:
            raise BenchError(str(error)) from error
        return pickle.loads(answer)

    def _answered(self, found: Any, go_on: Callable[[], None]) -> Any:
        while found is None:
            go_on()
            found = self._call(cluster_engine.answer, go_on)
        if isinstance(found, Exception):
            raise found
        return found

    def _replace(self, go_on: Callable[[], None]) -> None:
        """Take a seat on a new engine, started in place of the one lost."""
        try:
            engine, facts = self._cluster.another_engine(go_on)
        except EngineGoneError as error:
            raise BenchError(str(error)) from error
        gpu = self._seats.seat(engine, facts)
        if gpu is None and self._token:
            raise BenchError(f"the engine in its place, on {facts.host}, has no free GPU")
        self._engine = engine
        self._take(facts, gpu)


def open_cluster(session: Session, launch: int, workers: Workers, job: Job) -> Benches:
    """Return workers on a cluster's engines, which is started if it does not run.

    Raises
    ------
    WorkersError
        There is no such profile, no engine comes, or they have no GPU.
    """
    # Where there is a GPU and the engine interprets all the same, that was asked for.
    interpret = session.device.mode != "gpu" and gpu_count() > 0
    cluster = Cluster.opened(workers.cluster, _wanted(workers), job)
    try:
        job.progress("asking the engines for their GPUs")
        known = {engine: cluster.facts(engine, job.check) for engine in cluster.engines()}
        seats = Seats(share=workers.share, interpret=interpret)
        placed = {engine: seats.seat(engine, facts) for engine, facts in known.items()}
        on_gpus = [engine for engine, gpu in placed.items() if gpu is not None]
        if not on_gpus and not workers.share:
            raise WorkersError(
                f"none of the {len(known)} engines of {workers.cluster} may use an NVIDIA GPU",
                "add --share: several interpreters check side by side, and nothing is timed",
            )
        chosen = on_gpus or list(known)
        recipe = recipe_of(session, launch, named_host=True)
        found = [
            ClusterBench(
                cluster, seats, recipe, engine, known[engine], placed[engine],
                interpret=placed[engine] is None,
            )
            for engine in chosen
        ]  # fmt: skip
        gpus = [gpu for engine in chosen if (gpu := placed[engine]) is not None]
        target = gpus[0].target if gpus else session.device.target
        note = _note(workers, known, chosen, gpus, cluster)
    except BaseException:
        cluster.close()
        raise
    return Benches(found, bool(gpus), target, note=note, on_close=[cluster.close])


def _wanted(workers: Workers) -> int | None:
    """Return how many engines to start: of this machine as many as GPUs, unless it is said."""
    if workers.count is not None or workers.cluster != "local":
        return workers.count
    return gpu_count() or 1


def _note(
    workers: Workers, known: dict[int, EngineFacts], chosen: Sequence[int],
    gpus: Sequence[VisibleGpu], cluster: Cluster,
) -> str:  # fmt: skip
    hosts = sorted({known[engine].host for engine in chosen})
    what = "each with a GPU of its own"
    if not gpus:
        what = "interpreters, on no GPU"
    elif len({gpu.uuid for gpu in gpus}) < len(gpus):
        what = "some sharing a GPU, as asked: their times disturb each other"
    text = f"{len(chosen)} engines of {workers.cluster} on {', '.join(hosts)}, {what}"
    if len(chosen) < len(known):
        text += f"; {len(known) - len(chosen)} more without a GPU of their own are not used"
    if workers.count is not None and len(known) < workers.count:
        text += f"; only {len(known)} of {workers.count} engines came"
    targets = sorted({gpu.target for gpu in gpus})
    if len(targets) > 1:
        text += f"; their GPUs differ ({', '.join(targets)}): configs were compiled for the first"
    return f"{text}; {cluster.listens}" if cluster.listens else text
