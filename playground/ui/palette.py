"""The command palette: every action, recent file and bundled kernel, found by a few letters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QIcon, QKeyEvent, QPixmap
from PySide6.QtWidgets import (
    QDialog,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@dataclass(frozen=True)
class Command:
    """Something the palette offers; `keys` is its shortcut as shown.

    `why_not` says what is missing for it: it is listed all the same, and does nothing.
    """

    text: str
    run: Callable[[], object]
    keys: str = ""
    picture: QIcon | None = None
    detail: str = ""
    why_not: str = ""


def score(query: str, text: str) -> int | None:
    """Tell how well `query`'s letters fit `text` in order; None when they do not, more is better.

    Letters that follow each other or begin a word count more, so `spb` finds "Sweep, Pin Baseline".
    """
    query, lower = query.lower().replace(" ", ""), text.lower()
    total, at, before = 0, 0, -2
    for letter in query:
        found = lower.find(letter, at)
        # Prefer a place where a word begins over the first place at all.
        starts = [
            i for i in range(at, len(lower))
            if lower[i] == letter and (i == 0 or not lower[i - 1].isalnum())
        ]  # fmt: skip
        if found < 0:
            return None
        if found != before + 1 and starts:
            found = starts[0]
        total += 6 if found == before + 1 else 4 if found in starts[:1] else 1
        before, at = found, found + 1
    # Of two equal fits the shorter text is the closer one.
    return total * 100 - len(text)


class Palette(QDialog):
    """A field over a list; Enter runs the marked command."""

    def __init__(self, commands: Sequence[Command], parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self.setObjectName("palette")
        self.setAccessibleName("Command palette")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._commands = commands
        self._chosen: Command | None = None
        space = self.fontMetrics().height() // 2
        self.field = QLineEdit(self)
        self.field.setObjectName("palette.query")
        self.field.setAccessibleName("Find a command")
        self.field.setPlaceholderText("Type a command, a recent file or a kernel")
        self.list = QListWidget(self)
        self.list.setObjectName("palette.list")
        self.list.setAccessibleName("Commands")
        self.list.setUniformItemSizes(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setIconSize(QSize(16, 16))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(space, space, space, space)
        layout.setSpacing(space)
        layout.addWidget(self.field)
        layout.addWidget(self.list)
        self.field.textChanged.connect(self._fill)
        self.field.installEventFilter(self)
        self.list.itemClicked.connect(lambda _item: self.run_current())
        self._fill("")
        width = min(round(parent.width() * 0.5), 60 * self.fontMetrics().averageCharWidth() + 160)
        self.resize(max(width, 360), min(round(parent.height() * 0.6), 26 * space * 2))

    def open_over(self, parent: QWidget) -> None:
        """Show at the top of `parent`, in its middle."""
        corner = parent.mapToGlobal(parent.rect().topLeft())
        self.move(corner.x() + (parent.width() - self.width()) // 2, corner.y() + 48)
        self.show()
        self.field.setFocus()

    def run_current(self) -> None:
        """Close, then run the marked command."""
        if not self.list.count():
            return
        item = self.list.currentItem()
        command: Command = item.data(Qt.ItemDataRole.UserRole)
        if command.why_not:
            return  # the row says why
        self.close()
        command.run()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Move through the list with the keyboard while the field has it."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            key = event.key()
            moves = {
                Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1,
                Qt.Key.Key_PageDown: 10, Qt.Key.Key_PageUp: -10,
            }  # fmt: skip
            if key in moves and self.list.count():
                row = self.list.currentRow() + moves[Qt.Key(key)]
                self.list.setCurrentRow(min(max(row, 0), self.list.count() - 1))
                return True
            if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.run_current()
                return True
        return super().eventFilter(watched, event)

    def _fill(self, query: str) -> None:
        self.list.clear()
        ranked = [
            (fit, number, command)
            for number, command in enumerate(self._commands)
            if (fit := score(query, command.text)) is not None
        ]
        # What cannot be done now stands below what can, however well it fits.
        ranked.sort(key=lambda entry: (bool(entry[2].why_not), -entry[0] if query else 0, entry[1]))
        nothing = QPixmap(16, 16)
        nothing.fill(Qt.GlobalColor.transparent)
        blank = QIcon(nothing)
        for _, _, command in ranked:
            item = QListWidgetItem(command.text, self.list)
            item.setIcon(blank if command.picture is None else command.picture)
            item.setToolTip(command.detail)
            item.setData(Qt.ItemDataRole.UserRole, command)
            told = [command.text, command.keys, command.why_not or command.detail]
            item.setData(Qt.ItemDataRole.AccessibleTextRole, ", ".join(filter(None, told)))
            if command.why_not:
                item.setForeground(self.palette().placeholderText())
            row = QLabel(command.why_not or command.keys)
            row.setProperty("role", "muted")
            row.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            row.setContentsMargins(0, 0, self.fontMetrics().height() // 2, 0)
            row.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            self.list.setItemWidget(item, row)
        if self.list.count():
            self.list.setCurrentRow(0)
