"""Hearing of it when a process ends, on any system."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSocketNotifier, QTimer, Signal

if TYPE_CHECKING:
    from collections.abc import Callable

POLL_MS = 500
"""How often the process is looked at on systems that do not tell."""


class ProcessEnd(QObject):
    """Says once when the process `pid` has ended; the process need not be our child."""

    ended = Signal()

    def __init__(self, pid: int, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._fd: int | None = None
        self._notifier: QSocketNotifier | None = None
        self._timer: QTimer | None = None
        if sys.platform == "linux":
            # A process descriptor becomes readable when the process ends: no polling.
            self._fd = os.pidfd_open(pid)
            self._notifier = QSocketNotifier(self._fd, QSocketNotifier.Type.Read, self)
            self._notifier.activated.connect(self._tell)
        else:
            self._poll(pid)

    def stop(self) -> None:
        """Stop looking; nothing is said any more."""
        if self._timer is not None:
            self._timer.stop()
        if self._notifier is not None:
            self._notifier.setEnabled(False)
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def _poll(self, pid: int) -> None:
        has_ended = _end_of(pid)
        self._timer = QTimer(self)
        self._timer.setInterval(POLL_MS)
        self._timer.timeout.connect(lambda: self._tell() if has_ended() else None)
        self._timer.start()

    def _tell(self) -> None:
        self.stop()
        self.ended.emit()


def _end_of(pid: int) -> Callable[[], bool]:
    """Return what tells whether the process that has this id now has ended.

    A child that nobody waited for is still listed, as a zombie.
    """
    import psutil

    try:
        process = psutil.Process(pid)
    except psutil.NoSuchProcess:
        return lambda: True

    def ended() -> bool:
        try:
            return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return True

    return ended
