"""The bundled kernels: what they are called and what each shows, read from their first lines."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QVBoxLayout, QWidget

from playground.model.resources import kernels_dir
from playground.ui.icons import icon

if TYPE_CHECKING:
    from pathlib import Path

    from playground.ui.theme import Theme


_LONGEST_TITLE = 32


@dataclass(frozen=True)
class BundledKernel:
    """A kernel file that comes with the program."""

    path: Path
    title: str
    line: str


def bundled_kernels() -> tuple[BundledKernel, ...]:
    """Return the bundled kernels with the first sentence of their docstrings."""
    found = []
    for path in sorted(kernels_dir().glob("*.py")):
        if path.name.startswith("_"):
            continue
        text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        line = text.split("\n", 1)[0].strip()
        title, colon, rest = line.partition(":")
        if not colon or len(title) > _LONGEST_TITLE:
            title, rest = path.stem.replace("_", " ").capitalize(), line
        found.append(BundledKernel(path, title, rest.strip().capitalize()[:1] + rest.strip()[1:]))
    return tuple(found)


class Gallery(QFrame):
    """What an empty window offers: open a file, or one of the bundled kernels."""

    fileChosen = Signal(str)
    openWanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName("gallery")
        self.setAccessibleName("Bundled kernels")
        self.setProperty("role", "panel")
        self._buttons: list[tuple[QPushButton, str, str]] = []
        space = self.fontMetrics().height() // 4
        layout = QVBoxLayout(self)
        layout.setContentsMargins(5 * space, 4 * space, 5 * space, 4 * space)
        layout.setSpacing(space)
        title = QLabel("Open a file that launches Triton kernels", self)
        title.setProperty("role", "heading")
        layout.addWidget(title)
        hint = QLabel("Nothing runs before you press Run. Or start from a bundled one:", self)
        hint.setProperty("role", "muted")
        hint.setWordWrap(True)
        layout.addWidget(hint)
        for kernel in bundled_kernels():
            button = self._button(f"gallery:{kernel.path.stem}", kernel.title, "coverage")
            button.clicked.connect(lambda _=False, k=kernel: self.fileChosen.emit(str(k.path)))
            button.setToolTip(str(kernel.path))
            layout.addWidget(button)
            about = QLabel(kernel.line, self)
            about.setProperty("role", "muted")
            about.setWordWrap(True)
            about.setIndent(8 * space)
            layout.addWidget(about)
        layout.addSpacing(space)
        other = self._button("gallery.open", "Open another file…", "open")
        other.clicked.connect(self.openWanted)
        layout.addWidget(other)
        theme.changed.connect(self._redraw_icons)
        self._redraw_icons()
        self.setMaximumWidth(60 * self.fontMetrics().averageCharWidth())

    def _button(self, name: str, text: str, picture: str) -> QPushButton:
        button = QPushButton(text, self)
        button.setObjectName(name)
        button.setAccessibleName(text)
        button.setProperty("link", "true")
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        self._buttons.append((button, picture, "accent_link"))
        return button

    def _redraw_icons(self) -> None:
        for button, picture, token in self._buttons:
            button.setIcon(icon(picture, self._theme, token))
