"""What an empty window offers: a file, recent ones, and the bundled kernels with their pictures."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QImage, QKeyEvent, QPixmap
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from playground.model.bundled import kernel_groups, mark_of, picture_of
from playground.ui.icons import icon
from playground.ui.views.chips import FlowLayout
from playground.ui.views.roles import set_role

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QMouseEvent, QResizeEvent

    from playground.model.bundled import BundledKernel
    from playground.ui.theme import Theme


_COLUMNS = 2
_COLUMN_WIDTH = 66
"""Characters: two columns of it stand side by side in a window of the smallest size."""
_PICTURE = QSize(88, 56)
_RECENT = 5


class KernelCard(QWidget):
    """One kernel: its picture, its name, whether it runs here, what it teaches."""

    chosen = Signal(str)

    def __init__(self, kernel: BundledKernel, button: QPushButton, parent: QWidget) -> None:
        super().__init__(parent)
        self.kernel, self.button = kernel, button
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        space = self.fontMetrics().height() // 4
        self._picture = QLabel(self)
        self._picture.setObjectName(f"gallery:{kernel.name}.picture")
        self._picture.setAccessibleName(f"Which program of {kernel.title} writes what")
        self._picture.setFixedSize(_PICTURE)
        self._picture.setScaledContents(True)
        image = QImage(str(picture_of(kernel.name)))
        if not image.isNull():
            self._picture.setPixmap(QPixmap.fromImage(image))
        self.mark = QLabel(self)
        self.mark.setObjectName(f"gallery:{kernel.name}.mark")
        self.mark.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        about = QLabel(kernel.line, self)
        about.setObjectName(f"gallery:{kernel.name}.about")
        about.setWordWrap(True)
        set_role(about, "muted")
        button.clicked.connect(self._choose)
        row = QHBoxLayout()
        row.setSpacing(2 * space)
        row.addWidget(button)
        row.addStretch(1)
        row.addWidget(self.mark)
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addLayout(row)
        words.addWidget(about)
        words.addStretch(1)
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(2 * space)
        line.addWidget(self._picture, 0, Qt.AlignmentFlag.AlignTop)
        line.addLayout(words, 1)
        self.show_target(None)

    def show_target(self, target: str | None) -> None:
        """Tell whether the kernel runs on that GPU; empty: none, None: not known yet."""
        mark = mark_of(self.kernel, target)
        self.mark.setText(mark.text)
        set_role(self.mark, "muted" if mark.kind == "runs" else "warn")
        self.setToolTip(f"{self.kernel.about}\n\n{mark.text}: {mark.why}\n{self.kernel.path}")
        self.button.setAccessibleName(f"{self.kernel.title}, {mark.text}")
        self.button.setAccessibleDescription(self.kernel.line)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Take a click anywhere on the card."""
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(
            event.position().toPoint()
        ):
            self._choose()

    def _choose(self) -> None:
        self.chosen.emit(str(self.kernel.path))


