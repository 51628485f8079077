"""One compiler stage's text: read-only, searchable, and tied line by line to the source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QShortcut,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from playground.ui.icons import icon
from playground.ui.theme import mono_font
from playground.ui.views.ir_highlight import IrHighlighter

if TYPE_CHECKING:
    from playground.ui.theme import Theme


class _Gutter(QWidget):
    """Line numbers, and beside them the source line each text line came from."""

    def __init__(self, text: IrText) -> None:
        super().__init__(text)
        self._text = text

    def sizeHint(self) -> QSize:
        return QSize(self._text.gutter_width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        self._text.paint_gutter(event)


class IrText(QPlainTextEdit):
    """The text itself; `sourceLineRequested` carries the source line of the line clicked."""

    sourceLineRequested = Signal(int)

    def __init__(self, stage: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(f"compiler.ir.{stage}")
        self.setAccessibleName(f"{stage} text")
        self._theme = theme
        self._lines: tuple[int, ...] = ()
        self._source_line = 0
        self.setReadOnly(True)
        self.setFont(mono_font())
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._gutter = _Gutter(self)
        self._highlighter = IrHighlighter(self.document(), stage, theme)
        self.blockCountChanged.connect(self._place_gutter)
        self.updateRequest.connect(self._on_update)
        theme.changed.connect(self._recolour)
        self._place_gutter()

    def show_ir(self, text: str, lines: tuple[int, ...]) -> None:
        """Show a text whose line `i` came from source line `lines[i]` (0 for none)."""
        self._lines = lines
        scroll = self.verticalScrollBar().value()
        self.setPlainText(text)
        self.verticalScrollBar().setValue(scroll)
        self._place_gutter()
        self._mark()

    def source_line(self, line: int) -> int:
        """Return the source line of the text's line `line` (from 0), 0 for none."""
        return self._lines[line] if 0 <= line < len(self._lines) else 0

    def lines_of(self, source_line: int) -> tuple[int, ...]:
        """Return the text's lines that came from a source line."""
        return tuple(index for index, line in enumerate(self._lines) if line == source_line)

    def show_source_line(self, line: int, *, scroll: bool = True) -> None:
        """Mark what came from source line `line`, and bring the first of it into view."""
        self._source_line = line
        self._mark()
        lines = self.lines_of(line) if line else ()
        if not scroll or not lines:
            return
        first = self.firstVisibleBlock().blockNumber()
        rows = self.viewport().height() // max(self.fontMetrics().lineSpacing(), 1)
        if not any(first <= index < first + rows for index in lines):
            cursor = QTextCursor(self.document().findBlockByNumber(lines[0]))
            self.setTextCursor(cursor)
            self.centerCursor()

    def find_text(self, text: str, *, backward: bool = False, again: bool = True) -> bool:
        """Go to the next place of `text`, round the ends; tell whether there is one."""
        if not text:
            return False
        flags = QTextDocument.FindFlag.FindBackward if backward else QTextDocument.FindFlag(0)
        if not again:
            cursor = self.textCursor()
            cursor.setPosition(cursor.selectionStart())
            self.setTextCursor(cursor)
        if self.find(text, flags):
            return True
        cursor = self.textCursor()
        end = QTextCursor.MoveOperation.End if backward else QTextCursor.MoveOperation.Start
        cursor.movePosition(end)
        self.setTextCursor(cursor)
        return self.find(text, flags)

    def _mark(self) -> None:
        selections = []
        for line in self.lines_of(self._source_line)[:2000] if self._source_line else ():
            selection = QTextEdit.ExtraSelection()
            selection.format.setBackground(self._theme.color("selection"))
            selection.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
            selection.cursor = QTextCursor(self.document().findBlockByNumber(line))
            selections.append(selection)
        self.setExtraSelections(selections)
        self._gutter.update()

    def _recolour(self) -> None:
        self._mark()
        self._gutter.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Ask for the source line behind the line clicked."""
        super().mouseReleaseEvent(event)
        if event.button() != Qt.MouseButton.LeftButton or self.textCursor().hasSelection():
            return
        line = self.source_line(self.cursorForPosition(event.position().toPoint()).blockNumber())
        if line:
            self.show_source_line(line, scroll=False)
            self.sourceLineRequested.emit(line)

    # ------------------------------------------------------------------------------ gutter

    def gutter_width(self) -> int:
        """Return the room for both number columns."""
        digit = self.fontMetrics().horizontalAdvance("9")
        columns = len(str(max(self.blockCount(), 99)))
        source = len(str(max(self._lines, default=0))) + 2 if any(self._lines) else 0
        return digit * (columns + source + 2)

    def _place_gutter(self) -> None:
        self.setViewportMargins(self.gutter_width(), 0, 0, 0)
        area = self.contentsRect()
        self._gutter.setGeometry(QRect(area.left(), area.top(), self.gutter_width(), area.height()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the gutter as high as the text."""
        super().resizeEvent(event)
        self._place_gutter()

    def _on_update(self, rect: QRect, dy: int) -> None:
        if dy:
            self._gutter.scroll(0, dy)
        else:
            self._gutter.update(0, rect.y(), self._gutter.width(), rect.height())

    def paint_gutter(self, event: QPaintEvent) -> None:
        """Draw line numbers, and source lines where they are known."""
        painter = QPainter(self._gutter)
        theme = self._theme
        painter.fillRect(event.rect(), theme.color("raised"))
        painter.setFont(self.font())
        metrics = self.fontMetrics()
        digit = metrics.horizontalAdvance("9")
        numbers = digit * (len(str(max(self.blockCount(), 99))) + 1)
        block = self.firstVisibleBlock()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        while block.isValid() and top <= event.rect().bottom():
            height = self.blockBoundingRect(block).height()
            number = block.blockNumber()
            line = QRect(0, round(top), numbers, round(height))
            painter.setPen(theme.color("muted"))
            painter.drawText(line, Qt.AlignmentFlag.AlignRight, str(number + 1))
            source = self.source_line(number)
            if source:
                colour = QColor(theme.color("accent_link"))
                painter.setPen(colour)
                painter.drawText(
                    QRect(
                        numbers,
                        round(top),
                        self._gutter.width() - numbers - digit // 2,
                        round(height),
                    ),
                    Qt.AlignmentFlag.AlignRight,
                    f":{source}",
                )
            top += height
            block = block.next()


