"""A job: one request being worked on, which can report progress and be cancelled."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from playground.protocol.messages import Progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.protocol.messages import Reply


class CancelledError(Exception):
    """The user cancelled the job; raised between steps by `Job.check`."""


class Job:
    """What a long piece of work is handed: where its replies go, and whether to go on.

    The default job reports nowhere and is never cancelled, so library and command-line callers
    need not make one. `cancel` may be called from another thread.
    """

    def __init__(self, reply: Callable[[Reply], None] | None = None) -> None:
        self._reply = reply
        self._cancelled = threading.Event()
        self._goes_on = threading.Event()
        self._goes_on.set()
        self._paused_since: float | None = None
        self._paused_s = 0.0
        self._listener: Callable[[object], None] | None = None
        self._untaken: list[object] = []
        self._telling = threading.Lock()

    def cancel(self) -> None:
        """Ask the job to stop at its next step."""
        self._cancelled.set()

    @property
    def cancelled(self) -> bool:
        """Whether somebody asked the job to stop."""
        return self._cancelled.is_set()

    def pause(self) -> None:
        """Ask the job to wait at its next step, keeping what it has."""
        if self._paused_since is None:
            self._paused_since = time.monotonic()
        self._goes_on.clear()

    def resume(self) -> None:
        """Let a paused job go on."""
        since, self._paused_since = self._paused_since, None
        if since is not None:
            self._paused_s += time.monotonic() - since
        self._goes_on.set()

    @property
    def paused_s(self) -> float:
        """Seconds for which the job was told to wait, up to now."""
        since = self._paused_since
        return self._paused_s + (time.monotonic() - since if since is not None else 0.0)

    @property
    def paused(self) -> bool:
        """Whether somebody asked the job to wait."""
        return not self._goes_on.is_set()

    def wait_while_paused(self) -> None:
        """Wait here for as long as the job is paused; raises `CancelledError` when cancelled."""
        self.check()
        while not self._goes_on.wait(0.05):
            self.check()

    def tell(self, content: object) -> None:
        """Hand over what the asker says while the job goes on; kept until somebody listens."""
        with self._telling:
            if self._listener is None:
                self._untaken.append(content)
                return
            self._listener(content)

    def listen(self, take: Callable[[object], None]) -> None:
        """Have `take` called, in the teller's thread, with what is told to the job."""
        with self._telling:
            self._listener = take
            for content in self._untaken:
                take(content)
            self._untaken.clear()

    def check(self) -> None:
        """Raise `CancelledError` if somebody asked the job to stop."""
        if self._cancelled.is_set():
            raise CancelledError

    def progress(self, text: str, fraction: float | None = None) -> None:
        """Report how far the job is, and stop here if it was cancelled."""
        self.check()
        self.send(Progress(text, fraction))

    def send(self, reply: Reply) -> None:
        """Hand a reply to whoever asked."""
        if self._reply is not None:
            self._reply(reply)


@dataclass(frozen=True)
class Later:
    """The rest of a job, for a thread beside the one that jobs and the console share.

    `work` takes nothing from the session and returns the job's reply.
    """

    work: Callable[[], Reply]
