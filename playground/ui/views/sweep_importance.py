"""How much each knob matters: its share of the variance, and what each value can reach."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from playground.model.importance import FORMULA, LIMITS, Importance, importance
from playground.ui.views.sweep_picture import SweepPicture, ink_on
from playground.ui.views.sweep_scene import ratio_words, row_words, speed_colour, value_words

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from playground.model.importance import KnobImportance, ValueReach
    from playground.model.sweep import SweepRow
    from playground.ui.theme import Theme
    from playground.ui.views.sweep_scene import Scene

_LINES = 3.5
"""Lines of text that a knob takes: its bar, and its values below."""


class ImportancePicture(SweepPicture):
    """A bar a knob, and below it a chip a value with the loss of staying at it; chips pick."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("sweep.importance", "How much each knob matters", theme, parent)
        self.found = Importance()
        self.setToolTip(f"{FORMULA}.\n{LIMITS}")

    def show_scene(self, scene: Scene) -> None:
        """Work the shares out anew."""
        self.found = importance(scene.rows)
        shares = [
            f"{knob.name} {knob.share * 100:.0f} %" for knob in self.found.knobs
            if knob.share is not None
        ]  # fmt: skip
        self.setAccessibleDescription(", ".join(shares) or "nothing was timed")
        self.setMinimumHeight(round(self._line() * (_LINES * len(self.found.knobs) + 2)))
        super().show_scene(scene)

    def summary(self) -> str:
        """Return in one line what the bars are of, and what they leave out."""
        rest = self.found.rest
        if rest is None:
            return "Nothing can be said before several configs were timed"
        return (
            f"Share of the variance of log time that each knob explains alone (ε², over "
            f"{self.found.configs} configs); {rest * 100:.0f} % are knobs together, and noise. "
            "Below: what the best costs with the knob held at a value."
        )

    # ------------------------------------------------------------------------------ places

    def _line(self) -> float:
        return float(self.fontMetrics().height())

    def _knob_rect(self, index: int) -> QRectF:
        line = self._line()
        return QRectF(line * 0.6, line * (0.3 + _LINES * index), self.width() - 1.2 * line,
                      line * _LINES)  # fmt: skip

    def _chips(self, index: int) -> list[tuple[QRectF, ValueReach]]:
        knob, at, line = self.found.knobs[index], self._knob_rect(index), self._line()
        count = len(knob.values)
        gap, top = 2.0, at.top() + 1.45 * line
        width = min((at.width() - gap * (count - 1)) / max(count, 1), 9 * line)
        return [
            (QRectF(at.left() + i * (width + gap), top, width, 1.6 * line), value)
            for i, value in enumerate(knob.values)
        ]  # fmt: skip

    def row_at(self, place: QPointF) -> SweepRow | None:
        """Return the best row with a knob at the value under a place."""
        for index in range(len(self.found.knobs)):
            for at, value in self._chips(index):
                if at.contains(place):
                    return value.best
        return None

    def rows_in_order(self) -> list[SweepRow]:
        """Return the best row of every value, knob by knob."""
        return [value.best for knob in self.found.knobs for value in knob.values]

    def words_at(self, place: QPointF) -> str:
        """Return what a value can reach, or what a bar says."""
        for index, knob in enumerate(self.found.knobs):
            for at, value in self._chips(index):
                if at.contains(place):
                    return (
                        f"{knob.name}={value_words(value.value)}: the best of {value.configs} "
                        f"configs is {_loss_words(value.loss)}\n{row_words(value.best, self.scene)}"
                    )
            if self._knob_rect(index).contains(place):
                return f"{FORMULA}.\n{LIMITS}"
        return ""

    def sizeHint(self) -> QSize:
        """Return the height of all knobs."""
        return QSize(round(30 * self._line()), self.minimumHeight())

    # ------------------------------------------------------------------------------ drawing

    def draw(self, painter: QPainter) -> None:
        """Draw every knob."""
        if not self.found.knobs:
            timed = self.scene.timed
            self.say(painter, "Every config has the same values" if timed else (
                "Nothing was timed: how much a knob matters is told from times"))  # fmt: skip
            return
        names = max(self.fontMetrics().horizontalAdvance(k.name) for k in self.found.knobs)
        for index, knob in enumerate(self.found.knobs):
            self._draw_bar(painter, self._knob_rect(index), knob, names)
            for at, value in self._chips(index):
                self._draw_chip(painter, at, value)

    def _draw_bar(self, painter: QPainter, at: QRectF, knob: KnobImportance, names_px: int) -> None:
        line, theme = self._line(), self.theme
        painter.setFont(self.font())
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.setPen(theme.color("text"))
        painter.drawText(
            QRectF(at.left(), at.top(), names_px + line, 1.3 * line), middle, knob.name
        )
        left = at.left() + names_px + 0.8 * line
        figures = 3.6 * line
        bar = QRectF(left, at.top() + 0.35 * line, max(at.right() - left - figures, 10), 0.6 * line)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("border"))
        painter.drawRoundedRect(bar, 3, 3)
        if knob.share:
            painter.setBrush(theme.color("accent"))
            width = max(bar.width() * knob.share, 3)
            painter.drawRoundedRect(QRectF(bar.left(), bar.top(), width, bar.height()), 3, 3)
        painter.setPen(theme.color("text"))
        text = "?" if knob.share is None else f"{knob.share * 100:.0f} %"
        figure = QRectF(bar.right() + 4, at.top(), figures - 4, 1.3 * line)
        right = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        painter.drawText(figure, right, text)

    def _draw_chip(self, painter: QPainter, at: QRectF, value: ValueReach) -> None:
        theme = self.theme
        ground = speed_colour(theme, self.scene.speed(value.best.median_ms or 1.0))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ground)
        painter.drawRoundedRect(at, 3, 3)
        if value.best is self.hovered:
            painter.setPen(QPen(theme.color("text"), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(at, 3, 3)
        painter.setFont(self.small_font())
        ink = ink_on(ground)
        name, loss = value_words(value.value), ratio_words(value.loss)
        both = f"{name}  {loss}"
        metrics = painter.fontMetrics()
        painter.setPen(ink)
        room = at.width() - 6
        if metrics.horizontalAdvance(both) <= room:
            width = metrics.horizontalAdvance(both)
            left = at.center().x() - width / 2
            flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
            painter.drawText(QRectF(left, at.top(), width, at.height()), flags, f"{name}  ")
            faint = QColor(ink)
            faint.setAlphaF(0.78)
            painter.setPen(faint)
            past = metrics.horizontalAdvance(f"{name}  ")
            painter.drawText(QRectF(left + past, at.top(), width, at.height()), flags, loss)
        else:
            text = metrics.elidedText(name, Qt.TextElideMode.ElideRight, round(room))
            painter.drawText(at, Qt.AlignmentFlag.AlignCenter, text)


def _loss_words(loss: float) -> str:
    words = ratio_words(loss)
    return "the best of all" if words == "best" else f"slower than the best of all: {words}"
