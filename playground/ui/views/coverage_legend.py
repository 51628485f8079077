"""The legend of the tile map: what its colours, hatchings and outlines mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from playground.ui.views.formatting import count_text
from playground.ui.views.plane_marks import DISPUTED, SHARED, mark_brush, mark_ground
from playground.ui.views.plane_overlay import footprint_styles
from playground.ui.views.plane_painting import hatch_ground

if TYPE_CHECKING:
    from playground.ui.theme import Theme
    from playground.ui.views.plane_colours import ColourBy


@dataclass(frozen=True)
class LegendFacts:
    """What the legend explains; None for what the picture does not show.

    `chosen` says that programs can be chosen, and what they touch is marked then. `beside` are the
    colours of the maps beside it that are coloured by something else: inputs by their loads.
    """

    by: ColourBy
    programs: int
    maximum: int
    unwritten: int | None = None
    shared: int = 0
    disputed: int = 0
    by_start: bool = False
    chosen: bool = True
    beside: LegendFacts | None = None


class Legend(QWidget):
    """One line of swatches with their meaning; it wraps when the view is narrow."""

    def __init__(self, name: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.theme = theme
        self._entries: list[tuple[str, str]] = []
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        theme.changed.connect(self.update)

    def show_entries(self, entries: list[tuple[str, str]]) -> None:
        """Show these swatches, each by its kind, with what it means."""
        if entries == self._entries:
            return
        self._entries = entries
        self.setAccessibleName("Legend: " + "; ".join(text for _, text in entries))
        self.updateGeometry()
        self.update()

    def _swatch_width(self, kind: str) -> float:
        height = self.fontMetrics().height()
        return height * (5.0 if kind in ("owner", "scale") else 1.3)

    def _layout(self, width: int) -> tuple[list[tuple[str, str, QRectF, QRectF]], int]:
        metrics = self.fontMetrics()
        line, gap = metrics.height() * 1.35, metrics.height() * 0.5
        x, y = 2.0, 0.0
        placed = []
        for kind, text in self._entries:
            swatch, length = self._swatch_width(kind), metrics.horizontalAdvance(text) + 2
            if x > 2 and x + swatch + gap + length > width:
                x, y = 2.0, y + line
            box = QRectF(x, y + line * 0.15, swatch, line * 0.7)
            words = QRectF(x + swatch + gap, y, length, line)
            placed.append((kind, text, box, words))
            x = words.right() + gap * 2.5
        return placed, round(y + line)

    def hasHeightForWidth(self) -> bool:
        """Return True: a narrow view needs more lines."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height of all lines at `width`."""
        return self._layout(width)[1]

    def sizeHint(self) -> QSize:
        """Return one line."""
        return QSize(self.fontMetrics().height() * 12, self.heightForWidth(self.width() or 400))

    def minimumSizeHint(self) -> QSize:
        """Return a width at which the longest entry fits."""
        return QSize(self.fontMetrics().height() * 8, self.heightForWidth(self.width() or 400))

    def resizeEvent(self, event: object) -> None:
        """Take the lines the new width needs."""
        self.setMinimumHeight(self.heightForWidth(self.width()))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw swatches and words."""
        painter = QPainter(self)
        for kind, text, box, words in self._layout(self.width())[0]:
            self._paint_swatch(painter, kind, box)
            painter.setPen(self.theme.color("text"))
            painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, text)

    def _paint_swatch(self, painter: QPainter, kind: str, box: QRectF) -> None:
        theme = self.theme
        if kind == "owner":
            colours = theme.owner_colormap()
            width = box.width() / len(colours)
            for index, rgb in enumerate(colours):
                painter.fillRect(
                    QRectF(box.left() + index * width, box.top(), width + 0.5, box.height()),
                    QColor(*rgb),
                )
        elif kind in ("scale", "once"):
            colours = theme.sequential_colormap(64)
            width = box.width() / len(colours)
            for index, rgb in enumerate(colours if kind == "scale" else colours[-1:] * 64):
                painter.fillRect(
                    QRectF(box.left() + index * width, box.top(), width + 0.5, box.height()),
                    QColor(*rgb),
                )
        elif kind == "tail":
            tint = theme.color("warn")
            tint.setAlphaF(0.16)
            painter.fillRect(box, tint)
            painter.setPen(QPen(theme.color("warn"), 1.2, Qt.PenStyle.DashLine))
            painter.drawLine(box.topLeft(), box.bottomLeft())
            return
        elif kind == "chosen":
            painter.setPen(QPen(theme.color("text"), 2))
            painter.drawRect(box.adjusted(1, 1, -1, -1))
            return
        elif kind == "none":
            painter.fillRect(box, theme.color("border"))
        elif kind == "unwritten":
            painter.fillRect(box, hatch_ground(theme))
            painter.fillRect(box, QBrush(theme.color("bad"), Qt.BrushStyle.BDiagPattern))
        elif kind in ("disputed", "shared"):
            bit = DISPUTED if kind == "disputed" else SHARED
            painter.fillRect(box, QColor(*theme.owner_colormap()[0]))
            if bit == DISPUTED:
                painter.fillRect(box, mark_ground(theme))
            painter.fillRect(box, mark_brush(theme, bit, self.devicePixelRatioF()))
        else:
            stores, loads = footprint_styles(theme)
            brush, pen = stores if kind == "stores" else loads
            painter.setBrush(brush)
            painter.setPen(pen)
            painter.drawRect(box.adjusted(1, 1, -1, -1))
            return
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.color("border_strong"), 1))
        painter.drawRect(box)


class CoverageLegend(Legend):
    """The legend of the tile maps."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("coverage.legend", theme, parent)

    def show_facts(self, facts: LegendFacts | None) -> None:
        """Explain another picture."""
        if facts is None:
            self.show_entries([])
            return
        entries = [self._colour_entry(facts)]
        if facts.beside is not None:
            kind, text = self._colour_entry(facts.beside)
            whose = "inputs" if facts.beside.by == "loads" else "outputs"
            entries.append((kind, f"{whose}: {text}"))
        if facts.by == "loads":
            entries.append(("none", "never loaded"))
        elif facts.unwritten:
            entries.append(("unwritten", f"never written: {count_text(facts.unwritten)}"))
        if facts.by not in ("loads", "stores", "first"):
            if facts.disputed:
                text = f"different values by several programs: {count_text(facts.disputed)}"
                entries.append(("disputed", text))
            if facts.shared > facts.disputed:
                text = f"written by several programs: {count_text(facts.shared - facts.disputed)}"
                entries.append(("shared", text))
        if facts.chosen:
            # There before a program is looked at, so that hovering never moves the pictures.
            entries.append(("stores", "stored by the program"))
            entries.append(("loads", "loaded by it"))
        self.show_entries(entries)

    @staticmethod
    def _colour_entry(facts: LegendFacts) -> tuple[str, str]:
        last = count_text(max(facts.programs - 1, 0))
        most = count_text(max(facts.maximum, 1))
        if facts.by in ("loads", "stores"):
            one = facts.maximum <= 1
            return ("once", f"{facts.by} 1") if one else ("scale", f"{facts.by} 1 … {most}")
        if facts.by == "sm":
            return "owner", f"multiprocessor 0 … {count_text(max(facts.maximum - 1, 0))}"
        if facts.by == "wave":
            return ("once", "wave 1, the only one") if facts.maximum <= 1 else (
                "scale", f"wave 1 … {most}"
            )  # fmt: skip
        if facts.by == "order":
            programs = count_text(facts.programs)
            what = f"start 1 … {programs}" if facts.by_start else f"program 0 … {last}"
            return "scale", f"last writer: {what}"
        if facts.by == "first":
            return "scale", f"first writer: program 0 … {last}"
        return "owner", f"owner program 0 … {last}"
