"""How a curve is drawn: cache mode, quantity, log axis, and for two sizes which line and how."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSignalBlocker
from PySide6.QtWidgets import QCheckBox, QComboBox, QWidget

from playground.ui.views.curve_series import quantities

if TYPE_CHECKING:
    from collections.abc import Mapping

    from playground.model.curve import Curve
    from playground.ui.document import Document

MOST_LETTERS = 40


class CurvesLook(QObject):
    """The fields of the look, for a row of the view; all truth is the document's."""

    def __init__(self, document: Document, parent: QWidget) -> None:
        super().__init__(parent)
        self._document, self._curves, self._parent = document, document.curves, parent
        self._quantities: tuple[tuple[str, str], ...] = ()
        self._quantity = self._combo("quantity", "What is drawn upwards")
        self._quantity.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self._quantity.setMinimumContentsLength(8)
        self._quantity.activated.connect(
            lambda index: self._curves.set_look(quantity=self._quantity.itemData(index))
        )
        self._line = self._combo("line", "Which line is drawn over two sizes")
        self._line.activated.connect(
            lambda index: self._curves.set_look(line=self._line.itemData(index))
        )
        self._cache = self._combo("cache", "Cache mode of the measurement")
        for mode in ("cold", "warm"):
            self._cache.addItem(f"{mode} L2", mode)
        self._cache.setToolTip("Evict the L2 before every sample (cold), or leave it filled (warm)")
        self._cache.activated.connect(lambda i: document.set_cache(self._cache.itemData(i)))
        self._log = self._box("log", "log", "Logarithmic axis upwards")
        self._log.toggled.connect(lambda on: self._curves.set_look(log_y=on))
        self._heat = self._box(
            "heatMap", "heat map", "Draw two sizes as a map instead of one line a value"
        )
        self._heat.toggled.connect(lambda on: self._curves.set_look(heat=on))

    def _combo(self, name: str, title: str) -> QComboBox:
        combo = QComboBox(self._parent)
        combo.setObjectName(f"curves.{name}")
        combo.setAccessibleName(title)
        combo.setToolTip(title)
        combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        return combo

    def _box(self, name: str, text: str, tip: str) -> QCheckBox:
        box = QCheckBox(text, self._parent)
        box.setObjectName(f"curves.{name}")
        box.setToolTip(tip)
        box.setAccessibleName(tip)
        return box

    def widgets(self) -> tuple[QWidget, ...]:
        """Return the fields in the order in which they stand."""
        return self._cache, self._quantity, self._log, self._line, self._heat

    def show_cache(self) -> None:
        """Show the document's cache mode."""
        blocker = QSignalBlocker(self._cache)
        self._cache.setCurrentIndex(max(self._cache.findData(self._document.cache), 0))
        del blocker

    def show_curve(self, curve: Curve | None, short: Mapping[str, str]) -> None:
        """Offer what `curve` can be drawn as, and show what is chosen."""
        curves = self._curves
        for box, on in ((self._log, curves.log_y), (self._heat, curves.heat)):
            blocker = QSignalBlocker(box)
            box.setChecked(on)
            del blocker
        self._log.setEnabled(not curves.heat)
        two = curve is not None and len(curve.axes) > 1
        self._line.setVisible(two and curve is not None and len(curve.lines) > 1)
        self._heat.setVisible(two)
        # Before the first rows nothing is known but that there will be times.
        found = quantities(curve, short) if curve is not None else ()
        self._show_quantities(found or (("ms", "time"),))
        self._show_lines(curve, short)

    @property
    def quantity(self) -> str:
        """The key of the quantity drawn."""
        return str(self._quantity.currentData() or "ms")

    @property
    def title(self) -> str:
        """The quantity in words."""
        return dict(self._quantities).get(self.quantity, "time")

    @property
    def line(self) -> str:
        """The label of the line drawn over two sizes."""
        return str(self._line.currentData() or "")

    def _show_quantities(self, found: tuple[tuple[str, str], ...]) -> None:
        blocker = QSignalBlocker(self._quantity)
        if found != self._quantities:
            self._quantities = found
            self._quantity.clear()
            for key, title in found:
                self._quantity.addItem(_cut(title), key)
            # The list may be wider than the field, which keeps its width.
            self._quantity.view().setMinimumWidth(self._quantity.view().sizeHintForColumn(0) + 24)
        wanted = self._quantity.findData(self._curves.quantity) if self._curves.quantity else 0
        self._quantity.setCurrentIndex(max(wanted, 0))
        self._quantity.setToolTip(f"Drawn upwards: {self.title}")
        del blocker

    def _show_lines(self, curve: Curve | None, short: Mapping[str, str]) -> None:
        lines = list(curve.lines) if curve is not None else []
        blocker = QSignalBlocker(self._line)
        if [self._line.itemData(i) for i in range(self._line.count())] != lines:
            self._line.clear()
            for line in lines:
                self._line.addItem(_cut(short.get(line, line)), line)
        self._line.setCurrentIndex(max(self._line.findData(self._curves.shown_line), 0))
        del blocker


def _cut(title: str) -> str:
    return title if len(title) <= MOST_LETTERS else f"{title[: MOST_LETTERS - 1]}…"
