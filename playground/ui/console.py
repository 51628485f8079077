"""The console dock: an IPython console on the engine's own kernel, built once that is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

if TYPE_CHECKING:
    from playground.ui.console_widget import ConsoleWidget
    from playground.ui.document import Document
    from playground.ui.engine_port import EnginePort
    from playground.ui.theme import Theme


class ConsoleView(QWidget):
    """Shows a note until the first kernel runs, then qtconsole's widget, for good.

    Output of runs and console alike appears here, because both are sent from one client.
    """

    def __init__(
        self,
        document: Document,
        theme: Theme,
        engine: EnginePort,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("console")
        self.setAccessibleName("IPython console")
        self._document = document
        self._theme = theme
        self._engine = engine
        self._widget: ConsoleWidget | None = None
        self._note = QLabel("The console opens when the engine is ready.", self)
        self._note.setObjectName("console.note")
        self._note.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.addWidget(self._note)
        theme.changed.connect(self._apply_theme)
        changed = getattr(engine, "clientChanged", None)
        if changed is None:
            self._note.setText("This engine has no console.")
            return
        changed.connect(self._take_client)
        if (client := getattr(engine, "client", None)) is not None:
            self._take_client(client)

    @property
    def widget(self) -> ConsoleWidget | None:
        """The console itself, or None before the engine was there."""
        return self._widget

    def text(self) -> str:
        """Return all text the console shows."""
        return self._widget.text() if self._widget is not None else ""

    def execute(self, code: str) -> None:
        """Execute `code` as if the user had typed it; does nothing before the engine is there."""
        if self._widget is not None:
            self._widget.execute(code)

    def _take_client(self, client: object) -> None:
        if self._widget is None:
            from playground.ui.console_widget import ConsoleWidget

            widget = ConsoleWidget()
            widget.setObjectName("console.qtconsole")
            widget.edit.setAccessibleName("IPython console")
            widget.custom_interrupt_requested.connect(self._document.interrupt)
            widget.custom_restart_requested.connect(self._document.restart)
            self._widget = widget
            self._layout.replaceWidget(self._note, widget)
            self._note.deleteLater()
            self.setFocusProxy(widget.edit)
            self._apply_theme()
        self._widget.kernel_client = client

    def _apply_theme(self) -> None:
        if self._widget is not None:
            self._widget.apply_theme(self._theme)
