"""A sweep over two of its knobs: each cell the best config there, or that of a slice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QComboBox, QLabel, QVBoxLayout, QWidget

from playground.model.importance import importance
from playground.model.sweep_views import Cell, Grid, grid
from playground.ui.views.chips import FlowLayout
from playground.ui.views.formatting import time_text
from playground.ui.views.marks import paint_mark
from playground.ui.views.roles import set_role
from playground.ui.views.sweep_columns import STATUS
from playground.ui.views.sweep_picture import SweepPicture, ink_on
from playground.ui.views.sweep_scene import row_words, speed_colour, value_words

if TYPE_CHECKING:
    from playground.model.knobs import KnobValue
    from playground.model.sweep import SweepRow
    from playground.ui.theme import Theme
    from playground.ui.views.sweep_scene import Scene

_BEST = "best"


class HeatPicture(SweepPicture):
    """Cells coloured by time; failed ones have the mark of their status."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("sweep.heat", "Best time over two knobs", theme, parent)
        self.grid = Grid("", "", (), (), ())

    def show_grid(self, found: Grid) -> None:
        """Draw another grid."""
        self.grid = found
        known = sum(cell.time_ms is not None for row in found.cells for cell in row)
        self.setAccessibleDescription(
            f"{found.y} against {found.x}: {known} of {len(found.xs) * len(found.ys)} pairs timed"
        )
        self.update()

    # ------------------------------------------------------------------------------ places

    def area(self) -> QRectF:
        """Return where the cells stand."""
        metrics, line = self.fontMetrics(), self.fontMetrics().height()
        widest = max((metrics.horizontalAdvance(value_words(v)) for v in self.grid.ys), default=0)
        left = widest + 2.2 * line
        return QRectF(left, 0.5 * line, self.width() - left - 0.6 * line,
                      self.height() - 4.4 * line)  # fmt: skip

    def cell_rect(self, row: int, column: int) -> QRectF:
        """Return where a cell is drawn; the first value of y stands lowest."""
        area = self.area()
        width = area.width() / max(len(self.grid.xs), 1)
        height = area.height() / max(len(self.grid.ys), 1)
        up = len(self.grid.ys) - 1 - row
        gap = 1.0 if min(width, height) < 14 else 1.5
        return QRectF(area.left() + column * width, area.top() + up * height, width, height
                      ).adjusted(gap, gap, -gap, -gap)  # fmt: skip

    def cell_at(self, place: QPointF) -> Cell | None:
        """Return the cell at a place of the widget."""
        area = self.area()
        if not area.contains(place) or not self.grid.xs or not self.grid.ys:
            return None
        column = int((place.x() - area.left()) / area.width() * len(self.grid.xs))
        up = int((place.y() - area.top()) / area.height() * len(self.grid.ys))
        return self.grid.cells[len(self.grid.ys) - 1 - min(up, len(self.grid.ys) - 1)][
            min(column, len(self.grid.xs) - 1)
        ]

    def row_at(self, place: QPointF) -> SweepRow | None:
        """Return the best row of the cell at a place."""
        cell = self.cell_at(place)
        return cell.best if cell is not None else None

    def rows_in_order(self) -> list[SweepRow]:
        """Return the cells' rows, line by line from the top."""
        return [
            cell.best for row in reversed(self.grid.cells) for cell in row if cell.best is not None
        ]

    def words_at(self, place: QPointF) -> str:
        """Return the best config of a cell, and how many there were to choose from."""
        cell = self.cell_at(place)
        if cell is None or cell.best is None:
            return "no config was tried here" if cell is not None else ""
        words = row_words(cell.best, self.scene)
        if cell.configs > 1:
            words += f"\nbest of {cell.configs} configs here, {cell.right} of them right"
        return words

    # ------------------------------------------------------------------------------ drawing

    def draw(self, painter: QPainter) -> None:
        """Draw axes, cells and the scale."""
        found = self.grid
        if not found.xs or not found.ys:
            self.say(painter, "Two knobs that differ are needed for a map")
            return
        for i, cells in enumerate(found.cells):
            for j, cell in enumerate(cells):
                self._draw_cell(painter, self.cell_rect(i, j), cell)
        self._draw_axes(painter)
        line = self.fontMetrics().height()
        area = self.area()
        self.draw_scale(painter, QRectF(area.left(), self.height() - 1.4 * line, area.width(),
                                        1.2 * line))  # fmt: skip

    def _draw_cell(self, painter: QPainter, at: QRectF, cell: Cell) -> None:
        theme = self.theme
        best = cell.best
        radius = min(3.0, at.width() / 6)
        time_ms = cell.time_ms
        if best is None:
            painter.setPen(QPen(theme.color("border"), 1, Qt.PenStyle.DotLine))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(at, radius, radius)
            return
        if time_ms is None:
            tone = STATUS[best.status][2]
            ground = QColor(theme.color(tone))
            ground.setAlphaF(0.12)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(ground)
            painter.drawRoundedRect(at, radius, radius)
            size = min(at.width(), at.height(), self.fontMetrics().height() * 1.3) * 0.7
            middle = at.center()
            paint_mark(painter, QRectF(middle.x() - size / 2, middle.y() - size / 2, size, size),
                       STATUS[best.status][1], theme.color(tone))  # fmt: skip
        else:
            ground = speed_colour(theme, self.scene.speed(time_ms))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(ground)
            painter.drawRoundedRect(at, radius, radius)
            self._write(painter, at, ground, time_ms)
        self._mark(painter, at, best, radius)

    def _write(self, painter: QPainter, at: QRectF, ground: QColor, time_ms: float) -> None:
        painter.setFont(self.small_font())
        metrics = painter.fontMetrics()
        first, second = time_text(time_ms), self.scene.loss_text(time_ms)
        wide = at.width() - 4
        if metrics.horizontalAdvance(first) > wide or at.height() < metrics.height():
            return
        painter.setPen(ink_on(ground))
        if at.height() > 2.3 * metrics.height() and metrics.horizontalAdvance(second) <= wide:
            half = at.height() / 2
            flags = Qt.AlignmentFlag.AlignHCenter
            upper = QRectF(at.left(), at.top(), at.width(), half)
            painter.drawText(upper, flags | Qt.AlignmentFlag.AlignBottom, first)
            lower = QRectF(at.left(), at.top() + half, at.width(), half)
            faint = ink_on(ground)
            faint.setAlphaF(0.8)
            painter.setPen(faint)
            painter.drawText(lower, flags | Qt.AlignmentFlag.AlignTop, second)
        else:
            painter.drawText(at, Qt.AlignmentFlag.AlignCenter, first)

    def _mark(self, painter: QPainter, at: QRectF, best: SweepRow, radius: float) -> None:
        """Outline the best, what is tied with it, where the sliders stand, and the pointer."""
        scene, theme = self.scene, self.theme
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if scene.is_current(best.config):
            painter.setPen(QPen(theme.color("plot_2"), 3))
            painter.drawRoundedRect(at.adjusted(1, 1, -1, -1), radius, radius)
        is_best = scene.best is not None and best.config == scene.best.config
        if is_best or best.config in scene.tied:
            inner = at.adjusted(2.5, 2.5, -2.5, -2.5)
            painter.setPen(QPen(QColor("#141414"), 2.4 if is_best else 1.4))
            painter.drawRoundedRect(inner, radius, radius)
            if is_best and min(at.width(), at.height()) > 2.2 * self.fontMetrics().height():
                size = self.fontMetrics().height() * 0.7
                paint_mark(painter, QRectF(inner.right() - size - 3, inner.top() + 3, size, size),
                           "star", QColor("#141414"))  # fmt: skip
        if best is self.hovered:
            painter.setPen(QPen(theme.color("text"), 2))
            painter.drawRoundedRect(at.adjusted(-0.5, -0.5, 0.5, 0.5), radius, radius)

    def _draw_axes(self, painter: QPainter) -> None:
        area, found = self.area(), self.grid
        line = self.fontMetrics().height()
        painter.setFont(self.small_font())
        metrics = painter.fontMetrics()
        painter.setPen(self.theme.color("muted"))
        height = area.height() / len(found.ys)
        every = max(1, -(-line // max(int(height), 1)))
        for i, value in enumerate(found.ys):
            if i % every == 0:
                at = self.cell_rect(i, 0)
                painter.drawText(
                    QRectF(1.4 * line, at.top(), area.left() - 1.8 * line, at.height()),
                    Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
                    value_words(value),
                )  # fmt: skip
        width = area.width() / len(found.xs)
        widest = max(metrics.horizontalAdvance(value_words(v)) for v in found.xs) + 6
        every = max(1, -(-widest // max(int(width), 1)))
        for j, value in enumerate(found.xs):
            if j % every == 0:
                at = self.cell_rect(0, j)
                painter.drawText(
                    QRectF(at.center().x() - 200, area.bottom() + 2, 400, line),
                    Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop, value_words(value),
                )  # fmt: skip
        painter.setPen(self.theme.color("text"))
        painter.drawText(
            QRectF(area.left(), area.bottom() + 1.1 * line, area.width(), 1.3 * line),
            Qt.AlignmentFlag.AlignCenter, found.x,
        )  # fmt: skip
        painter.save()
        painter.translate(0.2 * line, area.center().y())
        painter.rotate(-90)
        painter.drawText(QRectF(-area.height() / 2, 0, area.height(), 1.2 * line),
                         Qt.AlignmentFlag.AlignCenter, found.y)  # fmt: skip
        painter.restore()


class SweepHeat(QWidget):
    """The map with its choices: which knobs, and for each other one the best or a value.

    `chosen` tells that the user chose others.
    """

    chosen = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sweep.heatView")
        self.picture = HeatPicture(theme, self)
        self._scene: Scene | None = None
        self._bar = QWidget(self)
        self._flow = FlowLayout(self._bar)
        self.across, self.upwards = (
            self._combo("x", "Knob across"),
            self._combo("y", "Knob upwards"),
        )
        times = QLabel("by", self._bar)
        set_role(times, "muted")
        for widget in (self.upwards, times, self.across):
            self._flow.addWidget(widget)
        self._slices: dict[str, tuple[QLabel, QComboBox]] = {}
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(self.fontMetrics().height() // 4)
        layout.addWidget(self._bar)
        layout.addWidget(self.picture, 1)
        self._chosen = False

    def _combo(self, part: str, title: str) -> QComboBox:
        combo = QComboBox(self._bar)
        combo.setObjectName(f"sweep.heat.{part}")
        combo.setAccessibleName(title)
        combo.setToolTip(title)
        combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        combo.activated.connect(self._on_choice)
        return combo

    def show_scene(self, scene: Scene) -> None:
        """Show another state of the sweep; what was chosen stays as far as it is there."""
        self._scene = scene
        names = list(scene.knobs)
        self._show_axes(names, scene)
        self._show_slices()
        self.picture.show_scene(scene)
        self._draw()

    def _show_axes(self, names: list[str], scene: Scene) -> None:
        if [self.across.itemText(i) for i in range(self.across.count())] != names:
            kept = (self.across.currentText(), self.upwards.currentText())
            self._chosen = self._chosen and set(kept) <= set(names)
            for combo, name in zip((self.across, self.upwards), kept, strict=True):
                blocker = QSignalBlocker(combo)
                combo.clear()
                combo.addItems(names)
                combo.setCurrentIndex(names.index(name) if name in names else -1)
                del blocker
        if not self._chosen and names:
            # The two knobs that matter most, as soon as something is known of them.
            order = [knob.name for knob in importance(scene.rows).knobs if knob.name in names]
            order = (order + [name for name in names if name not in order])[:2]
            pair = sorted(order, key=names.index)
            self.upwards.setCurrentIndex(names.index(pair[0]))
            self.across.setCurrentIndex(names.index(pair[-1]))

    def _show_slices(self) -> None:
        scene = self._scene
        if scene is None:
            return
        shown_axes = (self.across.currentText(), self.upwards.currentText())
        others = {name: each for name, each in scene.knobs.items() if name not in shown_axes}
        for name in [name for name in self._slices if name not in scene.knobs]:
            for widget in self._slices.pop(name):
                self._flow.removeWidget(widget)
                widget.hide()
                widget.deleteLater()
        for name in scene.knobs:
            if name not in self._slices:
                label = QLabel(name, self._bar)
                set_role(label, "muted")
                combo = self._combo(f"slice:{name}", f"{name}: the best of all values, or one")
                self._slices[name] = (label, combo)
                self._flow.addWidget(label)
                self._flow.addWidget(combo)
        for name, (label, combo) in self._slices.items():
            shown = name in others
            label.setVisible(shown)
            combo.setVisible(shown)
            texts = [_BEST, *map(value_words, others.get(name, ()))]
            if shown and [combo.itemText(i) for i in range(combo.count())] != texts:
                kept = combo.currentText()
                blocker = QSignalBlocker(combo)
                combo.clear()
                combo.addItem(_BEST)
                for value in others[name]:
                    combo.addItem(value_words(value), value)
                combo.setCurrentIndex(max(combo.findText(kept), 0))
                del blocker

    def summary(self) -> str:
        """Return what the cells hold."""
        if self._scene is None or len(self._scene.knobs) < 2:
            return ""
        if self._scene.rows and not self._scene.timed:
            return "Nothing was timed: a mark tells what is right, and what failed how"
        held = " ".join(f"{name}={value_words(value)}" for name, value in self.held().items())
        where = f" at {held}" if held else ""
        return f"The best of each cell{where}; ★ is the best of all, an orange frame the sliders"

    def held(self) -> dict[str, KnobValue]:
        """Return the values of the knobs that the map is a slice at."""
        scene = self._scene
        found: dict[str, KnobValue] = {}
        for name, (_, combo) in self._slices.items():
            if scene is not None and combo.currentIndex() > 0 and not combo.isHidden():
                found[name] = scene.knobs[name][combo.currentIndex() - 1]
        return found

    def _on_choice(self, _index: int) -> None:
        self._chosen = True
        self.chosen.emit()
        self._show_slices()
        self._draw()

    def _draw(self) -> None:
        if self._scene is not None:
            x, y = self.across.currentText(), self.upwards.currentText()
            if x == y:
                self.picture.show_grid(Grid(x, y, (), (), ()))
            else:
                self.picture.show_grid(grid(self._scene.rows, x, y, self.held()))
