"""A page that scrolls where its panel is too low for it, so that nothing on it overlaps."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea, QSizePolicy, QVBoxLayout, QWidget

LINES_OF_PLOT = 8
"""Height, in lines of text, that the stretching part of a page keeps before the page scrolls."""


class _Held(QWidget):
    """What is scrolled: never lower than all that stands on the page needs at its width."""

    def __init__(self, page: QWidget) -> None:
        super().__init__()
        self._page = page
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(page)
        # As wide as the panel in any case: what is wider wraps, or is cut with dots.
        self.setMinimumWidth(1)

    def heightForWidth(self, width: int) -> int:
        """Return the least height, in pixels, at `width`.

        Qt answers with what the parts would like, which counts a part that takes what is left over
        as nothing: with words in several lines above it the page came out too low for both.
        """
        layout = self._page.layout()
        if layout is None:
            return self._page.heightForWidth(width)
        if not layout.hasHeightForWidth():
            return layout.totalMinimumSize().height()
        return layout.totalMinimumHeightForWidth(width)


class ScrollPage(QScrollArea):
    """Holds `page`, as wide as the panel; `stretching` takes the height that is left over.

    It keeps `lines` lines of text; without it the page's parts keep the least heights that they
    have themselves.
    """

    def __init__(
        self,
        name: str,
        page: QWidget,
        stretching: QWidget | None,
        parent: QWidget,
        lines: int = LINES_OF_PLOT,
    ) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(f"{parent.accessibleName()}: page")
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        # What it would like does not count, or the page would scroll although there is room.
        if stretching is not None:
            stretching.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)
            stretching.setMinimumHeight(lines * self.fontMetrics().height())
        self.setWidget(_Held(page))
