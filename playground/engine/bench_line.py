"""The configs of a sweep that wait for the bench worker, tried one by one while others compile."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING

from playground.engine.bench_messages import Tried
from playground.engine.bench_process import BenchError, DiedError, OverdueError

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.engine.bench_messages import Try
    from playground.engine.bench_process import BenchProcess
    from playground.engine.job import Job
    from playground.model.config import Config

_WAIT_S = 0.05


class _EndedError(Exception):
    """The sweep was cancelled or has ended; the worker need not go on."""


class BenchLine:
    """A thread that takes configs in order and has each tried by the bench worker.

    Parameters
    ----------
    order_for
        Makes the order for a config when its turn comes.
    on_tried
        Called in the line's thread with what came of each.
    limit_s
        Seconds that one config may take.
    """

    def __init__(
        self, bench: BenchProcess, job: Job, limit_s: float,
        order_for: Callable[[Config], Try], on_tried: Callable[[Config, Tried], None],
    ) -> None:  # fmt: skip
        self._bench = bench
        self._job = job
        self._limit_s = limit_s
        self._order_for = order_for
        self._on_tried = on_tried
        self._waiting: deque[Config] = deque()
        self._changed = threading.Condition()
        self._busy = False
        self._ended = False
        self._failure: BaseException | None = None
        self.problem = ""
        self.replaced = 0
        self._thread = threading.Thread(target=self._run, daemon=True, name="bench-line")
        self._thread.start()

    def put(self, config: Config) -> None:
        """Add a config at the end of the line."""
        with self._changed:
            self._waiting.append(config)
            self._changed.notify_all()

    @property
    def backlog(self) -> int:
        """How many configs wait or are being tried."""
        with self._changed:
            return len(self._waiting) + self._busy

    def wait(self, backlog: int, go_on: Callable[[], None]) -> None:
        """Wait until no more than `backlog` configs are left, or the worker is of no use.

        Raises what went wrong in the line's thread, and what `go_on` raises.
        """
        while True:
            with self._changed:
                if self._failure is not None:
                    raise self._failure
                if self.problem or len(self._waiting) + self._busy <= backlog:
                    return
                self._changed.wait(_WAIT_S)
            go_on()

    def left(self) -> list[Config]:
        """Take out and return the configs that nobody has tried."""
        with self._changed:
            found = list(self._waiting)
            self._waiting.clear()
            return found

    def end(self) -> None:
        """Stop: what is being tried ends with its process."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()
        self._thread.join()

    def _run(self) -> None:
        try:
            self._bench.make_ready(self._go_on)
            while True:
                with self._changed:
                    while not self._waiting and not self._ended:
                        self._changed.wait(_WAIT_S)
                    if self._ended:
                        return
                self._job.wait_while_paused()
                self._go_on()
                with self._changed:
                    config = self._waiting.popleft()
                    self._busy = True
                tried = self._try(config)
                self._on_tried(config, tried)
                with self._changed:
                    self._busy = False
                    self._changed.notify_all()
        except _EndedError:
            return
        except BenchError as error:
            with self._changed:
                self.problem = str(error)
                self._changed.notify_all()
        except BaseException as error:  # handed to the thread that waits
            with self._changed:
                self._failure = error
                self._changed.notify_all()

    def _try(self, config: Config) -> Tried:
        order = self._order_for(config)
        try:
            try:
                tried = self._bench.ask(order, self._limit_s, self._go_on)
            except DiedError as death:
                if death.how != "SIGKILL":
                    raise
                # No config kills its process so: somebody else did, or memory ran out. Once more.
                self.replaced += 1
                tried = self._bench.ask(order, self._limit_s, self._go_on)
        except OverdueError:
            self.replaced += 1
            return Tried("timeout", f"still running after {self._limit_s:g} s")
        except DiedError as death:
            self.replaced += 1
            return Tried("runtime", f"its process died: {death}")
        if not isinstance(tried, Tried):
            raise BenchError(f"the bench worker answered with {type(tried).__name__}")
        if tried.fatal:
            # After one illegal address every later CUDA call of that process fails.
            self._bench.close()
            self.replaced += 1
            tried = replace(tried, fatal=False)
        return tried

    def _go_on(self) -> None:
        if self._ended or self._job.cancelled:
            raise _EndedError
