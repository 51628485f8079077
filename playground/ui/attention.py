"""What comes forward by itself: a sweep that begins, the findings of a run that failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

if TYPE_CHECKING:
    from playground.ui.window import MainWindow


class Attention(QObject):
    """Raises panels of one window once, when what they show begins; then they are the user's."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._document = window.document
        self._errors_shown = 0
        self._document.sweepBegun.connect(self._show_sweep)
        self._document.findingsChanged.connect(self._show_errors)
        window.open_files.shown.connect(self._note_errors)
        window.actions_table["run"].triggered.connect(self.show_syntax_error)

    def _show_sweep(self) -> None:
        # Bring the panel to the front once, when a sweep begins; then it is the user's again.
        self._window.docks["sweep"].show()
        self._window.docks["sweep"].raise_()

    def _errors(self) -> int:
        return sum(
            found.severity == "error" and found.stage != "syntax"
            for found in self._document.findings
        )

    def _note_errors(self, _document: object) -> None:
        # Those of the tab that came to the front were shown when they came about.
        self._errors_shown = self._errors()

    def _show_errors(self) -> None:
        # Bring the findings forward when a run fails; not for what a half-typed line is called.
        errors = self._errors()
        if errors and not self._errors_shown:
            self._window.docks["findings"].show()
            self._window.docks["findings"].raise_()
        self._errors_shown = errors

    def show_syntax_error(self) -> None:
        """Where nothing can be run, say why and go to the place."""
        wrong = next((f for f in self._document.outline.findings if f.severity == "error"), None)
        if wrong is not None:
            self._window.docks["findings"].show()
            self._window.docks["findings"].raise_()
            if wrong.line:
                self._window.area.go_to(wrong.line, wrong.column or 0)
