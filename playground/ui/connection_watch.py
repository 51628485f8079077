"""Watches the connection to a kernel on another machine: how far it is, and whether it is lost."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal

if TYPE_CHECKING:
    from playground.ui.kernel_process import Kernel

EVERY_MS = 2000
LOST_S = 15.0
"""Without an answer for so long a connection that stood counts as lost."""
CONNECT_S = 90.0
"""A kernel that is only reached now may be importing torch over a network's disk."""


class ConnectionWatch(QObject):
    """Asks on the control channel, which a kernel answers while it is busy.

    `measured` carries the way there and back in ms; `lost` why the connection counts as lost.
    """

    measured = Signal(float)
    lost = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._kernel: Kernel | None = None
        self._asked: dict[str, float] = {}
        self._heard_at = 0.0
        self.latency_ms: float | None = None
        self.place = ""
        self._timer = QTimer(self)
        self._timer.setInterval(EVERY_MS)
        self._timer.timeout.connect(self._ask)

    def follow(self, kernel: Kernel) -> None:
        """Watch a kernel from now on, if it is far; the place is told with the first answer."""
        self.stop()
        self.place = kernel.place
        if kernel.far:
            self._kernel = kernel
            self._heard_at = time.monotonic()
            self._timer.start()
            self._ask()

    def stop(self) -> None:
        """Watch nothing."""
        self._timer.stop()
        self._kernel = None
        self._asked.clear()
        self.latency_ms = None

    def answered(self, message: dict[str, Any]) -> None:
        """Take an answer of the control channel: any tells that the connection stands."""
        if self._kernel is None:
            return
        now = time.monotonic()
        self._heard_at = now
        asked = self._asked.pop(message["parent_header"].get("msg_id", ""), None)
        if asked is not None:
            self.latency_ms = (now - asked) * 1e3
            self.measured.emit(self.latency_ms)

    def _ask(self) -> None:
        kernel = self._kernel
        if kernel is None or kernel.client is None:
            return
        now = time.monotonic()
        silent_s = now - self._heard_at
        if silent_s > (LOST_S if kernel.ready else CONNECT_S):
            self.lost.emit(f"{kernel.place or 'the kernel'} has not answered for {silent_s:.0f} s")
            return
        message = kernel.client.session.msg("kernel_info_request", {})
        if len(self._asked) > CONNECT_S:
            self._asked.clear()
        self._asked[message["header"]["msg_id"]] = now
        kernel.client.control_channel.send(message)
