"""The text widget: keys, lines, marks of findings, zoom."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRect, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QHelpEvent,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextFormat,
    QTextOption,
)
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QToolTip

from playground.ui.editor import brackets, edits
from playground.ui.editor.finding_marks import FindingMarks, tooltip
from playground.ui.editor.gutter import Gutter
from playground.ui.editor.highlighter import Highlighter
from playground.ui.theme import Theme, mono_font

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from PySide6.QtGui import (
        QDragEnterEvent,
        QDragMoveEvent,
        QDropEvent,
        QFont,
        QKeyEvent,
        QResizeEvent,
        QWheelEvent,
    )
    from PySide6.QtWidgets import QWidget

    from playground.model.finding import Finding, Severity

_POPUP_KEYS = (
    Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape, Qt.Key.Key_Tab, Qt.Key.Key_Backtab,
)  # fmt: skip
TYPING_MS = 900
"""For so long after a key the word at the cursor counts as half-typed, and is not underlined."""

_TINT = 36
"""How strongly, of 255, what a finding is about is coloured: the wave alone is a pixel high."""

_MIN_POINTS, _MAX_POINTS = 6.0, 40.0


class CodeEditor(QPlainTextEdit):
    """A Python editor; `edited` carries the whole text after every change by the user."""

    edited = Signal(str)
    filesDropped = Signal(list)
    zoomed = Signal(float)
    completionWanted = Signal(bool)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.setObjectName("editor")
        self.setAccessibleName("Kernel source")
        self.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setCenterOnScroll(False)
        self._marks = FindingMarks(self.document())
        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.setInterval(TYPING_MS)
        self._typing.timeout.connect(self._refresh_marks)
        self._matches: list[tuple[int, int]] = []
        self._flash: tuple[int, ...] = ()
        self._loading = False
        self.popup: QWidget | None = None
        self.gutter = Gutter(self)
        self.highlighter = Highlighter(self.document(), theme)
        self.set_font(mono_font())
        self.blockCountChanged.connect(self.place_gutter)
        self.updateRequest.connect(self._scroll_gutter)
        self.cursorPositionChanged.connect(self._refresh_marks)
        self.textChanged.connect(self._on_text_changed)
        theme.changed.connect(self._refresh_marks)
        self.place_gutter()
        self._refresh_marks()

    # -------------------------------------------------------------------------------- text

    def text(self) -> str:
        """Return the whole text; unlike `toPlainText` it keeps non-breaking spaces."""
        return self.document().toRawText().replace("\u2029", "\n")

    def load(self, text: str) -> None:
        """Show another file's text; undo starts anew."""
        self._loading = True
        self._marks.put(())
        self.setPlainText(text)
        self._loading = False
        self._refresh_marks()

    def replace(self, text: str) -> None:
        """Show a newer version of the same file; undo brings the old one back."""
        self._loading = True
        edits.replace_text(self, text)
        self._loading = False

    def go_to(self, line: int, column: int = 0, *, focus: bool = True) -> None:
        """Put the cursor at a 1-based line and 0-based column, in view, and mark the line."""
        block = self.document().findBlockByNumber(max(line, 1) - 1)
        if not block.isValid():
            block = self.document().lastBlock()
        cursor = QTextCursor(block)
        cursor.setPosition(block.position() + min(column, block.length() - 1))
        self.setTextCursor(cursor)
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        if not 0 <= top <= self.viewport().height() * 0.8:
            self.centerCursor()
        if focus:
            self.setFocus(Qt.FocusReason.OtherFocusReason)

    def select_line(self, line: int) -> None:
        """Select a 1-based line with its break."""
        cursor = QTextCursor(self.document().findBlockByNumber(line - 1))
        cursor.movePosition(QTextCursor.MoveOperation.NextBlock, QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)

    def word_before_cursor(self) -> str:
        """Return the identifier that ends at the cursor, or an empty text."""
        before = self.textCursor().block().text()[: self.textCursor().positionInBlock()]
        start = len(before)
        while start and (before[start - 1].isalnum() or before[start - 1] == "_"):
            start -= 1
        return before[start:]

    def _on_text_changed(self) -> None:
        self.highlighter.edit_column = self.textCursor().positionInBlock()
        if not self._loading:
            self._typing.start()
            self.edited.emit(self.text())

    # -------------------------------------------------------------------------------- marks

    def set_findings(self, findings: Sequence[Finding]) -> None:
        """Underline these findings' lines and mark them in the margin."""
        self._marks.put(findings)
        self._refresh_marks()
        self.gutter.update()

    def set_matches(self, spans: Sequence[tuple[int, int]]) -> None:
        """Light up what a search found, as start and end positions."""
        self._matches = list(spans)
        self._refresh_marks()

    def mark_lines(self, lines: Sequence[int]) -> None:
        """Light up 1-based lines on behalf of another view; none takes the marks away."""
        if tuple(lines) != self._flash:
            self._flash = tuple(lines)
            self._refresh_marks()

    def findings_at(self, line: int) -> list[Finding]:
        """Return the findings whose place is a 1-based line."""
        return self._marks.at(line)

    def severity_at(self, line: int) -> Severity | None:
        """Return the gravest severity on a 1-based line."""
        return self._marks.severity_at(line)

    def _refresh_marks(self) -> None:
        color = self.theme.color
        marks = [self._line_mark(self.textCursor().block(), color("current_line"))]
        for line in self._flash:
            block = self.document().findBlockByNumber(line - 1)
            if block.isValid():
                marks.append(self._line_mark(block, color("selection")))
        for start, end in self._matches[:2000]:
            marks.append(self._span_mark(start, end, background=color("search")))
        for position in brackets.pair_at(self):
            marks.append(self._span_mark(position, position + 1, background=color("bracket")))
        typing_at = self.textCursor().position() if self._typing.isActive() else None
        for start, end, token in self._marks.spans(typing_at):
            tint = QColor(color(token))
            tint.setAlpha(_TINT)
            marks.append(self._span_mark(start, end, background=tint, wave=color(token)))
        self.setExtraSelections(marks)
        self.gutter.update()

    @staticmethod
    def _line_mark(block: QTextBlock, background: QColor) -> QTextEdit.ExtraSelection:
        mark = QTextEdit.ExtraSelection()
        style = QTextCharFormat()
        style.setBackground(background)
        style.setProperty(QTextFormat.Property.FullWidthSelection, True)
        mark.format = style
        mark.cursor = QTextCursor(block)
        return mark

    def _span_mark(
        self, start: int, end: int, *, background: QColor | None = None, wave: QColor | None = None
    ) -> QTextEdit.ExtraSelection:
        mark = QTextEdit.ExtraSelection()
        style = QTextCharFormat()
        if background is not None:
            style.setBackground(background)
        if wave is not None:
            style.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
            style.setUnderlineColor(wave)
        cursor = QTextCursor(self.document())
        cursor.setPosition(start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        mark.format = style
        mark.cursor = cursor
        return mark

    # ----------------------------------------------------------------------------- look

    def set_font(self, font: QFont) -> None:
        """Use `font`; a tab is as wide as one level of indentation."""
        self.setFont(font)
        self.setTabStopDistance(self.fontMetrics().horizontalAdvance(" ") * edits.INDENT)
        self.place_gutter()

    def zoom(self, points: float) -> None:
        """Make the text larger by `points`, or with 0 its natural size again."""
        font = self.font()
        size = mono_font().pointSizeF() if points == 0 else font.pointSizeF() + points
        font.setPointSizeF(min(max(size, _MIN_POINTS), _MAX_POINTS))
        self.set_font(font)
        self.zoomed.emit(font.pointSizeF())

    def set_wrap(self, on: bool) -> None:
        """Wrap long lines at the window's edge, or scroll sideways."""
        modes = QPlainTextEdit.LineWrapMode
        self.setLineWrapMode(modes.WidgetWidth if on else modes.NoWrap)

    def visible_blocks(self) -> Iterator[tuple[QTextBlock, int]]:
        """Yield the visible lines with their top in pixels."""
        block = self.firstVisibleBlock()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        while block.isValid() and top <= self.viewport().height():
            if block.isVisible():
                yield block, round(top)
            top += self.blockBoundingRect(block).height()
            block = block.next()

    def place_gutter(self) -> None:
        """Give the margin the width it needs now."""
        width = self.gutter.width_px()
        self.setViewportMargins(width, 0, 0, 0)
        area = self.contentsRect()
        self.gutter.setGeometry(QRect(area.left(), area.top(), width, area.height()))

    def _scroll_gutter(self, area: QRect, dy: int) -> None:
        if dy:
            self.gutter.scroll(0, dy)
        else:
            self.gutter.update(0, area.y(), self.gutter.width(), area.height())

    # ----------------------------------------------------------------------------- events

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the margin beside the text."""
        super().resizeEvent(event)
        self.place_gutter()

    def event(self, event: QEvent) -> bool:
        """Show the findings under the mouse."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            point = self.viewport().mapFrom(self, event.pos())
            line = self.cursorForPosition(point).blockNumber() + 1
            found = self.findings_at(line)
            if found:
                QToolTip.showText(event.globalPos(), tooltip(found), self)
            else:
                QToolTip.hideText()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Indent, break lines and delete as in a programmer's editor."""
        key, held = event.key(), event.modifiers()
        shift = bool(held & Qt.KeyboardModifier.ShiftModifier)
        plain = not held & ~(Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier)
        keys = Qt.Key
        if self.popup is not None and self.popup.isVisible() and key in _POPUP_KEYS:
            # Ignored here, the key goes on to the completer's own handling.
            event.ignore()
            return
        if plain and key in (keys.Key_Return, keys.Key_Enter):
            edits.new_line(self)
        elif plain and key == keys.Key_Tab:
            edits.indent(self)
        elif key == keys.Key_Backtab:
            edits.dedent(self)
        elif plain and not shift and key == keys.Key_Backspace and edits.backspace(self):
            pass
        elif plain and key == keys.Key_Home:
            edits.smart_home(self, keep_anchor=shift)
        elif held == Qt.KeyboardModifier.ControlModifier and key == keys.Key_Space:
            self.completionWanted.emit(True)
        else:
            super().keyPressEvent(event)
            if plain and event.text() and (event.text().isalnum() or event.text() in "._"):
                self.completionWanted.emit(False)
            return
        event.accept()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom while Ctrl is held."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            steps = event.angleDelta().y() / 120
            if steps:
                self.zoom(steps)
            event.accept()
        else:
            super().wheelEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take files as well as text."""
        if _files(event):
            event.acceptProposedAction()
        else:
            super().dragEnterEvent(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        """Take files anywhere over the text."""
        if _files(event):
            event.acceptProposedAction()
        else:
            super().dragMoveEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        """Hand dropped files on; dropped text goes into the text."""
        files = _files(event)
        if files:
            event.acceptProposedAction()
            self.filesDropped.emit(files)
        else:
            super().dropEvent(event)


def _files(event: QDropEvent) -> list[str]:
    data = event.mimeData()
    urls = data.urls() if data.hasUrls() else []
    return [url.toLocalFile() for url in urls if url.isLocalFile()]
