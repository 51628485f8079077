"""Maps side by side: all equal, one large beside the others, or one alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QRect, QSize
from PySide6.QtWidgets import QSizePolicy, QWidget

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QResizeEvent

Arrangement = Literal["one", "large", "all"]

ARRANGEMENTS: tuple[tuple[Arrangement, str, str], ...] = (
    ("one", "One", "Only the tensor chosen"),
    ("large", "Large", "The tensor chosen large, the others small beside it"),
    ("all", "All", "All tensors side by side, as large as each other"),
)

_GAP = 6
_LARGE_SHARE = 0.62
_SIDE_SHARE = 0.72
"""Share of the room that one map alone leaves to itself beside the grid of programs."""


class MapGrid(QWidget):
    """Lays maps out by itself, so that each gets about the shape of a screen."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("coverage.maps")
        self.setAccessibleName("Tile maps")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._maps: tuple[QWidget, ...] = ()
        self._beside: QWidget | None = None
        self._chosen = 0
        self._arrangement: Arrangement = "large"

    @property
    def arrangement(self) -> Arrangement:
        """How the maps stand."""
        return self._arrangement

    def set_maps(self, maps: Sequence[QWidget], beside: QWidget | None) -> None:
        """Lay out these maps; `beside` is shown in every arrangement where it is not hidden."""
        self._maps, self._beside = tuple(maps), beside
        self.arrange()

    def set_arrangement(self, arrangement: Arrangement, chosen: int) -> None:
        """Stand otherwise, or make another map the large one."""
        self._arrangement, self._chosen = arrangement, chosen
        self.arrange()

    def minimumSizeHint(self) -> QSize:
        """Return the size in which one map still shows something."""
        unit = self.fontMetrics().height()
        return QSize(unit * 14, unit * 7)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out anew."""
        self.arrange()

    def arrange(self) -> None:
        """Place every map."""
        beside = (
            [self._beside] if self._beside is not None and self._beside.isVisibleTo(self) else []
        )
        chosen = self._maps[self._chosen : self._chosen + 1]
        others = [each for each in self._maps if each not in chosen]
        area = self.rect()
        if self._arrangement == "all":
            self._tile(area, [*self._maps, *beside])
        elif self._arrangement == "large":
            rest = [*others, *beside]
            large, small = _split(area, _LARGE_SHARE if rest else 1.0)
            self._tile(large, chosen)
            self._tile(small, rest)
        else:
            large, small = _split(area, _SIDE_SHARE if beside else 1.0)
            self._tile(large, chosen)
            self._tile(small, beside)
        for each in self._maps:
            each.setVisible(self._arrangement != "one" or each in chosen)

    @staticmethod
    def _tile(area: QRect, maps: Sequence[QWidget]) -> None:
        if not maps:
            return
        columns = best_columns(len(maps), area.width(), area.height())
        rows = -(-len(maps) // columns)
        for place, each in enumerate(maps):
            row, column = divmod(place, columns)
            # The last row's maps share its width, so that no corner stays empty.
            here = columns if row < rows - 1 else len(maps) - (rows - 1) * columns
            left = area.left() + round(column * (area.width() + _GAP) / here)
            right = area.left() + round((column + 1) * (area.width() + _GAP) / here) - _GAP
            top = area.top() + round(row * (area.height() + _GAP) / rows)
            bottom = area.top() + round((row + 1) * (area.height() + _GAP) / rows) - _GAP
            each.setGeometry(left, top, max(right - left, 1), max(bottom - top, 1))


def best_columns(count: int, width: int, height: int) -> int:
    """Return in how many columns so many maps are largest: of the shape of a screen at best."""

    def size(columns: int) -> float:
        rows = -(-count // columns)
        return min(width / columns, 1.5 * height / rows)

    return max(range(1, count + 1), key=size)


def _split(area: QRect, share: float) -> tuple[QRect, QRect]:
    """Return two parts of a rectangle, cut across its longer side."""
    first, second = QRect(area), QRect(area)
    if share >= 1:
        return first, QRect()
    if area.width() >= 1.1 * area.height():
        first.setWidth(round(area.width() * share) - _GAP)
        second.setLeft(first.right() + 1 + _GAP)
    else:
        first.setHeight(round(area.height() * share) - _GAP)
        second.setTop(first.bottom() + 1 + _GAP)
    return first, second
