"""The elements of one value: a heat map, or numbers in a table; with the cut of more dimensions."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QSpinBox,
    QStackedWidget,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from playground.ui.theme import mono_font
from playground.ui.views.block_image import BlockImage
from playground.ui.views.block_plane import BlockPlane, colours, plane_of
from playground.ui.views.marks import blend
from playground.ui.views.plot_actions import PlotActions
from playground.ui.views.roles import set_role
from playground.ui.views.segmented import Segmented

if TYPE_CHECKING:
    import numpy as np

    from playground.protocol.messages import BlockValue
    from playground.ui.theme import Theme

_Index = QModelIndex | QPersistentModelIndex


class BlockNumbers(QAbstractTableModel):
    """A plane's numbers, each on a ground of its colour in the heat map."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._plane: BlockPlane | None = None
        self._pixels: np.ndarray | None = None

    def show_plane(self, plane: BlockPlane | None) -> None:
        """Show another plane."""
        self.beginResetModel()
        self._plane = plane
        self._pixels = None if plane is None else colours(plane, self._theme)
        self.endResetModel()

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the plane's rows."""
        return 0 if self._plane is None or parent.isValid() else self._plane.rows

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        """Return the plane's columns."""
        return 0 if self._plane is None or parent.isValid() else self._plane.columns

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Return a row's or column's index; of a folded block the index that a row begins with."""
        plane = self._plane
        if role != Qt.ItemDataRole.DisplayRole or plane is None:
            return None
        if orientation == Qt.Orientation.Horizontal:
            return str(section) if len(plane.shape) != 1 else f"+{section}"
        return str(section if len(plane.shape) != 1 else section * plane.columns)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return a number, its whole value as a tip, its ground."""
        plane, row, column = self._plane, index.row(), index.column()
        if plane is None or not plane.held[row, column]:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return plane.text(row, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return plane.told(row, column)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.BackgroundRole and self._pixels is not None:
            ground = QColor.fromRgb(int(self._pixels[row, column]))
            return blend(ground, self._theme.color("surface"), 0.3)
        return None


class BlockView(QWidget):
    """Shows one value of a stopped program."""

    def __init__(self, name: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName("Elements of a value")
        self._block: BlockValue | None = None
        self._plane: BlockPlane | None = None
        self._title = QLabel(self)
        self._title.setObjectName(f"{name}.title")
        set_role(self._title, "heading")
        self._title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.way = Segmented(
            f"{name}.way", "Show as",
            (("heat", "Heat map", "A coloured cell for each element"),
             ("numbers", "Numbers", "A table of the elements")), self,
        )  # fmt: skip
        self.way.set_value("heat")
        self.way.chosen.connect(self._show_way)
        self._cuts: list[QSpinBox] = []
        self._cut_row = QWidget(self)
        self._cut_layout = QHBoxLayout(self._cut_row)
        self._cut_layout.setContentsMargins(0, 0, 0, 0)
        self.image = BlockImage(f"{name}.heat", theme, self)
        self.numbers = BlockNumbers(theme, self)
        self.table = QTableView(self)
        self.table.setObjectName(f"{name}.numbers")
        self.table.setAccessibleName("Elements as numbers")
        self.table.setModel(self.numbers)
        self.table.setFont(mono_font())
        self.table.setShowGrid(False)
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setTabKeyNavigation(False)
        height = round(1.35 * self.fontMetrics().height())
        self.table.verticalHeader().setDefaultSectionSize(height)
        self.table.horizontalHeader().setMinimumSectionSize(2 * height)
        self._pages = QStackedWidget(self)
        self._pages.addWidget(self.image)
        self._pages.addWidget(self.table)
        head = QHBoxLayout()
        head.addWidget(self._title, 1)
        head.addWidget(self._cut_row)
        head.addWidget(self.way)
        self._saving = PlotActions(
            name, theme, self.image, self._as_csv, "value", self, with_table=False
        )
        head.addWidget(self._saving)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(self.fontMetrics().height() // 3, 0, 0, 0)
        layout.addLayout(head)
        layout.addWidget(self._pages, 1)
        theme.changed.connect(self._show)
        self.show_block(None)

    def show_block(self, block: BlockValue | None, waiting: str = "") -> None:
        """Show a value's elements; without one, `waiting` says what to do."""
        old = self._block
        self._block = block
        shape = tuple(block.data.shape) if block is not None else ()
        if old is None or tuple(old.data.shape) != shape:
            self._make_cuts(shape)
        if block is None:
            self._title.setText(waiting)
            set_role(self._title, "muted")
        else:
            more = ", its first part" if block.truncated else ""
            points = f", elements of {block.of}" if block.of else ""
            self._title.setText(f"{block.name}  {block.type}{points}{more}")
            set_role(self._title, "heading")
        self._title.setWordWrap(block is None)
        self._title.setToolTip(self._title.text())
        self._pages.setVisible(block is not None)
        self.way.setVisible(block is not None and block.data.ndim > 0)
        self._show()

    def _as_csv(self) -> str:
        """Return the plane in view, a line a row; nothing where no element is."""
        plane = self._plane
        if plane is None:
            return ""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        for numbers, held in zip(plane.numbers.tolist(), plane.held.tolist(), strict=True):
            writer.writerow([n if there else "" for n, there in zip(numbers, held, strict=True)])
        return out.getvalue()

    def _make_cuts(self, shape: tuple[int, ...]) -> None:
        for spin in self._cuts:
            spin.hide()
            spin.deleteLater()
        self._cuts = []
        for axis, size in enumerate(shape[:-2]):
            spin = QSpinBox(self._cut_row)
            spin.setObjectName(f"{self.objectName()}.cut{axis}")
            spin.setAccessibleName(f"Index along dimension {axis}")
            spin.setToolTip(f"Index along dimension {axis} of {size}")
            spin.setRange(0, max(size - 1, 0))
            spin.valueChanged.connect(self._show)
            self._cut_layout.addWidget(spin)
            self._cuts.append(spin)
        self._cut_row.setVisible(bool(self._cuts))

    def _show(self, _what: object = None) -> None:
        block = self._block
        plane = None
        if block is not None and block.data.size:
            plane = plane_of(block, tuple(spin.value() for spin in self._cuts))
        self._plane = plane
        self.image.show_plane(plane)
        self._saving.setVisible(plane is not None)
        if self.way.value == "numbers":
            self._show_numbers(plane)

    def _show_numbers(self, plane: BlockPlane | None) -> None:
        self.numbers.show_plane(plane)
        if plane is None:
            return
        rows, columns = min(plane.rows, 40), min(plane.columns, 12)
        digits = max(
            len(plane.text(row, column)) for row in range(rows) for column in range(columns)
        )
        width = self.table.fontMetrics().horizontalAdvance("0") * max(digits + 3, 7)
        self.table.horizontalHeader().setDefaultSectionSize(width)

    def _show_way(self, way: str) -> None:
        self._pages.setCurrentIndex(1 if way == "numbers" else 0)
        self._show()