class IrPage(QWidget):
    """A stage's text with its search line."""

    def __init__(self, stage: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.text = IrText(stage, theme, self)
        self._find = QLineEdit(self)
        self._find.setObjectName(f"compiler.find.{stage}")
        self._find.setAccessibleName(f"Find in {stage}")
        self._find.setPlaceholderText("Find (Ctrl+F)")
        self._find.setClearButtonEnabled(True)
        self._find.textChanged.connect(self._on_text)
        self._find.returnPressed.connect(lambda: self._go(backward=False))
        self._count = QLabel(self)
        self._note = QLabel(self)
        row = QHBoxLayout()
        row.setContentsMargins(0, 2, 0, 2)
        row.addWidget(self._find, 1)
        self._buttons = []
        for name, picture, tip, backward in (
            ("findPrevious", "prev", "Previous match", True),
            ("findNext", "next", "Next match", False),
        ):
            button = QToolButton(self)
            button.setObjectName(f"compiler.{name}.{stage}")
            button.setToolTip(tip)
            button.setAccessibleName(tip)
            button.setAutoRaise(True)
            button.clicked.connect(lambda _=False, b=backward: self._go(backward=b))
            self._buttons.append((button, picture))
            row.addWidget(button)
        row.addWidget(self._count)
        row.addStretch(1)
        row.addWidget(self._note)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(row)
        layout.addWidget(self.text, 1)
        shortcut = QShortcut(QKeySequence.StandardKey.Find, self)
        shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        shortcut.activated.connect(self._focus_find)
        theme.changed.connect(self._recolour)
        self._recolour()

    def show_ir(self, text: str, lines: tuple[int, ...]) -> None:
        """Show a stage's text."""
        self.text.show_ir(text, lines)
        count = text.count("\n")
        linked = sum(1 for line in lines if line)
        self._note.setText(
            f"{count} lines, click one to see its source" if linked else f"{count} lines"
        )
        self._on_text(self._find.text())

    @property
    def matches(self) -> int:
        """How often the text searched for occurs."""
        wanted = self._find.text().lower()
        return self.text.toPlainText().lower().count(wanted) if wanted else 0

    def _focus_find(self) -> None:
        self._find.setFocus()
        self._find.selectAll()

    def _on_text(self, text: str) -> None:
        if text:
            self.text.find_text(text, again=False)
        count = self.matches
        self._count.setText((f"{count} found" if count else "none") if text else "")

    def _go(self, *, backward: bool) -> None:
        self.text.find_text(self._find.text(), backward=backward)

    def _recolour(self) -> None:
        for button, picture in self._buttons:
            button.setIcon(icon(picture, self._theme))
