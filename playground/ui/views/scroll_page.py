"""A page that scrolls where its panel is too low for it, so that nothing on it overlaps."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea, QSizePolicy, QWidget

LINES_OF_PLOT = 8
"""Height, in lines of text, that the stretching part of a page keeps before the page scrolls."""


class ScrollPage(QScrollArea):
    """Holds `page`, as wide as the panel; `stretching` takes the height that is left over.

    Without it the page's parts keep the least heights that they have themselves.
    """

    def __init__(
        self, name: str, page: QWidget, stretching: QWidget | None, parent: QWidget
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
            stretching.setMinimumHeight(LINES_OF_PLOT * self.fontMetrics().height())
        self.setWidget(page)
