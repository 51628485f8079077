"""Watches the job at work from a thread: a cancel that it does not look at, a kernel without end.

Python code is interrupted as Ctrl-C would. A GPU kernel that never ends cannot be: whoever waits
for it stands in the CUDA driver for good, and only the end of the process helps.
"""

from __future__ import annotations

import _thread
import contextlib
import os
import signal
import threading
import time
from typing import TYPE_CHECKING

from playground.engine.findings import EndlessKernelError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playground.engine.job import Job

RUN_LIMIT_S = 30.0
"""How long a kernel may run that somebody waits for; `PLAYGROUND_RUN_LIMIT_S` sets another."""
GRACE_S = 5.0
"""How long a cancelled job may take to look at that by itself."""
_LOOK_S = 0.5
_SIGN_OF_LIFE = signal.SIGRTMAX
"""A signal that nothing else here uses, and that is never sent to another process."""


def run_limit_s() -> float:
    """Return how long a kernel may run, in seconds; what is set to no number counts as unset."""
    try:
        return float(os.environ.get("PLAYGROUND_RUN_LIMIT_S", "")) or RUN_LIMIT_S
    except ValueError:
        return RUN_LIMIT_S


class JobWatch:
    """Asks the job's thread twice a second for a sign of life, which only running Python gives.

    Parameters
    ----------
    gpu_is_busy
        Tells whether the GPU still works on what this process gave it; None without a GPU. Asked
        only while the job's thread waits in one call for long: asking in between could disturb a
        graph's capture.
    """

    def __init__(self, gpu_is_busy: Callable[[], bool] | None = None) -> None:
        self.gpu_is_busy = gpu_is_busy
        self._lock = threading.Lock()
        self._job: Job | None = None
        self._lives = True

    @contextlib.contextmanager
    def over(self, job: Job, end: Callable[[BaseException], None]) -> Iterator[None]:
        """Watch `job`, done by the main thread, until this ends.

        `end` is called from the watching thread with an `EndlessKernelError` when nothing but the
        end of the process helps.
        """
        done = threading.Event()
        self._lives = True
        before = signal.signal(_SIGN_OF_LIFE, self._live)
        with self._lock:
            self._job = job
        watcher = threading.Thread(
            target=self._watch, args=(job, done, end), name="job-watch", daemon=True
        )
        watcher.start()
        try:
            yield
        finally:
            # Whoever holds the lock may just be interrupting: that lands here, not in the next job.
            with self._lock:
                self._job = None
            done.set()
            signal.signal(_SIGN_OF_LIFE, before)

    def _live(self, _number: int, _frame: object) -> None:
        self._lives = True

    def _watch(self, job: Job, done: threading.Event, end: Callable[[BaseException], None]) -> None:
        limit = run_limit_s()
        since = time.monotonic()
        cancelled_at: float | None = None
        while not done.wait(_LOOK_S):
            now = time.monotonic()
            if job.cancelled and cancelled_at is None:
                cancelled_at = now
            if self._lives:
                since, self._lives = now, False
                self._send(job, _SIGN_OF_LIFE)
            overdue = cancelled_at is not None and now - cancelled_at > GRACE_S
            waits_s = now - since
            if waits_s > (min(limit, GRACE_S) if overdue else limit) and self._gpu_is_busy():
                end(EndlessKernelError(_message(waits_s)))
                return
            if overdue:
                cancelled_at = now
                self._send(job, signal.SIGINT)

    def _gpu_is_busy(self) -> bool:
        return self.gpu_is_busy is not None and self.gpu_is_busy()

    def _send(self, job: Job, number: signal.Signals) -> None:
        # Not a real signal, which would also cut the call short that the thread waits in.
        with self._lock:
            if self._job is job:
                _thread.interrupt_main(number)


def _message(seconds: float) -> str:
    return (
        f"a kernel has not ended after {seconds:.0f} s, and nothing but the end of its process "
        "stops it"
    )


def cuda_is_busy() -> bool:
    """Tell whether the GPU still works on what this process has launched."""
    import torch

    try:
        return not torch.cuda.default_stream().query()
    except RuntimeError:
        return False  # the context is broken, which the waiting call tells by itself
