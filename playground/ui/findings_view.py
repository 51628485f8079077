"""The findings: what is wrong or worth knowing, where, and what to do about it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPushButton,
    QStackedLayout,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from playground.ui.coverage_places import place_of
from playground.ui.driver_editor import DRIVER_FILE
from playground.ui.finding_remedies import remedy_for
from playground.ui.icons import icon
from playground.ui.theme import mono_font

if TYPE_CHECKING:
    from playground.model.finding import Finding
    from playground.ui.document import Document
    from playground.ui.finding_remedies import Remedy
    from playground.ui.theme import Theme

_CELL_EDGE = 4
"""Pixels that a cell keeps around a widget in it."""

_FINDING = Qt.ItemDataRole.UserRole
_TOKENS = {"error": "bad", "warning": "warn", "hint": "accent_link", "info": "muted"}


class FindingsView(QWidget):
    """A list to read, filter and copy; activating a finding goes to its line.

    One about the coverage shows its place in the tile maps, too. Where the app itself can do what
    a finding advises, a button does it.
    """

    placeRequested = Signal(int, int)
    driverPlaceRequested = Signal(int, int)
    mapPlaceRequested = Signal(object)

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("findings")
        self.setAccessibleName("Findings")
        self._document = document
        self._theme = theme
        self._filter = QLineEdit(self)
        self._filter.setObjectName("findings.filter")
        self._filter.setAccessibleName("Filter the findings")
        self._filter.setPlaceholderText("Filter")
        self._filter.setClearButtonEnabled(True)
        self._counts = QLabel(self)
        self._counts.setObjectName("findings.counts")
        self._counts.setProperty("role", "muted")
        self.tree = QTreeWidget(self)
        self.tree.setObjectName("findings.list")
        self.tree.setAccessibleName("Findings, gravest first")
        self.tree.setHeaderLabels(["Message", "What to do", "Place", ""])
        self.tree.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.tree.setUniformRowHeights(False)
        self.tree.setWordWrap(True)
        self.tree.setItemDelegate(_Wrapped(self.tree))
        self.tree.setIconSize(QSize(16, 16))
        self.tree.setFrameShape(QTreeWidget.Shape.NoFrame)
        header = self.tree.header()
        header.setStretchLastSection(False)
        # A message that wraps needs another height at another width.
        header.sectionResized.connect(lambda *_: self.tree.scheduleDelayedItemsLayout())
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(2, QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(3, QHeaderView.ResizeMode.Fixed)
        self._empty = QLabel(self)
        self._empty.setObjectName("findings.empty")
        self._empty.setProperty("role", "muted")
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._empty.setWordWrap(True)
        self._build()
        copy = QAction("Copy", self.tree)
        copy.setObjectName("findings.copy")
        copy.setShortcut(QKeySequence(QKeySequence.StandardKey.Copy))
        copy.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        copy.triggered.connect(self.copy)
        self.tree.addAction(copy)
        self.tree.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.tree.itemClicked.connect(lambda item, _column: self._go(item))
        self.tree.itemActivated.connect(lambda item, _column: self._go(item))
        self._filter.textChanged.connect(self._fill)
        document.findingsChanged.connect(self._fill)
        theme.changed.connect(self._fill)
        self._fill()

    def copy(self) -> None:
        """Put the selected findings on the clipboard, all of them when none is selected."""
        chosen = [item.data(0, _FINDING) for item in self.tree.selectedItems()]
        findings = [f for f in chosen if f is not None] or list(self._document.findings)
        text = "\n".join(f.text() + (f"\n{f.detail}" if f.detail else "") for f in findings)
        QGuiApplication.clipboard().setText(text)

    def _build(self) -> None:
        space = self.fontMetrics().height() // 4
        self._top = QWidget(self)
        top = QHBoxLayout(self._top)
        top.setContentsMargins(2 * space, space, 2 * space, space)
        top.addWidget(self._counts)
        top.addStretch()
        top.addWidget(self._filter)
        self._filter.setMaximumWidth(28 * self.fontMetrics().averageCharWidth())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._top)
        # In the layout first: a stack without a parent shows its pages as windows of their own.
        self._stack = QStackedLayout()
        layout.addLayout(self._stack, 1)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.tree)
        self.setAutoFillBackground(True)

    def _fill(self) -> None:
        findings = self._document.findings
        query = self._filter.text().lower()
        shown = [f for f in findings if query in f"{f.text()} {f.detail}".lower()]
        self.tree.clear()
        for finding in shown:
            item = self._item(finding)
            self.tree.addTopLevelItem(item)
            remedy = remedy_for(finding)
            if remedy is not None:
                self.tree.setItemWidget(item, 3, self._button(remedy))
        self.tree.setColumnHidden(3, all(remedy_for(finding) is None for finding in shown))
        self._top.setVisible(bool(findings))
        self._counts.setText(_counted(findings))
        if not findings:
            self._empty.setText("Nothing to report: errors, wrong results and hints show up here.")
        elif not shown:
            self._empty.setText("No finding fits the filter.")
        self._stack.setCurrentWidget(self.tree if shown else self._empty)

    def _button(self, remedy: Remedy) -> QWidget:
        # In a frame of its own: as the cell itself it would be as high as a wrapped message.
        holder = QWidget(self.tree)
        row = QHBoxLayout(holder)
        row.setContentsMargins(2, 2, 6, 2)
        button = QPushButton(remedy.text, holder)
        button.setObjectName(f"findings.do.{remedy.id}")
        button.setAccessibleName(remedy.tip)
        button.setToolTip(remedy.tip)
        # The list is filled anew while the click is still being dealt with.
        button.clicked.connect(
            lambda: remedy.apply(self._document), Qt.ConnectionType.QueuedConnection
        )
        row.addWidget(button, 0, Qt.AlignmentFlag.AlignVCenter)
        # Only with the style's own margins is it known how wide a button is.
        button.ensurePolished()
        margins = row.contentsMargins()
        self.tree.setColumnWidth(
            3, button.sizeHint().width() + margins.left() + margins.right() + _CELL_EDGE
        )
        return holder

    def _item(self, finding: Finding) -> QTreeWidgetItem:
        place = os.path.basename(finding.file) if finding.file else ""
        if finding.file == DRIVER_FILE:
            place = "driver"
        if finding.line:
            place = f"{place}:{finding.line}" if place else f"line {finding.line}"
        item = QTreeWidgetItem([finding.message, finding.hint, place])
        item.setData(0, _FINDING, finding)
        item.setIcon(0, icon(finding.severity, self._theme, _TOKENS[finding.severity]))
        item.setToolTip(0, f"{finding.severity} ({finding.stage}): {finding.message}")
        item.setToolTip(1, finding.hint)
        item.setForeground(2, self._theme.color("muted"))
        item.setData(
            0, Qt.ItemDataRole.AccessibleTextRole, f"{finding.severity}: {finding.message}"
        )
        if finding.detail:
            detail = QTreeWidgetItem(item, [finding.detail])
            detail.setFirstColumnSpanned(True)
            detail.setFont(0, mono_font())
            detail.setForeground(0, self._theme.color("muted"))
        return item

    def _go(self, item: QTreeWidgetItem) -> None:
        finding = item.data(0, _FINDING)
        if finding is not None and finding.file == DRIVER_FILE and finding.line:
            self.driverPlaceRequested.emit(finding.line, finding.column or 0)
            return
        place = place_of(finding, self._document.coverage) if finding is not None else None
        if place is not None:
            self.mapPlaceRequested.emit(place)
        same_file = finding is not None and (
            not finding.file
            or not self._document.path
            or os.path.basename(finding.file) == os.path.basename(self._document.path)
        )
        if finding is not None and finding.line and same_file:
            self.placeRequested.emit(finding.line, finding.column or 0)


class _Wrapped(QStyledItemDelegate):
    """Rows as high as their wrapped text: Qt's own hint for a tree is always one line."""

    def __init__(self, tree: QTreeWidget) -> None:
        super().__init__(tree)
        self._tree = tree

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        hint = super().sizeHint(option, index)
        column = index.column()
        text = str(index.data() or "")
        if column > 1 or index.parent().isValid() or not text:
            return hint
        metrics = self._tree.fontMetrics()
        # What the style keeps around a text, and before the first one the branch and the icon.
        taken = round(1.5 * metrics.height())
        if column == 0:
            taken += (
                self._tree.indentation() + self._tree.iconSize().width() + metrics.height() // 2
            )
        room = max(self._tree.columnWidth(column) - taken, 4 * metrics.height())
        flags = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft
        wrapped = metrics.boundingRect(QRect(0, 0, room, 10_000), int(flags), text)
        return QSize(hint.width(), max(hint.height(), wrapped.height() + metrics.height()))


def _counted(findings: tuple[Finding, ...]) -> str:
    parts = []
    for severity, plural in (
        ("error", "errors"), ("warning", "warnings"), ("hint", "hints"), ("info", "notes"),
    ):  # fmt: skip
        count = sum(finding.severity == severity for finding in findings)
        if count:
            parts.append(f"{count} {plural if count > 1 else plural[:-1]}")
    return ", ".join(parts)
