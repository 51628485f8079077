"""The editor's margin: line numbers and the marks of findings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from playground.ui import icons

if TYPE_CHECKING:
    from PySide6.QtGui import QMouseEvent, QPaintEvent

    from playground.ui.editor.code_editor import CodeEditor


class Gutter(QWidget):
    """Paints beside the editor; a click selects the line."""

    def __init__(self, editor: CodeEditor) -> None:
        super().__init__(editor)
        self._editor = editor
        self.setObjectName("editorGutter")
        self.setAccessibleName("Line numbers")
        self.setCursor(Qt.CursorShape.ArrowCursor)

    def width_px(self) -> int:
        """Return the width that the highest line number, a mark and the margins need."""
        digits = max(3, len(str(self._editor.blockCount())))
        metrics = self._editor.fontMetrics()
        return metrics.horizontalAdvance("9" * digits) + 2 * metrics.height()

    def sizeHint(self) -> QSize:
        """Return the width needed."""
        return QSize(self.width_px(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the numbers and marks of the visible lines."""
        editor, theme = self._editor, self._editor.theme
        painter = QPainter(self)
        painter.fillRect(event.rect(), theme.color("surface"))
        painter.setFont(editor.font())
        height = editor.fontMetrics().height()
        current = editor.textCursor().blockNumber()
        muted, strong = theme.color("disabled"), theme.color("text")
        for block, top in editor.visible_blocks():
            number = block.blockNumber()
            painter.setPen(strong if number == current else muted)
            painter.drawText(
                QRect(height, top, self.width() - round(1.6 * height), height),
                Qt.AlignmentFlag.AlignRight,
                str(number + 1),
            )
            severity = editor.severity_at(number + 1)
            if severity:
                token = {"error": "bad", "warning": "warn"}.get(severity, "accent_link")
                size = round(0.8 * height)
                picture = icons.pixmap(severity, theme, token, size, self.devicePixelRatioF())
                painter.drawPixmap(round(0.2 * height), top + (height - size) // 2, picture)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Select the line that was clicked."""
        for block, top in self._editor.visible_blocks():
            bottom = top + round(self._editor.blockBoundingRect(block).height())
            if top <= event.position().y() < bottom:
                self._editor.select_line(block.blockNumber() + 1)
                return
