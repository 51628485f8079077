"""The editor's margin: line numbers, the marks of findings, and what lines became in code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QHelpEvent, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QToolTip, QWidget

from playground.ui import icons
from playground.ui.editor import finding_marks
from playground.ui.editor.access_columns import AccessColumns
from playground.ui.editor.mix_columns import MixColumns

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PySide6.QtGui import QEnterEvent, QMouseEvent, QPaintEvent

    from playground.model.machine_code import LineCode
    from playground.ui.access_text import LineAccess
    from playground.ui.editor.marked_text import MarkedText

FIGURES_SCALE = 0.88
"""Of the editor's font: how large the figures beside the lines are."""


class Gutter(QWidget):
    """Paints beside the editor; a click selects the line, one on how it accesses memory shows that.

    `accessClicked` carries the line whose accesses were clicked, `markClicked` the one beside which
    a mark was, or could be, and `menuWanted` that of a click with the right button.
    """

    accessClicked = Signal(int)
    markClicked = Signal(int)
    menuWanted = Signal(int, QPoint)

    def __init__(self, editor: MarkedText) -> None:
        super().__init__(editor)
        self._editor = editor
        self.mix = MixColumns(editor.theme)
        self.access = AccessColumns(editor.theme)
        self.setObjectName("editorGutter")
        self.setAccessibleName("Line numbers")
        self.setCursor(Qt.CursorShape.ArrowCursor)
        self._pointed = False
        self._points: Mapping[int, str] = {}
        self._stopped = 0
        self._hovered = 0
        self.setMouseTracking(True)

    def show_points(self, points: Mapping[int, str], stopped: int = 0) -> None:
        """Show breakpoints (conditions by line, from 1), and the line at which a program stands."""
        self._points, self._stopped = points, stopped
        self.update()

    def show_code(
        self, lines: Mapping[int, LineCode], arithmetic: int = 0, stale: str = ""
    ) -> None:
        """Show beside lines (from 1) what they became.

        `arithmetic` is how many instructions of the kernel compute; `stale` says why all this is
        out of date.
        """
        before = self.width_px()
        self.mix.set_lines(lines, arithmetic, stale)
        self._changed(before)

    def show_access(self, lines: Mapping[int, LineAccess], stale: str = "") -> None:
        """Show beside lines (from 1) how they access memory; `stale` says why that is old."""
        before = self.width_px()
        self.access.set_lines(lines, stale)
        self._changed(before)

    def _changed(self, width_before: int) -> None:
        parts = ["Line numbers"]
        parts += ["machine instructions"] if self.mix.shown else []
        parts += ["memory accesses"] if self.access.shown else []
        self.setAccessibleName(" and ".join(parts))
        if self.width_px() != width_before:
            self._editor.place_gutter()
        self.update()

    def width_px(self) -> int:
        """Return the width that the highest line number, a mark, the code and margins need."""
        metrics = QFontMetrics(self._small())
        return self._numbers_px() + self.mix.width_px(metrics) + self.access.width_px(metrics)

    def _small(self) -> QFont:
        """Return the font of the figures: smaller than the text, which needs the room."""
        font = QFont(self._editor.font())
        if font.pixelSize() > 0:
            font.setPixelSize(round(font.pixelSize() * FIGURES_SCALE))
        else:
            font.setPointSizeF(font.pointSizeF() * FIGURES_SCALE)
        return font

    def _access_x(self) -> int:
        """Return where the column of accesses begins."""
        return self._numbers_px() + self.mix.width_px(QFontMetrics(self._small()))

    def _digits_px(self) -> int:
        digits = max(2, len(str(self._editor.blockCount())))
        return self._editor.fontMetrics().horizontalAdvance("9" * digits)

    def _numbers_px(self) -> int:
        """Return the width of a mark, the line's number, and where it folds."""
        return self._digits_px() + round(1.75 * self._editor.fontMetrics().height())

    def _fold_x(self) -> int:
        """Return where the signs of what folds begin."""
        return self._digits_px() + round(1.1 * self._editor.fontMetrics().height())

    def sizeHint(self) -> QSize:
        """Return the width needed."""
        return QSize(self.width_px(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the numbers, marks and code of the visible lines."""
        editor, theme = self._editor, self._editor.theme
        painter = QPainter(self)
        painter.fillRect(event.rect(), theme.color("surface"))
        height = editor.fontMetrics().height()
        current = editor.textCursor().blockNumber()
        muted, strong = theme.color("disabled"), theme.color("text")
        digits, numbers, access_x = self._digits_px(), self._numbers_px(), self._access_x()
        small = self._small()
        for block, top in editor.visible_blocks():
            number = block.blockNumber()
            painter.setFont(editor.font())
            painter.setPen(strong if number == current else muted)
            painter.drawText(
                QRect(height, top, digits, height),
                Qt.AlignmentFlag.AlignRight,
                str(number + 1),
            )
            severity = editor.severity_at(number + 1)
            if self._paint_point(painter, number + 1, top):
                pass
            elif severity:
                token = {"error": "bad", "warning": "warn"}.get(severity, "accent_link")
                size = round(0.8 * height)
                picture = icons.pixmap(severity, theme, token, size, self.devicePixelRatioF())
                painter.drawPixmap(round(0.2 * height), top + (height - size) // 2, picture)
            self._paint_fold(painter, number, top)
            painter.setFont(small)
            if self.mix.shown:
                self.mix.paint(painter, number + 1, QRect(numbers, top, access_x - numbers, height))
            if self.access.shown:
                area = QRect(access_x, top, self.width() - access_x, height)
                self.access.paint(painter, number + 1, area)
        painter.end()

    def _paint_point(self, painter: QPainter, line: int, top: int) -> bool:
        """Draw a breakpoint and where a program stands; tell whether there was any to draw."""
        set_, stands = line in self._points, line == self._stopped
        if not set_ and not stands and line != self._hovered:
            return False
        if not set_ and not stands and self._editor.severity_at(line):
            return False
        theme, height = self._editor.theme, self._editor.fontMetrics().height()
        side = 0.62 * height
        area = QRectF(0.24 * height, top + (height - side) / 2, side, side)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colour = theme.color("bad")
        if not set_ and not stands:
            colour.setAlphaF(0.35)
        if set_ or not stands:
            painter.setBrush(colour)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.drawEllipse(area)
            if self._points.get(line):
                painter.setPen(QPen(theme.color("surface"), max(1.0, 0.09 * height)))
                for share in (0.38, 0.62):
                    y = area.top() + share * side
                    painter.drawLine(QPointF(area.left() + 0.25 * side, y),
                                     QPointF(area.right() - 0.25 * side, y))  # fmt: skip
        if stands:
            left, middle, right = area.left() - 0.1 * side, area.center().y(), area.right()
            arrow = QPolygonF([
                QPointF(left, middle - 0.2 * side), QPointF(left + 0.5 * side, middle - 0.2 * side),
                QPointF(left + 0.5 * side, middle - 0.5 * side),
                QPointF(right + 0.2 * side, middle),
                QPointF(left + 0.5 * side, middle + 0.5 * side),
                QPointF(left + 0.5 * side, middle + 0.2 * side),
                QPointF(left, middle + 0.2 * side),
            ])  # fmt: skip
            painter.setBrush(theme.color("stopped_arrow"))
            painter.setPen(QPen(theme.color("surface"), 1))
            painter.drawPolygon(arrow)
        painter.restore()
        return True

    def _paint_fold(self, painter: QPainter, line: int, top: int) -> None:
        """Draw the sign of what folds at a line (from 0): always where it is folded."""
        folds, height = self._editor.folds, self._editor.fontMetrics().height()
        folded = line in folds.folded
        if folded or (self._pointed and folds.can_fold(line)):
            size = round(0.62 * height)
            name = "chevron-right" if folded else "chevron-down"
            picture = icons.pixmap(
                name, self._editor.theme, "muted", size, self.devicePixelRatioF()
            )
            painter.drawPixmap(self._fold_x(), top + (height - size) // 2, picture)

    def enterEvent(self, event: QEnterEvent) -> None:
        """Show what can be folded."""
        self._pointed = True
        self.update()
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        """Show only what is folded."""
        self._pointed, self._hovered = False, 0
        self.update()
        super().leaveEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show where a click would set a breakpoint."""
        at = event.position()
        line = self._line_at(at.y()) if at.x() < self._editor.fontMetrics().height() else 0
        if line != self._hovered:
            self._hovered = line
            self.update()

    def tip(self, line: int, x: int) -> str:
        """Return what there is to say at `x` on a line: over the mark, the line's findings."""
        if not line:
            return ""
        found = self._editor.findings_at(line)
        if x < self._editor.fontMetrics().height():
            parts = [self._point_tip(line)] if not found or line in self._points else []
            parts += [finding_marks.tooltip(found)] if found else []
            return "\n".join(parts)
        if self.access.shown and x >= self._access_x():
            return self.access.tip(line)
        return self.mix.tip(line)

    def _point_tip(self, line: int) -> str:
        condition = self._points.get(line)
        if condition is None:
            return "Click to stop here when a program is debugged (F9)"
        where = f" where {condition}" if condition else ""
        return f"Breakpoint{where}: a click takes it away, the right button sets a condition"

    def event(self, event: QEvent) -> bool:
        """Tell what the line under the mouse became."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            line = self._line_at(event.pos().y())
            QToolTip.showText(event.globalPos(), self.tip(line, event.pos().x()), self)
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Select the line that was clicked."""
        line = self._line_at(event.position().y())
        if not line:
            return
        x = event.position().x()
        if x < self._editor.fontMetrics().height():
            if event.button() == Qt.MouseButton.RightButton:
                self.menuWanted.emit(line, event.globalPosition().toPoint())
            else:
                self.markClicked.emit(line)
            return
        if self._fold_x() <= x < self._numbers_px() and self._editor.folds.can_fold(line - 1):
            self._editor.folds.toggle(line - 1)
            return
        known = self.access.shown and event.position().x() >= self._access_x()
        if known and self.access.at(line) is not None:
            self.accessClicked.emit(line)
        else:
            self._editor.select_line(line)

    def _line_at(self, y: float) -> int:
        for block, top in self._editor.visible_blocks():
            if top <= y < top + round(self._editor.blockBoundingRect(block).height()):
                return block.blockNumber() + 1
        return 0
