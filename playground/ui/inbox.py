"""Where one kernel's messages arrive in the window's thread."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Slot

if TYPE_CHECKING:
    from playground.ui.engine_process import EngineProcess
    from playground.ui.kernel_process import Kernel


class Inbox(QObject):
    """Receives one kernel's messages in the window's thread; those of a kernel gone are dropped."""

    def __init__(self, kernel: Kernel, engine: EngineProcess) -> None:
        super().__init__(engine)
        self._kernel = kernel
        self._engine = engine

    @Slot(object)
    def on_iopub(self, message: dict[str, Any]) -> None:
        """Hand on an output message."""
        if self._engine.kernel is self._kernel:
            self._engine.take_iopub(self._kernel, message)

    @Slot(object)
    def on_shell(self, message: dict[str, Any]) -> None:
        """Hand on a message of the shell channel."""
        if self._engine.kernel is self._kernel:
            self._engine.take_shell(self._kernel, message)

    @Slot(object)
    def on_control(self, message: dict[str, Any]) -> None:
        """Hand on a control message."""
        if self._engine.kernel is self._kernel:
            self._engine.take_control(self._kernel, message)
