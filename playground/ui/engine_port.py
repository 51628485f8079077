"""The window's side of the border to the engine: requests go out, replies come back as signals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from playground.protocol.messages import Request
    from playground.ui.kernel_remote import RemotePlace

STATES = ("starting", "ready", "busy", "restarting", "dead")
"""What an engine can be; `stateChanged` carries one of them."""


class EnginePort(QObject):
    """An engine as the document sees it: the real kernel process, or a fake in tests.

    `reply` carries a reply and the job it belongs to; the last reply of every job is `Finished`.
    `latencyMeasured` carries the way to an engine elsewhere and back, in ms.
    A fresh engine announces itself with `Ready` as job 0. After `dead` or `restarting` no reply of
    an older job comes any more. `died` says why an engine ended that nobody asked to end.
    """

    reply = Signal(object, int)
    stateChanged = Signal(str)
    died = Signal(str)
    latencyMeasured = Signal(float)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._state = "starting"

    @property
    def state(self) -> str:
        """One of `STATES`."""
        return self._state

    @property
    def place(self) -> str:
        """Where the engine runs, for people; an empty text on this machine."""
        return ""

    def start(self) -> None:
        """Begin to start the engine; returns at once, `stateChanged` tells when it is ready."""
        raise NotImplementedError

    def send(self, request: Request, file: int = 0) -> int:
        """Send `request` and return the job number that its replies will carry.

        `file` is the number of the open file that it is about.
        """
        raise NotImplementedError

    def interrupt(self) -> None:
        """Interrupt whatever the engine runs now, as Ctrl+C would; the engine stays alive."""
        raise NotImplementedError

    def restart(self) -> None:
        """Replace the engine by a fresh one; everything it held is lost."""
        raise NotImplementedError

    def move(self, place: RemotePlace | None) -> None:
        """Go on with an engine at another place, None being this machine; all it held is lost."""
        raise NotImplementedError

    def shutdown(self) -> None:
        """End the engine and free all it used; the port cannot be used again."""
        raise NotImplementedError

    def _set_state(self, state: str) -> None:
        if state != self._state:
            self._state = state
            self.stateChanged.emit(state)
