"""The driver's code under the driver bar: written by the app or the user, edited, put back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from playground.model.outline import Driver
from playground.ui.editor.code_editor import CodeEditor
from playground.ui.icons import icon

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent

    from playground.ui.document import Document
    from playground.ui.theme import Theme

_FOUND = "Written by the app, and changed until it ran: change what you like, then Ctrl+Enter."
DRIVER_FILE = "<driver>"
"""The file name of findings about the driver's own lines."""

_MOST_LINES = 14
_LEAST_LINES = 3


class _Code(CodeEditor):
    """The editor of the kernel file again, in which Ctrl+Enter runs."""

    runWanted = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Run with Ctrl+Enter."""
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.runWanted.emit()
            event.accept()
        else:
            super().keyPressEvent(event)


class DriverEditor(QWidget):
    """Shows the chosen driver's code; an edit makes it a typed driver of the document.

    `edited` carries the code to remember for this file, empty when the written one is back.
    """

    edited = Signal(str)
    runWanted = Signal()
    closeWanted = Signal()

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("driverEditor")
        self.setAccessibleName("Driver editor")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._document = document
        self._theme = theme
        self._origin: Driver | None = None
        self._highest = 0
        self._build()
        self.code.edited.connect(self._take)
        self.code.runWanted.connect(self.runWanted)
        document.driverChanged.connect(self.refresh)
        document.outlineChanged.connect(self.refresh)
        document.findingsChanged.connect(self._show_findings)
        theme.changed.connect(self._redraw_icons)
        self._redraw_icons()
        self.refresh()

    def _build(self) -> None:
        space = self.fontMetrics().height() // 4
        self._note = QLabel(self)
        self._note.setObjectName("driver.note")
        self._note.setProperty("role", "muted")
        self._note.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.reset = QPushButton("Reset to the written one", self)
        self.reset.setObjectName("driver.reset")
        self.reset.setAccessibleName("Reset the driver to the one the app wrote")
        self.reset.setToolTip("Drop the changes and take the driver that the app wrote")
        self.reset.clicked.connect(self.put_back)
        self._close = QToolButton(self)
        self._close.setObjectName("driver.close")
        self._close.setAccessibleName("Hide the driver's code")
        self._close.setToolTip("Hide the driver's code")
        self._close.setAutoRaise(True)
        self._close.setIconSize(QSize(14, 14))
        self._close.clicked.connect(self.closeWanted)
        top = QHBoxLayout()
        top.setContentsMargins(3 * space, space, 2 * space, space)
        top.setSpacing(2 * space)
        top.addWidget(self._note, 1)
        top.addWidget(self.reset)
        top.addWidget(self._close)
        self.code = _Code(self._theme, self)
        self.code.setObjectName("driver.code")
        self.code.setAccessibleName("Driver code")
        self.code.setPlaceholderText("Python that launches kernels, for example  add(x, y)")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(top)
        layout.addWidget(self.code)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    # --------------------------------------------------------------------------- showing

    def refresh(self) -> None:
        """Show the document's driver."""
        driver = self._document.driver
        if driver is not None and driver.kind == "generated":
            self._origin = driver
        text = driver.code if driver is not None else ""
        if text != self.code.text():
            self.code.load(text)
        # The file's own statements are in the file: nothing to edit here.
        self.code.setReadOnly(driver is not None and driver.kind == "main")
        found = self._document.is_found(driver)
        self._note.setText(_FOUND if found else self._said(driver))
        self._note.setToolTip(self._note.text())
        typed = driver is not None and driver.kind == "typed"
        self.reset.setVisible(typed and self.written() is not None)
        self._fit_height()
        self._show_findings()

    def written(self) -> Driver | None:
        """Return the driver of the app's own that a typed one came from, or could come from."""
        offered = [d for d in self._document.outline.drivers if d.kind == "generated"]
        label = self._origin.label if self._origin is not None else ""
        return next((d for d in offered if d.label == label), offered[0] if offered else None)

    @staticmethod
    def _said(driver: Driver | None) -> str:
        if driver is None:
            return "Type what launches a kernel: a call of this file's functions."
        if driver.kind == "generated":
            return "Written by the app: change what you like, then Ctrl+Enter."
        if driver.kind == "typed":
            return "Your driver for this file; it is remembered. Ctrl+Enter runs it."
        if driver.kind == "main":
            return "The file's own statements run: there is no code to edit here."
        return "What runs after the file is loaded. Change it, then Ctrl+Enter."

    def _fit_height(self) -> None:
        lines = min(max(self.code.blockCount(), _LEAST_LINES), _MOST_LINES)
        spacing = self.code.fontMetrics().lineSpacing()
        margins = 2 * self.code.document().documentMargin() + 2 * self.code.frameWidth()
        # Half a line more, and room for the scroll bar of long lines: all lines are in view.
        bar = self.code.horizontalScrollBar().sizeHint().height()
        height = round((lines + 0.5) * spacing + margins) + bar
        least = round((_LEAST_LINES + 0.5) * spacing + margins) + bar
        self.code.setFixedHeight(max(min(height, self._highest or height), least))

    def set_highest(self, height: int) -> None:
        """Take no more than `height` pixels for the code: the file's own text needs room, too."""
        if height != self._highest:
            self._highest = height
            self._fit_height()

    def _show_findings(self) -> None:
        self.code.set_findings(
            [finding for finding in self._document.findings if finding.file == DRIVER_FILE]
        )

    def _redraw_icons(self) -> None:
        self.reset.setIcon(icon("reset", self._theme))
        self._close.setIcon(icon("chevron-up", self._theme, "muted"))

    # ---------------------------------------------------------------------------- editing

    def _take(self, text: str) -> None:
        self._fit_height()
        driver = self._document.driver
        if driver is not None and text == driver.code:
            return  # Qt tells of a change when the text is only coloured, too
        code = text.strip()
        written = self.written()
        if written is not None and code == written.code.strip():
            self.put_back()
        elif code:
            self._document.set_driver(Driver("typed", "your driver", text))
            self.edited.emit(text)
        elif self._document.driver is not None and self._document.driver.kind == "typed":
            self.edited.emit("")

    def put_back(self) -> None:
        """Take the driver that the app wrote in place of the edited one."""
        written = self.written()
        if written is not None:
            self.edited.emit("")
            self._document.set_driver(written)

    def go_to(self, line: int, column: int = 0) -> None:
        """Show a 1-based line on behalf of a finding."""
        self.code.go_to(line, column)
