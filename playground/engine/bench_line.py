"""The configs of a sweep that wait for its bench workers, tried while others compile."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from playground.engine.bench_messages import Tried
from playground.engine.bench_process import BenchError, DiedError, LostError, OverdueError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from playground.engine.bench_messages import Try
    from playground.engine.bench_process import Bench
    from playground.engine.job import Job
    from playground.model.config import Config

_WAIT_S = 0.05


class _EndedError(Exception):
    """The sweep was cancelled or has ended; the worker need not go on."""


@dataclass(frozen=True)
class _Waiting:
    """A config, and the worker that was lost under it, if one was."""

    config: Config
    lost_on: int | None = None


class BenchLine:
    """A thread for each bench worker, which takes configs in order and has each tried.

    A config whose worker is lost (its host, its engine, killed from outside) is tried once more, by
    another worker where there is one; the lost one is replaced.

    Parameters
    ----------
    limit_s
        Seconds that one config may take.
    order_for
        Makes the order for a config when its turn comes on a worker.
    on_tried
        Called in the worker's thread with what came of each.
    on_ready
        Called in the worker's thread once it stands before the launch.
    on_turn
        Called in the worker's thread before each config, and told whether there is none to try yet.
    """

    def __init__(
        self, benches: Sequence[Bench], job: Job, limit_s: float,
        order_for: Callable[[Config, Bench], Try],
        on_tried: Callable[[Config, Tried, Bench], None],
        on_ready: Callable[[Bench, Callable[[], None]], None] = lambda _bench, _go_on: None,
        on_turn: Callable[[Bench, Callable[[], None], bool], None] = lambda *_: None,
    ) -> None:  # fmt: skip
        self._benches = list(benches)
        self._job = job
        self._limit_s = limit_s
        self._order_for = order_for
        self._on_tried = on_tried
        self._on_ready = on_ready
        self._on_turn = on_turn
        self._waiting: deque[_Waiting] = deque()
        self._changed = threading.Condition()
        self._busy = 0
        self._ended = False
        self._failure: BaseException | None = None
        self._out: dict[int, str] = {}
        self.replaced = 0
        self._threads = [
            threading.Thread(target=self._run, args=(index,), daemon=True, name="bench-line")
            for index in range(len(self._benches))
        ]
        for thread in self._threads:
            thread.start()

    def put(self, config: Config) -> None:
        """Add a config at the end of the line."""
        with self._changed:
            self._waiting.append(_Waiting(config))
            self._changed.notify_all()

    @property
    def backlog(self) -> int:
        """How many configs wait or are being tried, and workers that are in their turn."""
        with self._changed:
            return len(self._waiting) + self._busy

    @property
    def problem(self) -> str:
        """Why no worker is of use, empty while one is."""
        with self._changed:
            return self._problem()

    def given_up(self) -> dict[int, str]:
        """Return the workers that are of no use, by number, and why."""
        with self._changed:
            return dict(self._out)

    def wait(self, backlog: int, go_on: Callable[[], None]) -> None:
        """Wait until no more than `backlog` configs are left, or no worker is of use.

        Raises what went wrong in a worker's thread, and what `go_on` raises.
        """
        while True:
            with self._changed:
                if self._failure is not None:
                    raise self._failure
                if self._problem() or len(self._waiting) + self._busy <= backlog:
                    return
                self._changed.wait(_WAIT_S)
            go_on()

    def left(self) -> list[Config]:
        """Take out and return the configs that nobody has tried."""
        with self._changed:
            found = [item.config for item in self._waiting]
            self._waiting.clear()
            return found

    def end(self) -> None:
        """Stop: what is being tried ends with its process."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    # ------------------------------------------------------------------ the workers' threads

    def _run(self, index: int) -> None:
        bench = self._benches[index]
        try:
            self._make_ready(bench)
            while self._take_turn(index) and self._await(index):
                self._job.wait_while_paused()
                self._go_on()
                with self._changed:
                    place = self._place(index)
                    if place is None:
                        continue  # another worker was quicker
                    item = self._waiting[place]
                    del self._waiting[place]
                    self._busy += 1
                try:
                    tried = self._try(item, index)
                    if tried is not None:
                        self._on_tried(item.config, tried, bench)
                finally:
                    with self._changed:
                        self._busy -= 1
                        self._changed.notify_all()
                if tried is None:
                    self._make_ready(bench)  # one that takes the place of the one lost
        except _EndedError:
            return
        except BenchError as error:
            with self._changed:
                self._out[index] = str(error)
                self._changed.notify_all()
        except BaseException as error:  # handed to the thread that waits
            with self._changed:
                self._failure = error
                self._changed.notify_all()

    def _make_ready(self, bench: Bench) -> None:
        bench.make_ready(self._go_on)
        self._on_ready(bench, self._go_on)

    def _take_turn(self, index: int) -> bool:
        """Offer a moment between two configs; False when the line has ended.

        A worker in its turn is busy: were the line ended under it, its process would end as well,
        and who needs that worker next would wait for another one to start.
        """
        with self._changed:
            if self._ended:
                return False
            idle = self._place(index) is None
            self._busy += 1
        try:
            self._on_turn(self._benches[index], self._go_on, idle)
        finally:
            with self._changed:
                self._busy -= 1
                self._changed.notify_all()
        return True

    def _await(self, index: int) -> bool:
        """Wait for a config that this worker may try; False when the line has ended."""
        with self._changed:
            while self._place(index) is None and not self._ended:
                self._changed.wait(_WAIT_S)
            return not self._ended

    def _place(self, index: int) -> int | None:
        """Return where in the line the first config is that this worker may try."""
        alone = len(self._out) >= len(self._benches) - 1
        for place, item in enumerate(self._waiting):
            if alone or item.lost_on != index:
                return place
        return None

    def _problem(self) -> str:
        if len(self._out) < len(self._benches):
            return ""
        return next(iter(self._out.values()), "there is no bench worker")

    def _try(self, item: _Waiting, index: int) -> Tried | None:
        """Return what came of a config, None where it went back into the line."""
        bench = self._benches[index]
        order = self._order_for(item.config, bench)
        try:
            tried = bench.ask(order, self._limit_s, self._go_on)
        except OverdueError:
            self.replaced += 1
            return Tried("timeout", f"still running after {self._limit_s:g} s")
        except (DiedError, LostError) as death:
            self.replaced += 1
            # No config kills its process so: somebody else did, or memory ran out.
            lost = isinstance(death, LostError) or death.how == "SIGKILL"
            if lost and item.lost_on is None:
                with self._changed:
                    self._waiting.appendleft(_Waiting(item.config, index))
                return None
            if isinstance(death, LostError):
                return Tried("runtime", f"two workers were lost under it: {death}")
            return Tried("runtime", f"its process died: {death}")
        except BenchError:
            with self._changed:
                self._waiting.appendleft(item)  # the worker is of no use, which says nothing of it
            raise
        if not isinstance(tried, Tried):
            raise BenchError(f"the bench worker answered with {type(tried).__name__}")
        if tried.fatal:
            # After one illegal address every later CUDA call of that process fails.
            bench.close()
            self.replaced += 1
            tried = replace(tried, fatal=False)
        return tried

    def _go_on(self) -> None:
        if self._ended or self._job.cancelled:
            raise _EndedError
