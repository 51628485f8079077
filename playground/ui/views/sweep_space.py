"""The space of a sweep: which values of each knob to try, as text that can be edited."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QGridLayout, QLabel, QLineEdit, QWidget

from playground.model.knobs import (
    Knob,
    KnobError,
    KnobValue,
    sweep_values,
    takes_numbers,
    validate,
)
from playground.ui.theme import mono_font

if TYPE_CHECKING:
    from playground.model.config import Config
    from playground.ui.theme import Theme


MOST_CONFIGS = 500
"""Configs that are offered at most; whoever wants more types them."""


def parse_values(knob: Knob, text: str) -> tuple[KnobValue, ...]:
    """Return the values in comma-separated `text`, each once.

    Raises
    ------
    KnobError
        A value is none the knob can take, or there is none at all.
    """
    values: list[KnobValue] = []
    for part in (piece.strip() for piece in text.split(",")):
        if part:
            value = validate(knob, _parse(knob, part))
            if value not in values:
                values.append(value)
    if not values:
        raise KnobError(f"{knob.name} needs at least one value")
    return tuple(values)


def _parse(knob: Knob, text: str) -> KnobValue:
    if knob.kind == "bool":
        known: dict[str, KnobValue] = {"true": True, "1": True, "false": False, "0": False}
        if text.lower() in known:
            return known[text.lower()]
        raise KnobError(f"{knob.name} is true or false, not {text}")
    if knob.kind == "choice":
        for choice in knob.choices:
            if text == ("none" if choice is None else str(choice)):
                return choice
        return int(text) if takes_numbers(knob) and text.isdecimal() else text
    try:
        return int(text)
    except ValueError:
        raise KnobError(f"{knob.name} is a whole number, not {text}") from None


def values_around(
    knobs: tuple[Knob, ...], config: Config, most: int = MOST_CONFIGS
) -> dict[str, tuple[KnobValue, ...]]:
    """Return a few values of each knob around `config`, together no more than `most` configs."""
    found = {knob.name: list(sweep_values(knob, config[knob.name])) for knob in knobs}
    while math.prod(map(len, found.values())) > most:
        # The longest list gives up the end that lies further from the config's own value.
        name = max(found, key=lambda name: len(found[name]))
        values = found[name]
        place = values.index(config[name]) if config[name] in values else 0
        values.pop(0 if place > len(values) - 1 - place else -1)
    return {name: tuple(values) for name, values in found.items()}


def value_text(value: KnobValue) -> str:
    """Return a value as it is typed."""
    if value is None:
        return "none"
    return str(value).lower() if isinstance(value, bool) else str(value)


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
        around = values_around(shown, config)
        for row, knob in enumerate(shown):
            label = QLabel(knob.name, self)
            label.setFont(mono_font())
            field = QLineEdit(self)
            field.setObjectName(f"sweep.values:{knob.name}")
            field.setAccessibleName(f"Values of {knob.name} to try, separated by commas")
            field.setText(", ".join(map(value_text, around[knob.name])))
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
