"""A small window beside the text that tells what a name is; it never takes the keyboard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QFrame, QLabel, QVBoxLayout, QWidget

from playground.ui.editor.doc_text import to_html

if TYPE_CHECKING:
    from collections.abc import Mapping

WIDEST_LETTERS = 76


class DocBox(QFrame):
    """Shows one description; `place_*` puts it where it covers nothing that is being read."""

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.ToolTip | Qt.WindowType.FramelessWindowHint)
        self.setObjectName(name)
        self.setProperty("role", "docBox")
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.label = QLabel(self)
        self.label.setObjectName(f"{name}.text")
        self.label.setTextFormat(Qt.TextFormat.RichText)
        self.label.setWordWrap(True)
        space = self.fontMetrics().height() // 3
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * space, space, 2 * space, space)
        layout.addWidget(self.label)

    def set_description(
        self,
        description: Mapping[str, str],
        mono: str,
        number: int | None = None,
        keyword: str = "",
    ) -> None:
        """Show a description, or of a call its signature with the argument written now."""
        self.label.setText(to_html(description, number, keyword, mono=mono))
        self.setAccessibleName(f"{description['signature']} {description['doc']}".strip())
        widest = WIDEST_LETTERS * self.fontMetrics().averageCharWidth()
        wanted = self.label.sizeHint().width()
        self.label.setWordWrap(False)
        flat = self.label.sizeHint().width()
        self.label.setWordWrap(True)
        self.label.setFixedWidth(min(max(wanted, min(flat, widest)), widest))
        self.label.setFixedHeight(self.label.heightForWidth(self.label.width()))
        self.adjustSize()

    def place_at_line(self, line: QRect, *, above: bool) -> None:
        """Stand above or below a line of text, given in screen pixels, within the screen."""
        screen = self._screen_around(line.topLeft())
        gap = self.fontMetrics().height() // 4
        top, bottom = line.top() - self.height() - gap, line.bottom() + gap
        fits_above = top >= screen.top()
        fits_below = bottom + self.height() <= screen.bottom()
        y = top if (above and fits_above) or not fits_below else bottom
        x = min(line.left(), screen.right() - self.width())
        self.move(max(x, screen.left()), max(y, screen.top()))
        self.show()

    def place_beside(self, other: QRect) -> None:
        """Stand to the right of another window, or to its left where there is no room."""
        screen = self._screen_around(other.topLeft())
        right = other.right() + 2
        fits = right + self.width() <= screen.right()
        x = right if fits else max(other.left() - self.width() - 2, screen.left())
        self.move(x, min(other.top(), max(screen.bottom() - self.height(), screen.top())))
        self.show()

    def _screen_around(self, point: QPoint) -> QRect:
        parent = self.parentWidget()
        screen = parent.screen() if parent is not None else self.screen()
        area = screen.availableGeometry()
        return area if area.contains(point) else QRect(point, area.size())
