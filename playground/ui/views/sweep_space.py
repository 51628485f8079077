"""The space of a sweep: which values of each knob to try, as text that can be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QGridLayout, QLabel, QLineEdit, QWidget

from playground.model.knobs import KnobError
from playground.model.sweep_values import parse_values, values_around, values_text
from playground.ui.theme import mono_font

if TYPE_CHECKING:
    from playground.model.config import Config
    from playground.model.knobs import Knob, KnobValue
    from playground.ui.theme import Theme


MOST_CONFIGS = 500
"""Configs that are offered at most; whoever wants more types them."""


class SweepSpace(QWidget):
    """One line a knob; `changed` follows every edit."""

    changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sweep.space")
        self._theme = theme
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setColumnStretch(1, 1)
        self._fields: dict[str, tuple[Knob, QLineEdit]] = {}
        self.problem = ""
        theme.changed.connect(self._check)

    def show_knobs(self, knobs: tuple[Knob, ...], config: Config) -> None:
        """Offer the plain sweep's values for these knobs around `config`."""
        while (item := self._grid.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.setParent(None)
                widget.deleteLater()
        self._fields = {}
        previous: QWidget = self
        shown = tuple(k for k in knobs if k.kind != "fixed" and k.name in config)
        around = values_around(shown, config, MOST_CONFIGS)
        for row, knob in enumerate(shown):
            label = QLabel(knob.name, self)
            label.setFont(mono_font())
            field = QLineEdit(self)
            field.setObjectName(f"sweep.values:{knob.name}")
            field.setAccessibleName(f"Values of {knob.name} to try: 16, 64 or 16..256:pow2")
            field.setText(values_text(around[knob.name]))
            field.setMinimumHeight(field.sizeHint().height())
            field.textChanged.connect(self._check)
            if knob.derived:
                field.setToolTip(f"Stays as it is: {knob.note}")
            label.setBuddy(field)
            self._grid.addWidget(label, row, 0)
            self._grid.addWidget(field, row, 1)
            self._fields[knob.name] = (knob, field)
            QWidget.setTabOrder(previous, field)
            previous = field
        self._check()

    def values(self) -> dict[str, tuple[KnobValue, ...]]:
        """Return the values to try by knob; raises `KnobError` where a field can't be read."""
        return {name: parse_values(knob, f.text()) for name, (knob, f) in self._fields.items()}

    def count(self) -> int:
        """Return how many configs the space holds, 0 while a field can't be read."""
        if self.problem:
            return 0
        total = 1
        for options in self.values().values():
            total *= len(options)
        return total if self._fields else 0

    def _check(self) -> None:
        self.problem = ""
        for knob, field in self._fields.values():
            wrong = ""
            try:
                parse_values(knob, field.text())
            except KnobError as error:
                wrong = str(error)
                self.problem = self.problem or wrong
            palette = field.palette()
            colour = self._theme.color("bad" if wrong else "text")
            palette.setColor(QPalette.ColorRole.Text, colour)
            field.setPalette(palette)
            if not knob.derived:
                field.setToolTip(wrong)
            field.setAccessibleDescription(wrong)
        self.changed.emit()
