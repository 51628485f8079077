"""The bundled kernels: what they are called and what each shows, read from their first lines."""

from __future__ import annotations

import functools
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from playground.model.resources import kernels_dir
from playground.ui.icons import icon

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtGui import QResizeEvent

    from playground.ui.theme import Theme


_LONGEST_TITLE = 32
_COLUMNS = 2
_COLUMN_WIDTH = 44
"""Characters: two columns of it stand side by side in a window of the smallest size."""


@dataclass(frozen=True)
class BundledKernel:
    """A kernel file that comes with the program."""

    path: Path
    title: str
    line: str


@dataclass(frozen=True)
class KernelGroup:
    """Kernels that are about one thing, the easiest first."""

    title: str
    kernels: tuple[BundledKernel, ...]


@functools.lru_cache(maxsize=1)
def kernel_groups() -> tuple[KernelGroup, ...]:
    """Return the bundled kernels in the order in which they build on each other."""
    with (kernels_dir() / "index.toml").open("rb") as file:
        groups = tomllib.load(file)["group"]
    return tuple(
        KernelGroup(group["title"], tuple(_kernel(name) for name in group["kernels"]))
        for group in groups
    )


def bundled_kernels() -> tuple[BundledKernel, ...]:
    """Return the bundled kernels with the first sentence of their docstrings."""
    return tuple(kernel for group in kernel_groups() for kernel in group.kernels)


def _kernel(name: str) -> BundledKernel:
    path = kernels_dir() / f"{name}.py"
    with path.open(encoding="utf-8") as file:
        # Each begins with its docstring; names stand in backquotes there.
        line = file.readline().strip().strip('"').replace("`", "")
    title, colon, rest = line.partition(":")
    if not colon or len(title) > _LONGEST_TITLE:
        title, rest = name.replace("_", " ").capitalize(), line
    rest = rest.strip()
    return BundledKernel(path, title, rest[:1].upper() + rest[1:])


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
        self._grids: list[tuple[QGridLayout, list[QWidget]]] = []
        self._columns = 0
        space = self._space = self.fontMetrics().height() // 4
        self._content = QWidget(self)
        layout = QVBoxLayout(self._content)
        layout.setContentsMargins(5 * space, 4 * space, 5 * space, 4 * space)
        layout.setSpacing(space)
        title = QLabel("Open a file that launches Triton kernels", self)
        title.setProperty("role", "heading")
        layout.addWidget(title)
        hint = QLabel("Nothing runs before you press Run. Or start from a bundled one:", self)
        hint.setProperty("role", "muted")
        hint.setWordWrap(True)
        layout.addWidget(hint)
        other = self._button("gallery.open", "Open a file…", "open")
        other.clicked.connect(self.openWanted)
        layout.addWidget(other)
        for group in kernel_groups():
            layout.addSpacing(2 * space)
            heading = QLabel(group.title, self)
            heading.setProperty("role", "heading")
            layout.addWidget(heading)
            cards = [self._card(kernel) for kernel in group.kernels]
            grid = QGridLayout()
            grid.setHorizontalSpacing(6 * space)
            grid.setVerticalSpacing(2 * space)
            layout.addLayout(grid)
            self._grids.append((grid, cards))
        area = QScrollArea(self)
        area.setObjectName("gallery.area")
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(self._content)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(area)
        theme.changed.connect(self._redraw_icons)
        self._redraw_icons()
        self.setMaximumWidth(_COLUMNS * _COLUMN_WIDTH * self.fontMetrics().averageCharWidth())

    def heightForWidth(self, width: int) -> int:
        """Return the height at which nothing needs scrolling."""
        self._arrange(width)
        return self._content.heightForWidth(width) + 2 * self.frameWidth()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Go over to one column where two would be cut."""
        self._arrange(event.size().width())
        super().resizeEvent(event)

    def _arrange(self, width: int) -> None:
        """Lay the cards out in as many columns as there is room for."""
        columns = _COLUMNS if width > 0.9 * self.maximumWidth() else 1
        if columns == self._columns:
            return
        self._columns = columns
        for grid, cards in self._grids:
            for column in range(_COLUMNS):
                grid.setColumnStretch(column, 1 if column < columns else 0)
            for place, card in enumerate(cards):
                grid.addWidget(card, place // columns, place % columns)

    def _card(self, kernel: BundledKernel) -> QWidget:
        card = QWidget(self)
        button = self._button(f"gallery:{kernel.path.stem}", kernel.title, "coverage")
        button.clicked.connect(lambda: self.fileChosen.emit(str(kernel.path)))
        button.setToolTip(str(kernel.path))
        about = QLabel(kernel.line, card)
        about.setProperty("role", "muted")
        about.setWordWrap(True)
        about.setIndent(8 * self._space)
        column = QVBoxLayout(card)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(button)
        column.addWidget(about)
        column.addStretch(1)
        return card

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
