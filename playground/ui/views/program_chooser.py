"""One program of the grid chosen by its place, or taken from the program map."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QHBoxLayout, QLabel, QSpinBox, QToolButton, QWidget

from playground.ui.icons import icon
from playground.ui.views.roles import set_role

if TYPE_CHECKING:
    from playground.ui.document import Document
    from playground.ui.theme import Theme


class ProgramChooser(QWidget):
    """A field for each dimension of the grid that has more than one program."""

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("debugger.program")
        self.setAccessibleName("Program to debug")
        self._document, self._theme = document, theme
        self._debugging, self._programs = document.debugging, document.programs
        self._spins = []
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(round(0.4 * self.fontMetrics().height()))
        for axis in "xyz":
            spin = QSpinBox(self)
            spin.setObjectName(f"debugger.program.{axis}")
            spin.setAccessibleName(f"Program along {axis}")
            spin.setKeyboardTracking(False)
            spin.valueChanged.connect(self._on_spin)
            self._spins.append(spin)
            layout.addWidget(spin)
        self._of = QLabel(self)
        set_role(self._of, "muted")
        layout.addWidget(self._of)
        self._take = QToolButton(self)
        self._take.setObjectName("debugger.fromMap")
        self._take.setAutoRaise(True)
        self._take.setToolTip("Take the program chosen in the program map")
        self._take.setAccessibleName(self._take.toolTip())
        self._take.clicked.connect(self._from_map)
        layout.addWidget(self._take)
        self._debugging.changed.connect(self.refresh)
        self._programs.chosenChanged.connect(self._follow)
        document.coveredChanged.connect(self.refresh)
        document.launchSelected.connect(self.refresh)
        theme.changed.connect(self.refresh)
        self.refresh()

    def refresh(self, _what: object = None) -> None:
        """Show the program that is looked at."""
        x, y, z = self._debugging.grid
        program = self._debugging.program
        place = program % x, program // x % y, program // (x * y)
        for spin, size, at, axis in zip(self._spins, (x, y, z), place, "xyz", strict=True):
            spin.blockSignals(True)
            spin.setRange(0, max(size - 1, 0))
            spin.setValue(at)
            spin.blockSignals(False)
            spin.setVisible(size > 1 or axis == "x")
            spin.setPrefix(f"{axis} " if y > 1 or z > 1 else "pid ")
            spin.setToolTip(f"The program to debug: {axis} of the grid, from 0 to {size - 1}")
            spin.setEnabled(self._document.launch is not None and not self._debugging.active)
        count = x * y * z
        self._of.setText(f"of {count:,}")
        self._take.setIcon(icon("programs", self._theme))
        current = self._programs.current
        self._take.setEnabled(
            current is not None and current != program and not self._debugging.active
        )

    def _on_spin(self, _value: int) -> None:
        x, y, _ = self._debugging.grid
        at = [spin.value() for spin in self._spins]
        self._debugging.choose((at[2] * y + at[1]) * x + at[0])

    def _follow(self) -> None:
        """Take what is chosen in the maps, unless a program is being stepped through."""
        if not self._debugging.active:
            self._from_map()
        self.refresh()

    def _from_map(self) -> None:
        if self._programs.current is not None:
            self._debugging.choose(self._programs.current)
