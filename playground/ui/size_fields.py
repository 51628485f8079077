"""The fields of a driver's problem sizes, in a line or, where there is no room, in several."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QSpinBox, QWidget

from playground.ui.views.chips import FlowLayout

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_LARGEST = 2**31 - 1
_FEWEST_DIGITS = 3


class SizeFields(QWidget):
    """A number for each size; `sizeSet` carries the name and value of what the user changed."""

    sizeSet = Signal(str, int)

    def __init__(self, spacing: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("driver.sizes")
        self._flow = FlowLayout(self, 2 * spacing)
        self._spacing = spacing
        self._fields: dict[str, QSpinBox] = {}
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)

    def show_sizes(self, names: Sequence[str], values: Mapping[str, int]) -> bool:
        """Show a field for each name; return whether they take other room than before."""
        before = self.one_line_px()
        if list(self._fields) != list(names):
            while (item := self._flow.takeAt(0)) is not None:
                if (widget := item.widget()) is not None:
                    widget.hide()
                    widget.deleteLater()
            self._fields = {name: self._add(name) for name in names}
        for name, spin in self._fields.items():
            value = values.get(name, 0)
            if spin.value() != value:
                spin.blockSignals(True)
                spin.setValue(value)
                spin.blockSignals(False)
            self._fit(spin)
        self.setVisible(bool(self._fields))
        return self.one_line_px() != before

    def one_line_px(self) -> int:
        """Return the width of all fields side by side."""
        items = filter(None, map(self._flow.itemAt, range(self._flow.count())))
        hints = [item.sizeHint().width() for item in items]
        return sum(hints) + 2 * self._spacing * max(len(hints) - 1, 0)

    def _add(self, name: str) -> QSpinBox:
        field = QWidget(self)
        row = QHBoxLayout(field)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(self._spacing)
        label = QLabel(name, field)
        label.setProperty("role", "muted")
        spin = QSpinBox(field)
        spin.setObjectName(f"size:{name}")
        spin.setAccessibleName(f"Problem size {name}")
        spin.setToolTip(f"Problem size {name}, used by the next run")
        spin.setRange(-_LARGEST, _LARGEST)
        spin.setKeyboardTracking(False)
        spin.setStepType(QSpinBox.StepType.AdaptiveDecimalStepType)
        spin.valueChanged.connect(lambda value, name=name: self.sizeSet.emit(name, value))
        label.setBuddy(spin)
        row.addWidget(label)
        row.addWidget(spin)
        self._flow.addWidget(field)
        field.show()
        return spin

    def _fit(self, spin: QSpinBox) -> None:
        """Make a field as wide as its number: the range would ask for eleven digits."""
        digits = max(len(str(spin.value())), _FEWEST_DIGITS)
        spin.setFixedWidth(spin.fontMetrics().horizontalAdvance("9" * digits) + 27)
