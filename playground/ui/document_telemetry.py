"""The GPU's clocks, temperature and power over the last minutes, asked for once a second."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal

from playground.model.measurement import ClockState
from playground.protocol import messages

if TYPE_CHECKING:
    from playground.ui.document import Document

PERIOD_MS = 1000
KEPT_S = 300.0
"""How far back the strip looks."""


@dataclass(frozen=True)
class Moment:
    """The GPU's state at one time, in seconds of a clock that only goes forward."""

    at_s: float
    state: ClockState


class Telemetry(QObject):
    """Keeps the last minutes; it asks only while somebody looks, and never twice at a time."""

    changed = Signal()

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self._document = document
        self._moments: deque[Moment] = deque()
        self._watched = False
        self._waiting = False
        self._timer = QTimer(self)
        self._timer.setInterval(PERIOD_MS)
        self._timer.timeout.connect(self._ask)
        document.deviceChanged.connect(self._decide)
        document.engineStateChanged.connect(self._on_engine)

    @property
    def moments(self) -> tuple[Moment, ...]:
        """The last minutes, oldest first."""
        return tuple(self._moments)

    @property
    def latest(self) -> ClockState:
        """The newest state; all None before there is one."""
        return self._moments[-1].state if self._moments else ClockState()

    @property
    def available(self) -> bool:
        """Whether there is a GPU to watch."""
        device = self._document.device
        return device is not None and device.mode == "gpu"

    def watch(self, on: bool) -> None:
        """Ask from now on, or stop asking: nobody sees it."""
        self._watched = on
        self._decide()

    def stop(self) -> None:
        """Ask no more."""
        self._timer.stop()

    def add(self, at_s: float, state: ClockState) -> None:
        """Take a state; what is older than the strip shows is dropped."""
        self._moments.append(Moment(at_s, state))
        while at_s - self._moments[0].at_s > KEPT_S:
            self._moments.popleft()
        self.changed.emit()

    def _decide(self) -> None:
        wanted = self._watched and self.available
        if wanted and not self._timer.isActive():
            self._timer.start()
        elif not wanted:
            self._timer.stop()

    def _ask(self) -> None:
        if self._waiting or self._document.engine_state not in ("ready", "busy"):
            return
        self._waiting = True
        self._document.work.ask(messages.GetClocks(), "clocks", self._take)

    def _take(self, reply: Any) -> None:
        if isinstance(reply, messages.Clocks):
            self.add(time.monotonic(), reply.state)
        elif isinstance(reply, messages.Finished):
            self._waiting = False

    def _on_engine(self, state: str) -> None:
        if state in ("dead", "restarting"):
            self._waiting = False
