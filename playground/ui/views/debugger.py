"""The debugger's panel: the program chosen, and pages that step, run alone, look and compare."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget

from playground.ui.views.debugger_compare import ComparePage, HuntPage
from playground.ui.views.debugger_pages import AlonePage, PrintsPage
from playground.ui.views.debugger_step import StepPage
from playground.ui.views.program_chooser import ProgramChooser

if TYPE_CHECKING:
    from PySide6.QtGui import QShowEvent

    from playground.ui.document import Document
    from playground.ui.theme import Theme

_PAGES = ("step", "alone", "prints", "hunt", "compare")


class DebuggerView(QWidget):
    """`sourceLineRequested` carries a line of the text, `mapPlaceRequested` a `MapPlace`."""

    sourceLineRequested = Signal(int)
    mapPlaceRequested = Signal(object)

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("debugger")
        self.setAccessibleName("Debugger")
        self._debugging = document.debugging
        self.program = ProgramChooser(document, theme, self)
        self.step = StepPage(document, theme, self)
        self.alone = AlonePage(document, theme, self)
        self.prints = PrintsPage(document, theme, self)
        self.hunt = HuntPage(document, theme, self)
        self.compare = ComparePage(document, theme, self)
        self.pages = QTabWidget(self)
        self.pages.setObjectName("debugger.pages")
        self.pages.setAccessibleName("What to find out")
        self.pages.setDocumentMode(True)
        self.pages.setCornerWidget(self.program)
        for page, title in (
            (self.step, "Step"), (self.alone, "Alone"), (self.prints, "Prints"),
            (self.hunt, "NaN"), (self.compare, "Compare"),
        ):  # fmt: skip
            self.pages.addTab(page, title)
        self.step.placeRequested.connect(self._go)
        for asked in (self.alone, self.prints, self.hunt, self.compare):
            asked.placeRequested.connect(self._go)
            asked.mapPlaceRequested.connect(self.mapPlaceRequested)
        layout = QVBoxLayout(self)
        layout.addWidget(self.pages, 1)
        self._debugging.changed.connect(self._on_changed)
        self._was_active = False

    def show_page(self, page: str) -> None:
        """Bring a page forward."""
        self.pages.setCurrentIndex(_PAGES.index(page))

    def showEvent(self, event: QShowEvent) -> None:
        """Have the interpreter's process started: it is wanted soon."""
        super().showEvent(event)
        self._debugging.prepare()

    def _go(self, line: int) -> None:
        if line > 0:
            self.sourceLineRequested.emit(line)

    def _on_changed(self) -> None:
        if self._debugging.active and not self._was_active:
            self.show_page("step")
        self._was_active = self._debugging.active
