"""The compile workers as processes: started when needed, replaced when they die, ended with us."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import deque
from dataclasses import dataclass
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any

from playground.engine import compile_crashes
from playground.engine.child_process import usable_cores
from playground.engine.compile_process import WorkerProcess, most_workers
from playground.engine.stages_reached import Reached

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from playground.engine.compile_messages import Answer, Order, UseFile
    from playground.engine.job import Job

COMPILE_LIMIT_S = 60.0
"""Longer than this no compilation may take; its worker is ended."""

_POLL_S = 0.05
_ORDERS_A_WORKER = 4
"""Orders that must wait before another worker is worth its start of about 1.5 s."""
_ABANDONED_S = 5.0
"""For so long a worker may go on with what was cancelled while others wait for one."""


@dataclass
class _Task:
    key: Any
    order: Order
    retried: bool = False


class WorkerPool:
    """Hands orders to workers, at most one at a time each."""

    def __init__(self) -> None:
        self._workers: list[WorkerProcess] = []
        self._lock = threading.RLock()
        self.limit = most_workers()
        self._cores: frozenset[int] = frozenset()

    @property
    def count(self) -> int:
        """How many worker processes there are now."""
        return len(self._workers)

    def prestart(self, use: UseFile) -> None:
        """Start the first worker now, so that it has torch and the file when it is needed."""
        with self._lock:
            if not self._workers:
                self._start().take(use)

    def start_all(self, spared: int) -> None:
        """Start as many workers as there may be, but for `spared`: much is about to be compiled."""
        with self._lock:
            while len(self._workers) < max(1, self.limit - spared):
                self._start()

    def adopt(self, workers: Iterable[WorkerProcess]) -> None:
        """Take over workers that were started before there was a pool."""
        with self._lock:
            self._workers += workers

    @contextlib.contextmanager
    def kept_to(self, cores: Iterable[int]) -> Iterator[None]:
        """Let the workers use these cores only meanwhile: what is timed on the others is quiet."""
        before, limit = usable_cores(), self.limit
        self._cores = frozenset(cores)
        self.limit = min(limit, max(1, len(self._cores)))
        try:
            self._move(self._cores)
            yield
        finally:
            self.limit, self._cores = limit, frozenset()
            self._move(before)

    def _move(self, cores: Iterable[int]) -> None:
        wanted = frozenset(cores)
        for worker in list(self._workers):
            with contextlib.suppress(ProcessLookupError):  # it ended just now
                worker.move_to(wanted)

    def run(
        self,
        orders: Iterable[tuple[Any, Order]],
        use: UseFile,
        job: Job,
        on_answer: Callable[[Any, Answer], None],
        more: Callable[[], Iterable[tuple[Any, Order]] | None] = lambda: None,
    ) -> None:
        """Carry out all orders; `on_answer(key, answer)` is called here as each ends.

        Parameters
        ----------
        more
            Asked again and again for what has come up since; None once nothing will.

        Raises
        ------
        CancelledError
            The job was cancelled. Compilations under way go on, and their answers are dropped.
        """
        with self._lock:
            pending = deque(_Task(key, order) for key, order in orders)
            active: dict[WorkerProcess, _Task] = {}
            while (later := more()) is not None or pending or active:
                job.check()
                pending += [_Task(key, order) for key, order in later or ()]
                if not pending and not active:
                    time.sleep(_POLL_S)
                    continue
                self._assign(pending, active, use)
                for worker in self._ready():
                    self._take_answer(worker, active, pending, on_answer)
                self._end_overdue(active, on_answer)

    def end_busy(self) -> None:
        """End the workers that are still busy with what nobody waits for any more."""
        with self._lock:
            for worker in [item for item in self._workers if item.awaited is not None]:
                self._drop(worker)

    def close(self) -> None:
        """End every worker."""
        with self._lock:
            for worker in self._workers:
                worker.close()
            self._workers.clear()

    def _start(self) -> WorkerProcess:
        worker = WorkerProcess(self._cores)
        self._workers.append(worker)
        return worker

    def _assign(
        self, pending: deque[_Task], active: dict[WorkerProcess, _Task], use: UseFile
    ) -> None:
        wanted = 1 + len(pending) // _ORDERS_A_WORKER
        while pending:
            for dead in [item for item in self._workers if item.awaited is None and not item.alive]:
                self._drop(dead)  # it ended between two orders
            worker = next((item for item in self._workers if item.awaited is None), None)
            if worker is None:
                full = len(self._workers) >= self.limit
                # When all are busy with what was cancelled, one more may take the next order.
                spare = not active and len(self._workers) <= self.limit
                if not active and not spare and not self._end_abandoned():
                    return
                if active and (len(active) >= wanted or full):
                    return
                worker = self._start()
            task = pending.popleft()
            try:
                worker.take(use)
                worker.reached = None
                worker.awaited = worker.send(task.order)
            except OSError:  # it ended just now
                self._drop(worker)
                pending.appendleft(task)
                continue
            worker.deadline = time.monotonic() + COMPILE_LIMIT_S
            active[worker] = task

    def _end_abandoned(self) -> bool:
        """End the worker that is longest busy with what was cancelled; tells whether there is one.

        A file's own text can keep it from ever being ready again (`while True:`, half-typed).
        """
        oldest = min(self._workers, key=lambda item: item.deadline)
        if time.monotonic() - (oldest.deadline - COMPILE_LIMIT_S) < _ABANDONED_S:
            return False
        self._drop(oldest)
        return True

    def _ready(self) -> list[WorkerProcess]:
        busy = {item.connection: item for item in self._workers if item.awaited is not None}
        return [busy[found] for found in wait(list(busy), _POLL_S)]  # type: ignore[index]

    def _take_answer(
        self,
        worker: WorkerProcess,
        active: dict[WorkerProcess, _Task],
        pending: deque[_Task],
        on_answer: Callable[[Any, Answer], None],
    ) -> None:
        try:
            message = worker.receive()
        except (EOFError, OSError):
            how, printed = worker.death()
            self._drop(worker)
            task = active.pop(worker, None)
            if task is not None and how == "SIGKILL" and not task.retried:
                # No compiler kills itself so: somebody else did, or memory ran out. Once more.
                task.retried = True
                pending.append(task)
            elif task is not None:
                died = compile_crashes.died(task.order, how, printed, worker.reached)
                on_answer(task.key, died)
            return
        if isinstance(message.content, Reached):
            if message.number == worker.awaited:
                worker.reached = message.content
            return
        if message.number != worker.awaited:
            return
        worker.awaited = None
        task = active.pop(worker, None)
        if task is None:  # the job that wanted it was cancelled
            return
        answer: Answer = message.content
        if answer.load_failed and worker.files_taken > 1 and not task.retried:
            # Some modules cannot be executed twice in one process (operators registered by name).
            self._drop(worker)
            task.retried = True
            pending.append(task)
            return
        on_answer(task.key, answer)

    def _end_overdue(
        self, active: dict[WorkerProcess, _Task], on_answer: Callable[[Any, Answer], None]
    ) -> None:
        now = time.monotonic()
        for worker in list(self._workers):
            if worker.awaited is None or now < worker.deadline:
                continue
            self._drop(worker)
            task = active.pop(worker, None)
            if task is not None:
                late = compile_crashes.overdue(task.order, COMPILE_LIMIT_S, worker.reached)
                on_answer(task.key, late)

    def _drop(self, worker: WorkerProcess) -> None:
        self._workers.remove(worker)
        worker.close()
