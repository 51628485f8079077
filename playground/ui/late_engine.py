"""An engine that can be spoken to before its own module is imported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playground.ui.engine_port import EnginePort

if TYPE_CHECKING:
    from playground.protocol.messages import Request
    from playground.ui.engine_process import EngineProcess
    from playground.ui.kernel_remote import RemotePlace


class LateEngine(EnginePort):
    """Stands for the engine process until `start`, and hands everything through from then on.

    The document needs an engine from its first moment, the process' client is only worth importing
    when the window is on screen.
    """

    def __init__(self, place: RemotePlace | None = None) -> None:
        super().__init__()
        self._place = place
        self.process: EngineProcess | None = None

    def start(self) -> None:
        """Import what it takes and begin to start the process."""
        if self.process is not None:
            return
        # The process' thread would import this as well, but two threads that import Qt's modules
        # at a time end the program now and then.
        from playground.ui.engine_process import EngineProcess

        self.process = process = EngineProcess(self)
        process.latencyMeasured.connect(self.latencyMeasured)
        if self._place is not None:
            process.use(self._place.launcher())
        process.reply.connect(self.reply)
        process.stateChanged.connect(self._set_state)
        process.died.connect(self.died)
        process.start()

    def move(self, place: RemotePlace | None) -> None:
        """Go on with an engine at another place; None is this machine.

        Raises
        ------
        PlaceError
            The place cannot be one.
        """
        if self.process is not None:
            self.process.move(place)
        self._place = place

    @property
    def place(self) -> str:
        """Where the engine runs, for people; an empty text on this machine."""
        return "" if self._place is None else self._place.text()

    def send(self, request: Request, file: int = 0) -> int:
        """Send `request`; raises `RuntimeError` before `start`, when nobody could answer."""
        if self.process is None:
            raise RuntimeError("the engine was not started yet")
        return self.process.send(request, file)

    def interrupt(self) -> None:
        """Interrupt what the process runs."""
        if self.process is not None:
            self.process.interrupt()

    def restart(self) -> None:
        """Replace the process by a fresh one."""
        if self.process is None:
            self.start()
        else:
            self.process.restart()

    def shutdown(self) -> None:
        """End the process."""
        if self.process is not None:
            self.process.shutdown()
