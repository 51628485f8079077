"""A text with lines marked in it: findings, matches, the partner of a bracket; and its size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QPainter,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextFormat,
    QTextOption,
)
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit

from playground.ui.editor import brackets, edits
from playground.ui.editor.folding import Folds
from playground.ui.editor.gutter import Gutter
from playground.ui.editor.sheet import Sheet
from playground.ui.theme import Theme, mono_font

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from PySide6.QtGui import QFont, QPaintEvent
    from PySide6.QtWidgets import QWidget

    from playground.model.finding import Finding, Severity
    from playground.ui.editor.finding_marks import FindingMarks
    from playground.ui.editor.highlighter import Highlighter

TYPING_MS = 900
"""For so long after a key the word at the cursor counts as half-typed, and is not underlined."""

_TINT = 36
"""How strongly, of 255, what a finding is about is coloured: the wave alone is a pixel high."""

_MIN_POINTS, _MAX_POINTS = 6.0, 40.0


class MarkedText(QPlainTextEdit):
    """Coloured Python text beside a margin; `edited` carries all of it after the user's changes.

    It shows one sheet of several; `sheetChanged` tells that it is another one.
    """

    edited = Signal(str)
    zoomed = Signal(float)
    marksChanged = Signal()
    sheetChanged = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setCenterOnScroll(False)
        self.sheet = Sheet(theme, self)
        self.setDocument(self.sheet.document)
        self._coloured = False
        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.setInterval(TYPING_MS)
        self._typing.timeout.connect(self._refresh_marks)
        self._matches: list[tuple[int, int]] = []
        self._flash: tuple[int, ...] = ()
        self._stopped = 0
        self._loading = False
        self.folds = Folds(self)
        self.gutter = Gutter(self)
        self.set_font(mono_font())
        self.blockCountChanged.connect(self.place_gutter)
        self.updateRequest.connect(self._scroll_gutter)
        self.cursorPositionChanged.connect(self._refresh_marks)
        self.textChanged.connect(self._on_text_changed)
        theme.changed.connect(self._refresh_marks)
        self.folds.changed.connect(self.gutter.update)
        self.place_gutter()
        self._refresh_marks()

    # ------------------------------------------------------------------------------- sheets

    @property
    def _marks(self) -> FindingMarks:
        return self.sheet.marks

    @property
    def highlighter(self) -> Highlighter:
        """What colours the text shown."""
        return self.sheet.highlighter

    def start_colours(self) -> None:
        """Colour the text shown, and every other one from when it is first shown."""
        self._coloured = True
        self.highlighter.start()

    def show_sheet(self, sheet: Sheet) -> None:
        """Show another text, with everything as it was when it was put away."""
        if sheet is self.sheet:
            return
        before = self.sheet
        before.cursor = self.textCursor()
        before.scrolled = (self.verticalScrollBar().value(), self.horizontalScrollBar().value())
        before.heads = self.folds.heads
        before.highlighter.shown = False
        self._typing.stop()
        self._matches = []
        self.sheet = sheet
        self._loading = True
        # Text may have been made larger, or wrapped, since the sheet was shown.
        sheet.document.setDefaultFont(self.font())
        self.setDocument(sheet.document)
        self._set_tab_stops()
        self.folds.follow(sheet.document, sheet.heads)
        sheet.highlighter.shown = True
        if self._coloured:
            sheet.highlighter.start()
        self.setTextCursor(sheet.cursor)
        self._loading = False
        self.place_gutter()
        down, right = sheet.scrolled
        self.verticalScrollBar().setValue(down)
        self.horizontalScrollBar().setValue(right)
        self._refresh_marks()
        self.sheetChanged.emit()
        self.cursorPositionChanged.emit()
        self.marksChanged.emit()

    # -------------------------------------------------------------------------------- text

    def text(self) -> str:
        """Return the whole text; unlike `toPlainText` it keeps non-breaking spaces."""
        return self.document().toRawText().replace("\u2029", "\n")

    def load(self, text: str) -> None:
        """Show another file's text; undo starts anew."""
        self._loading = True
        self._marks.put(())
        self.folds.forget()
        self.setPlainText(text)
        self._loading = False
        self._refresh_marks()

    def replace(self, text: str) -> None:
        """Show a newer version of the same file; undo brings the old one back."""
        self._loading = True
        edits.replace_text(self.document(), text)
        self._loading = False

    def go_to(self, line: int, column: int = 0, *, focus: bool = True) -> None:
        """Put the cursor at a 1-based line and 0-based column, in view, and mark the line."""
        block = self.document().findBlockByNumber(max(line, 1) - 1)
        if not block.isValid():
            block = self.document().lastBlock()
        self.folds.reveal(block.blockNumber())
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

    def word_at(self, line: int, column: int) -> str:
        """Return the identifier around a place, `line` from 0, or an empty text."""
        text = self.document().findBlockByNumber(line).text()
        start = end = min(column, len(text))
        while start and (text[start - 1].isalnum() or text[start - 1] == "_"):
            start -= 1
        while end < len(text) and (text[end].isalnum() or text[end] == "_"):
            end += 1
        word = text[start:end]
        return word if word.isidentifier() else ""

    def rect_on_screen(self, line: int, column: int) -> QRect:
        """Return where a place of the text is, `line` from 0, in pixels of the screen."""
        block = self.document().findBlockByNumber(line)
        cursor = QTextCursor(block)
        cursor.setPosition(block.position() + min(column, max(block.length() - 1, 0)))
        area = self.cursorRect(cursor)
        area.moveTopLeft(self.viewport().mapToGlobal(area.topLeft()))
        return area

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
        self.marksChanged.emit()

    def set_matches(self, spans: Sequence[tuple[int, int]]) -> None:
        """Light up what a search found, as start and end positions."""
        self._matches = list(spans)
        self._refresh_marks()
        self.marksChanged.emit()

    def mark_lines(self, lines: Sequence[int]) -> None:
        """Light up 1-based lines on behalf of another view; none takes the marks away."""
        if tuple(lines) != self._flash:
            self._flash = tuple(lines)
            self._refresh_marks()

    def mark_stopped(self, line: int) -> None:
        """Light up the 1-based line at which a program stands; 0 for none."""
        if line != self._stopped:
            self._stopped = line
            self._refresh_marks()

    def marked_lines(self) -> dict[int, str]:
        """Return the 1-based lines that a finding or a match is on, with the colour's token.

        Of several marks of a line the gravest counts.
        """
        document = self.document()
        lines = {document.findBlock(at).blockNumber() + 1: "accent" for at, _ in self._matches}
        return lines | self._marks.tokens()

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
        stopped = self.document().findBlockByNumber(self._stopped - 1)
        if self._stopped and stopped.isValid():
            marks.append(self._line_mark(stopped, color("stopped_line")))
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
        self._set_tab_stops()
        self.place_gutter()

    def _set_tab_stops(self) -> None:
        self.setTabStopDistance(self.fontMetrics().horizontalAdvance(" ") * edits.INDENT)

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

    def paintEvent(self, event: QPaintEvent) -> None:
        """Mark the ends of lines that others are folded behind."""
        super().paintEvent(event)
        folded = self.folds.folded
        if not folded:
            return
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        metrics = self.fontMetrics()
        for block, top in self.visible_blocks():
            if block.blockNumber() in folded:
                x = self.contentOffset().x() + metrics.horizontalAdvance(block.text() + " ")
                box = QRectF(x + 4, top + 0.2 * metrics.height(), 1, 0.65 * metrics.height())
                box.setWidth(1.6 * metrics.height())
                painter.setPen(self.theme.color("border_strong"))
                painter.setBrush(self.theme.color("raised"))
                painter.drawRoundedRect(box, 3, 3)
                painter.setPen(self.theme.color("muted"))
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, "⋯")
        painter.end()

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