class Gallery(QFrame):
    """Open a file, one of the last, or one of the bundled kernels, which are found by words."""

    fileChosen = Signal(str)
    openWanted = Signal()

    def __init__(
        self, theme: Theme, parent: QWidget | None = None, *, recent: Sequence[str] = ()
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName("gallery")
        self.setAccessibleName("Bundled kernels")
        self.setProperty("role", "panel")
        self._buttons: list[tuple[QPushButton, str, str]] = []
        self._grids: list[tuple[QLabel, QGridLayout, list[KernelCard]]] = []
        self._columns = 0
        space = self._space = self.fontMetrics().height() // 4
        self._content = QWidget(self)
        layout = QVBoxLayout(self._content)
        layout.setContentsMargins(5 * space, 4 * space, 5 * space, 4 * space)
        layout.setSpacing(space)
        layout.addWidget(self._heading("Open a file that launches Triton kernels"))
        hint = QLabel("Nothing runs before you press Run. Or start from a bundled one:", self)
        hint.setWordWrap(True)
        set_role(hint, "muted")
        layout.addWidget(hint)
        self._recent = QWidget(self._content)
        self._recent_row = FlowLayout(self._recent)
        layout.addWidget(self._recent)
        other = self._button("gallery.open", "Open a file…", "open")
        other.clicked.connect(self.openWanted)
        self._recent_row.addWidget(other)
        self._recent_links: list[QPushButton] = []
        self.show_recent(recent)
        self.query = QLineEdit(self._content)
        self.query.setObjectName("gallery.query")
        self.query.setAccessibleName("Find a bundled kernel")
        self.query.setPlaceholderText("Find a bundled kernel: softmax, atomics, descriptors, …")
        self.query.setClearButtonEnabled(True)
        self.query.textChanged.connect(self._narrow)
        self.query.installEventFilter(self)
        layout.addWidget(self.query)
        self._none = QLabel("No bundled kernel has these words.", self._content)
        self._none.setObjectName("gallery.none")
        set_role(self._none, "muted")
        self._none.hide()
        layout.addWidget(self._none)
        for group in kernel_groups():
            heading = self._heading(group.title)
            heading.setContentsMargins(0, 2 * space, 0, 0)
            layout.addWidget(heading)
            cards = [self._card(kernel) for kernel in group.kernels]
            grid = QGridLayout()
            grid.setHorizontalSpacing(6 * space)
            grid.setVerticalSpacing(3 * space)
            layout.addLayout(grid)
            self._grids.append((heading, grid, cards))
        layout.addStretch(1)
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

    # ------------------------------------------------------------------------------ contents

    def cards(self) -> list[KernelCard]:
        """Return the cards of all kernels, in their order."""
        return [card for _, _, cards in self._grids for card in cards]

    def show_target(self, target: str | None) -> None:
        """Mark what runs on a GPU of that target; empty: there is none, None: not known yet."""
        for card in self.cards():
            card.show_target(target)

    def show_recent(self, paths: Sequence[str]) -> None:
        """Offer the files opened last, those that are still there."""
        for old in self._recent_links:
            self._buttons = [entry for entry in self._buttons if entry[0] is not old]
            self._recent_row.removeWidget(old)
            old.hide()
            old.deleteLater()
        self._recent_links = []
        for number, path in enumerate([p for p in paths if os.path.isfile(p)][:_RECENT]):
            link = self._button(f"gallery.recent:{number}", os.path.basename(path), "clock")
            link.setAccessibleName(f"Open again: {path}")
            link.setToolTip(path)
            link.clicked.connect(lambda _=False, path=path: self.fileChosen.emit(path))
            self._recent_row.addWidget(link)
            self._recent_links.append(link)
            link.setIcon(icon("clock", self._theme, "accent_link"))

    def _narrow(self, query: str) -> None:
        """Show the kernels that have all the words."""
        self._columns = 0
        for heading, _, cards in self._grids:
            found = [card for card in cards if card.kernel.matches(query)]
            for card in cards:
                card.setVisible(card in found)
            heading.setVisible(bool(found))
        self._none.setVisible(not self._found())
        self._arrange(self.width())

    def _found(self) -> list[KernelCard]:
        return [card for card in self.cards() if not card.isHidden()]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Open the first kernel found on Enter; go to it on Down."""
        if watched is self.query and isinstance(event, QKeyEvent):
            found = self._found()
            if event.type() == QEvent.Type.KeyPress and found:
                if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                    found[0].button.click()
                    return True
                if event.key() == Qt.Key.Key_Down:
                    found[0].button.setFocus()
                    return True
        return super().eventFilter(watched, event)

    # -------------------------------------------------------------------------------- layout

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
        for _, grid, cards in self._grids:
            for column in range(_COLUMNS):
                grid.setColumnStretch(column, 1 if column < columns else 0)
            shown = [card for card in cards if not card.isHidden()]
            for card in cards:
                grid.removeWidget(card)
            for place, card in enumerate(shown):
                grid.addWidget(card, place // columns, place % columns)

    def _card(self, kernel: BundledKernel) -> KernelCard:
        button = self._button(f"gallery:{kernel.name}", kernel.title, "")
        card = KernelCard(kernel, button, self._content)
        card.chosen.connect(self.fileChosen)
        return card

    def _heading(self, text: str) -> QLabel:
        heading = QLabel(text, self._content)
        set_role(heading, "heading")
        return heading

    def _button(self, name: str, text: str, picture: str) -> QPushButton:
        button = QPushButton(text, self._content)
        button.setObjectName(name)
        button.setAccessibleName(text)
        button.setProperty("link", "true")
        button.setAutoDefault(False)  # a dialog would make the first its default, in bold
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        if picture:
            self._buttons.append((button, picture, "accent_link"))
        return button

    def _redraw_icons(self) -> None:
        for button, picture, token in self._buttons:
            button.setIcon(icon(picture, self._theme, token))


class GalleryDialog(QDialog):
    """The gallery over a window that has a file open; a choice closes it."""

    def __init__(
        self, theme: Theme, parent: QWidget, *, recent: Sequence[str], target: str | None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("galleryDialog")
        self.setWindowTitle("Bundled kernels")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.gallery = Gallery(theme, self, recent=recent)
        self.gallery.show_target(target)
        self.gallery.fileChosen.connect(self.accept)
        self.gallery.openWanted.connect(self.accept)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.gallery)
        self.resize(self.gallery.maximumWidth(), round(parent.height() * 0.85))
        self.gallery.query.setFocus()
