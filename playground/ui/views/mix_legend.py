"""What the colours and textures of machine instructions mean, as a row that wraps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from playground.ui.instruction_mix import MIX, MixClass
from playground.ui.mix_paint import paint_piece
from playground.ui.views.chips import FlowLayout

if TYPE_CHECKING:
    from collections.abc import Iterable

    from playground.model.machine_code import InstructionKind
    from playground.ui.theme import Theme


class _Swatch(QWidget):
    """A square of a class's colour, its name, and how many instructions are in it."""

    def __init__(self, each: MixClass, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._each, self._theme = each, theme
        self._text = each.short
        self.setObjectName(f"mix.legend.{each.token}")
        self.setToolTip(f"{each.kind}: {each.meaning}")
        self.setAccessibleName(self.toolTip())
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def show_count(self, count: int | None) -> None:
        self._text = self._each.short if count is None else f"{self._each.short} {count}"
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        width = metrics.horizontalAdvance(self._text) + round(metrics.height() * 1.1)
        return QSize(width, metrics.height())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        height = self.fontMetrics().height()
        side = height * 0.72
        square = QRectF(0, (height - side) / 2, side, side)
        paint_piece(painter, square, self._theme, self._each.token)
        painter.setPen(self._theme.color("muted"))
        painter.drawText(round(height * 0.85), self.fontMetrics().ascent(), self._text)


class MixLegend(QWidget):
    """Every class that occurs, in the order in which bars are drawn."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("mix.legend")
        self.setAccessibleName("Colours and textures of machine instructions")
        layout = FlowLayout(self)
        self._swatches = {each.kind: _Swatch(each, theme, self) for each in MIX}
        for swatch in self._swatches.values():
            layout.addWidget(swatch)

    def show_counts(self, counts: Iterable[tuple[InstructionKind, int]]) -> None:
        """Show how many instructions there are of each class; those of none are left out."""
        given: dict[InstructionKind, int] = dict(counts)
        for kind, swatch in self._swatches.items():
            swatch.setVisible(bool(given.get(kind)) or not given)
            swatch.show_count(given.get(kind))
