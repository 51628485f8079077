"""The debugger's panel: the program chosen, and pages that step, run alone, look and compare."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from playground.ui.views.debugger_compare import ComparePage, HuntPage
from playground.ui.views.debugger_pages import AlonePage, PrintsPage
from playground.ui.views.debugger_step import StepPage
from playground.ui.views.fitting_tabs import FittingTabs
from playground.ui.views.program_chooser import ProgramChooser
from playground.ui.views.scroll_page import ScrollPage

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
        self.tabs = FittingTabs("debugger.tabs", "What to find out", self)
        self.pages = QStackedWidget(self)
        self.pages.setObjectName("debugger.pages")
        for page, title, tip in (
            (self.step, "Step", "One program line by line, with its values"),
            (self.alone, "Alone", "One program run by itself, and what it wrote"),
            (self.prints, "Prints", "What tl.device_print and tl.static_print print"),
            (self.hunt, "NaN", "Where a NaN or an infinity came about"),
            (self.compare, "Compare", "The result element by element with another"),
        ):
            # Stepping keeps its verbs and values in view; what the others tell may be long.
            shown = page if page is self.step else ScrollPage(
                f"{page.objectName()}.page", page, None, self
            )  # fmt: skip
            self.pages.addWidget(shown)
            self.tabs.add(title, tip)
        self.tabs.currentChanged.connect(self.pages.setCurrentIndex)
        self.step.placeRequested.connect(self._go)
        for asked in (self.alone, self.prints, self.hunt, self.compare):
            asked.placeRequested.connect(self._go)
            asked.mapPlaceRequested.connect(self.mapPlaceRequested)
        layout = QVBoxLayout(self)
        head = QHBoxLayout()
        head.addWidget(self.tabs, 1)
        head.addWidget(self.program)
        layout.addLayout(head)
        layout.addWidget(self.pages, 1)
        self._debugging.changed.connect(self._on_changed)
        self._was_active = False

    def show_page(self, page: str) -> None:
        """Bring a page forward."""
        self.tabs.choose(_PAGES.index(page))

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
