"""Newest wins: at most one replay in flight and one waiting, so a drag leaves no backlog."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from playground.protocol import messages

if TYPE_CHECKING:
    from playground.ui.engine_port import EnginePort


class ReplayQueue(QObject):
    """Sends replays one at a time; a newer one replaces the waiting and cancels the running one.

    The owner passes every reply on to `finished`, and hears `started` and `idle`.
    """

    started = Signal(int)
    idle = Signal()

    def __init__(self, engine: EnginePort, parent: QObject | None = None, file: int = 0) -> None:
        super().__init__(parent)
        self._engine = engine
        self._file = file
        self._job: int | None = None
        self._running: messages.Replay | None = None
        self._waiting: messages.Replay | None = None
        self._cancel_sent = False
        self._paused = False

    @property
    def job(self) -> int | None:
        """The job of the replay in flight, or None."""
        return self._job

    @property
    def running(self) -> messages.Replay | None:
        """The replay in flight, or None."""
        return self._running

    @property
    def waiting(self) -> messages.Replay | None:
        """The replay that goes next, or None."""
        return self._waiting

    def submit(self, replay: messages.Replay) -> None:
        """Send `replay` now, or as soon as the one in flight ends; that one is cancelled."""
        self._waiting = replay
        if self._job is None:
            self._send_next()
        else:
            self.cancel_running()

    def cancel_running(self) -> None:
        """Ask the engine to stop the replay in flight at its next step."""
        if self._job is not None and not self._cancel_sent:
            self._cancel_sent = True
            self._engine.send(messages.Cancel(self._job))

    def cancel_all(self) -> None:
        """Drop the waiting replay and cancel the one in flight."""
        self._waiting = None
        self.cancel_running()

    def pause(self, paused: bool) -> None:
        """Hold the waiting replay back while a run or a sweep has the engine."""
        self._paused = paused
        if not paused and self._job is None:
            self._send_next()

    def finished(self, job: int) -> None:
        """Take note that `job` ended; the waiting replay goes out."""
        if job != self._job:
            return
        self._job = None
        self._running = None
        self._send_next()
        if self._job is None:
            self.idle.emit()

    def reset(self) -> None:
        """Forget everything: the engine that had it is gone."""
        self._job = None
        self._running = None
        self._waiting = None
        self._paused = False

    def _send_next(self) -> None:
        if self._waiting is None or self._paused:
            return
        replay, self._waiting = self._waiting, None
        self._cancel_sent = False
        self._running = replay
        self._job = self._engine.send(replay, self._file)
        self.started.emit(self._job)
