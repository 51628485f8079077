"""A bench worker as a process: started from a recipe, given a time for each order, replaced."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from typing import TYPE_CHECKING, Any, Protocol

from playground.engine.bench_messages import Recipe, Started, likeness
from playground.engine.child_process import ChildProcess

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from playground.engine.session import Session
    from playground.model.measurement import ClockSource

START_LIMIT_S = 300.0
"""For so long a worker may run the file and its driver; the engine has run them before."""
QUIET_CORES = 2
"""Cores left to each bench worker: one launches, the other is the CUDA driver's threads'."""
_POLL_S = 0.05
_SHOWN = 300


class BenchError(RuntimeError):
    """The worker cannot come to stand before the launch; no config can be tried in it."""


class DiedError(RuntimeError):
    """The worker's process ended under an order; `how` is a signal's name or an exit status."""

    def __init__(self, how: str, said: str = "") -> None:
        super().__init__(how + said)
        self.how = how


class OverdueError(RuntimeError):
    """The worker did not answer in time and was ended."""


class LostError(RuntimeError):
    """The worker is gone with the engine or the host that it was on; no config did that."""


class Bench(Protocol):
    """A bench worker as the sweep sees it, wherever it is.

    `gpu` tells workers of different GPUs apart, and `device` names its own once it is ready.
    """

    gpu: str
    device: str
    start_s: float

    def start(self) -> None:
        """Let it begin to work towards the launch, in the background."""

    def make_ready(self, go_on: Callable[[], None]) -> None:
        """Wait until it stands before the launch; raises `BenchError`."""

    def ask(self, order: Any, limit_s: float, go_on: Callable[[], None]) -> Any:
        """Return its answer; raises `DiedError`, `OverdueError`, `LostError` or `BenchError`."""

    def close(self) -> None:
        """End it, whatever it does."""


def recipe_of(session: Session, launch: int, *, named_host: bool = False) -> Recipe:
    """Return how another process comes to a launch of this session, by running the file again."""
    from playground.engine.compile_orders import sendable

    clock: ClockSource | None = None
    if session.device.mode == "gpu":
        from playground.engine.clocks import choice

        clock = choice.asked()

    return Recipe(
        session.path, session.text, session.driver, tuple(sorted(session.sizes.items())),
        session.seed, session.device, launch, likeness(session.launches[launch].info),
        session.surroundings.benchmarks, session.surroundings.tuning, clock,
        sendable(session.changes.globals), tuple(folder for folder in sys.path if folder),
        named_host,
    )  # fmt: skip


def spare_process(
    cores: Iterable[int] = (), gpu: str = "", environment: Mapping[str, str] | None = None
) -> ChildProcess:
    """Start a bench worker that has no recipe yet: it imports torch and makes its CUDA context.

    `gpu` is the only one that it sees, as CUDA_VISIBLE_DEVICES calls it; empty leaves it all.
    """
    environment = dict(os.environ if environment is None else environment)
    if gpu:
        environment["CUDA_VISIBLE_DEVICES"] = gpu
    return ChildProcess("playground.engine.bench_worker", environment, cores)


class BenchProcess:
    """One worker for one launch; a new process takes the place of one that died.

    Parameters
    ----------
    cores
        The processor cores the worker may use; every one when empty.
    spare
        A process that was started ahead and has heard of nothing yet: it has torch already.
    gpu
        The only GPU that the worker sees; empty leaves it all.
    environment
        The worker's, this process's own when left out.
    """

    def __init__(
        self, recipe: Recipe, cores: Iterable[int] = (), spare: ChildProcess | None = None,
        gpu: str = "", environment: Mapping[str, str] | None = None,
    ) -> None:  # fmt: skip
        self.gpu = gpu
        self._environment = environment
        self.device = ""
        self._recipe = recipe
        self._spare = spare
        self._cores = tuple(cores)
        self._process: ChildProcess | None = None
        self._ready = False
        self.start_s = 0.0
        self.starts = 0

    def start(self) -> None:
        """Start the process, which then works towards the launch by itself."""
        if self._process is None:
            spare, self._spare = self._spare, None
            if spare is not None and spare.alive:
                spare.move_to(self._cores)
                self._process = spare
            else:
                self._process = spare_process(self._cores, self.gpu, self._environment)
            self._ready = False
            self.starts += 1
            self._began = time.monotonic()
            # One that ended just now is found out about by whoever waits for its answer.
            with contextlib.suppress(OSError):
                self._process.send_object(self._recipe)

    @property
    def pid(self) -> int | None:
        """The process's number, None where there is none."""
        return self._process.pid if self._process is not None else None

    def ask(self, order: Any, limit_s: float, go_on: Callable[[], None]) -> Any:
        """Return the worker's answer to `order`.

        Parameters
        ----------
        limit_s
            Seconds that it may take; the start of a process is not counted.
        go_on
            Called while waiting; what it raises ends the wait, and the process with it.

        Raises
        ------
        DiedError
            The process ended under the order. The next order starts a new one.
        OverdueError
            It took too long, and the process was ended.
        BenchError
            A worker does not come to the launch.
        """
        self.make_ready(go_on)
        process = self._process
        if process is None:
            raise BenchError("the bench worker is gone")
        try:
            process.send_object(order)
            return self._answer(process, limit_s, go_on)
        except (EOFError, OSError) as error:
            raise self._death() from error
        except BaseException:
            self.close()  # whatever it does now, nobody waits for it
            raise

    def make_ready(self, go_on: Callable[[], None]) -> None:
        """Start the process if need be and wait until it stands before the launch."""
        for attempt in (1, 2):
            self.start()
            if self._ready or self._process is None:
                return
            try:
                started = self._answer(self._process, START_LIMIT_S, go_on)
            except (EOFError, OSError) as error:
                death = self._death()
                if attempt == 2:
                    raise BenchError(f"the bench worker does not start: {death}") from error
                continue
            except OverdueError as error:
                self.close()
                raise BenchError(f"the bench worker does not start: {error}") from error
            except BaseException:
                self.close()
                raise
            if not isinstance(started, Started) or started.problem:
                self.close()
                raise BenchError(getattr(started, "problem", "") or "it answered something else")
            self._ready = True
            self.device = started.device
            self.start_s = time.monotonic() - self._began
            return

    def close(self) -> None:
        """End the process, whatever it does."""
        if self._spare is not None:
            self._spare.close()
            self._spare = None
        if self._process is not None:
            self._process.close()
            self._process = None
            self._ready = False

    def _answer(self, process: ChildProcess, limit_s: float, go_on: Callable[[], None]) -> Any:
        end = time.monotonic() + limit_s
        while not process.connection.poll(_POLL_S):
            go_on()
            if time.monotonic() > end:
                raise OverdueError(f"no end after {limit_s:g} s")
        return process.receive_object()

    def _death(self) -> DiedError:
        if self._process is None:
            return DiedError("the bench worker is gone")
        how, printed = self._process.death()
        self.close()
        last = printed.strip().splitlines()[-1:] if printed.strip() else []
        said = f": {last[0][:_SHOWN]}" if last else ""
        return DiedError(how, said)
