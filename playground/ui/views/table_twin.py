"""The table twin: records as a sortable table that can be read, copied and saved as CSV."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    QSortFilterProxyModel,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFontMetrics, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtGui import QIcon, QPainter

Record = TypeVar("Record")
SORT_ROLE = Qt.ItemDataRole.UserRole
_Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True)
class Column(Generic[Record]):
    """One column: `value` is what it sorts by and what goes into CSV, `text` what is shown.

    `unit` is that of the values; what is shown may have another, and says so in each cell.
    """

    title: str
    value: Callable[[Record], int | float | str | None]
    text: Callable[[Record], str] | None = None
    icon: Callable[[Record], QIcon | None] | None = None
    tip: Callable[[Record], str] | None = None
    numeric: bool = False
    unit: str = ""

    @property
    def csv_title(self) -> str:
        """What stands above the values in CSV."""
        return f"{self.title} ({self.unit})" if self.unit else self.title


class RecordModel(QAbstractTableModel, Generic[Record]):
    """Records behind columns; `emphasis` gives some rows a ground of their own."""

    def __init__(self, columns: Sequence[Column[Record]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.columns = tuple(columns)
        self.records: tuple[Record, ...] = ()
        self.emphasis: Callable[[Record], QColor | None] = lambda record: None

    def set_records(self, records: Sequence[Record]) -> None:
        """Show `records`; rows that only came in at the end keep the others in place."""
        new = tuple(records)
        kept = len(self.records)
        if kept and len(new) > kept and new[:kept] == self.records:
            self.beginInsertRows(QModelIndex(), kept, len(new) - 1)
            self.records = new
            self.endInsertRows()
            return
        self.beginResetModel()
        self.records = new
        self.endResetModel()

    def set_columns(self, columns: Sequence[Column[Record]]) -> None:
        """Show other columns of the same records."""
        self.beginResetModel()
        self.columns = tuple(columns)
        self.endResetModel()

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of records."""
        return 0 if parent.isValid() else len(self.records)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        """Return the number of columns."""
        return 0 if parent.isValid() else len(self.columns)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Return a column's title."""
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return self.columns[section].title
        if role == Qt.ItemDataRole.TextAlignmentRole and orientation == Qt.Orientation.Horizontal:
            side = (
                Qt.AlignmentFlag.AlignRight
                if self.columns[section].numeric
                else Qt.AlignmentFlag.AlignLeft
            )
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return what a cell shows, sorts by, or looks like."""
        record, column = self.records[index.row()], self.columns[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            if column.text is not None:
                return column.text(record)
            value = column.value(record)
            return "" if value is None else str(value)
        if role == SORT_ROLE:
            value = column.value(record)
            # Missing numbers sort behind every real one.
            return float("inf") if value is None and column.numeric else value
        if role == Qt.ItemDataRole.TextAlignmentRole and column.numeric:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.DecorationRole and column.icon is not None:
            return column.icon(record)
        if role == Qt.ItemDataRole.ToolTipRole and column.tip is not None:
            return column.tip(record)
        if role == Qt.ItemDataRole.BackgroundRole:
            return self.emphasis(record)
        return None

    def as_csv(self) -> str:
        """Return all records as CSV under the columns' titles."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow([column.csv_title for column in self.columns])
        for record in self.records:
            writer.writerow([column.value(record) for column in self.columns])
        return out.getvalue()


class GroundDelegate(QStyledItemDelegate):
    """Paints the ground that the model gives a row, which a stylesheet's items leave out."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Fill the ground, then draw the item over it."""
        ground = index.data(Qt.ItemDataRole.BackgroundRole)
        if isinstance(ground, QColor):
            painter.fillRect(option.rect, ground)
        super().paint(painter, option, index)


class RecordTable(QTableView):
    """A sortable table of records; Enter, double click or (by choice) a click picks one."""

    recordPicked = Signal(object)

    def __init__(
        self, name: str, title: str, model: RecordModel[Record], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(title)
        self._records = model
        self._proxy = QSortFilterProxyModel(self)
        self._proxy.setSourceModel(model)
        self._proxy.setSortRole(SORT_ROLE)
        self.setModel(self._proxy)
        self.setItemDelegate(GroundDelegate(self))
        self.setSortingEnabled(True)
        self._proxy.sort(-1)
        self.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.horizontalHeader().setStretchLastSection(True)
        # Rows come in while a sweep runs; only the first ones decide how wide a column is.
        self.horizontalHeader().setResizeContentsPrecision(60)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setDefaultAlignment(
            Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        )
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(round(self.fontMetrics().height() * 1.6))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setShowGrid(False)
        self.setAlternatingRowColors(True)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.doubleClicked.connect(self._pick)

    def fit_columns(self) -> None:
        """Make every column as wide as what it holds."""
        pad = self.fontMetrics().height()
        font = self.font()
        font.setBold(True)
        title = QFontMetrics(font)
        for index in range(self._proxy.columnCount()):
            # Qt's own hint keeps room for a sort mark in every column: half of a narrow panel.
            header = title.horizontalAdvance(self._records.columns[index].title) + round(1.4 * pad)
            width = max(self.sizeHintForColumn(index) + pad // 2, header)
            self.setColumnWidth(index, min(width, 20 * pad))

    def content_height(self) -> int:
        """Return the height at which every row is in view without scrolling."""
        rows = self._proxy.rowCount() * self.verticalHeader().defaultSectionSize()
        return self.horizontalHeader().sizeHint().height() + rows + 2 * self.frameWidth() + 2

    def record_at(self, row: int) -> object:
        """Return the record shown in table row `row`."""
        source = self._proxy.mapToSource(self._proxy.index(row, 0))
        return self._records.records[source.row()]

    def select_record(self, position: int) -> None:
        """Select the record at `position` of the model's own order; -1 selects none."""
        if position < 0:
            self.clearSelection()
            return
        index = self._proxy.mapFromSource(self._records.index(position, 0))
        if index.row() != self.currentIndex().row() or not self.selectionModel().hasSelection():
            self.selectRow(index.row())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Pick with Enter, copy everything as CSV with the copy shortcut."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self._pick(self.currentIndex())
            return
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self._records.as_csv())
            return
        super().keyPressEvent(event)

    def _pick(self, index: QModelIndex) -> None:
        self.recordPicked.emit(self.record_at(index.row()))
