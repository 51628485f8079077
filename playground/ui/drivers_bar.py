"""The bar above the editor: which file, what to run, at which problem sizes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from playground.model.outline import Driver
from playground.ui.driver_editor import DriverEditor
from playground.ui.icons import icon
from playground.ui.size_fields import SizeFields
from playground.ui.views.elided import ElidedComboBox

if TYPE_CHECKING:
    from PySide6.QtGui import QAction, QResizeEvent

    from playground.ui.document import Document
    from playground.ui.theme import Theme

_TYPE_ONE = "typed…"
TYPED = "your driver"
"""What a driver that the user typed is called."""


class DriversBar(QWidget):
    """Chooses the driver and its sizes; `typedChanged` tells of a driver to remember.

    `editor` holds the driver's code; whoever made the bar places it, the bar shows and hides it.
    """

    typedChanged = Signal(str)

    def __init__(
        self,
        document: Document,
        theme: Theme,
        run: QAction,
        edit: QAction,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._document = document
        self._theme = theme
        self._typed = ""
        self.editor = DriverEditor(document, theme, parent)
        self.editor.hide()
        self.editor.edited.connect(self._take_edit)
        self.editor.runWanted.connect(run.trigger)
        self.editor.closeWanted.connect(lambda: self.edit.setChecked(False))
        self._is_new = False
        self.setObjectName("driverBar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._build(run, edit)
        document.driverChanged.connect(self.refresh)
        document.outlineChanged.connect(self._show_outline)
        document.pathChanged.connect(self._show_file)
        document.dirtyChanged.connect(self._show_file)
        theme.changed.connect(self._redraw_icons)
        self.refresh()
        self._show_file()

    def _build(self, run: QAction, edit: QAction) -> None:
        space = self.fontMetrics().height() // 4
        self._rows = QVBoxLayout(self)
        self._rows.setContentsMargins(3 * space, space, 2 * space, space)
        self._rows.setSpacing(space)
        row = self._row = QHBoxLayout()
        row.setSpacing(2 * space)
        self._rows.addLayout(row)
        self.file = QLabel(self)
        self.file.setObjectName("fileName")
        self.file.setAccessibleName("Open file")
        self.file.setProperty("role", "heading")
        self.dirty = QLabel("●", self)
        self.dirty.setObjectName("dirtyMark")
        self.dirty.setAccessibleName("Unsaved changes")
        self.dirty.setToolTip("There are unsaved changes")
        self.dirty.setProperty("role", "warn")
        self.choice = ElidedComboBox(self)
        self.choice.setObjectName("driver")
        self.choice.setAccessibleName("Driver: what runs after the file is loaded")
        self.choice.setToolTip("What runs after the file is loaded, and launches the kernels")
        self.choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        # Wide enough for the driver that most files have, with the arrow and the frame.
        self.choice.setMinimumWidth(self.fontMetrics().horizontalAdvance("example()") + 62)
        self.choice.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.choice.setMaximumWidth(30 * self.fontMetrics().averageCharWidth())
        self.choice.activated.connect(self._choose)
        self.edit = QToolButton(self)
        self.edit.setObjectName("driver.edit.button")
        self.edit.setAccessibleName("Show the driver's code")
        self.edit.setToolTip(f"The driver's code, to be changed ({_keys(edit)})")
        self.edit.setCheckable(True)
        self.edit.setText("Code")
        self.edit.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.edit.setIconSize(QSize(14, 14))
        self.edit.toggled.connect(self._toggled)
        self.sizes = SizeFields(space, self)
        self.sizes.sizeSet.connect(self._document.set_size)
        self.run = QPushButton(self)
        self.run.setObjectName("driver.run")
        self.run.setAccessibleName("Run")
        self.run.setText("Run")
        self.run.setProperty("primary", "true")
        self.run.setToolTip(run.toolTip())
        self.run.setIconSize(QSize(14, 14))
        self.run.clicked.connect(run.trigger)
        self.run.setEnabled(run.isEnabled())
        run.enabledChanged.connect(self.run.setEnabled)
        row.addWidget(self.file)
        row.addWidget(self.dirty)
        row.addStretch(1)
        row.addWidget(self.choice, 2)
        row.addWidget(self.edit)
        row.addWidget(self.sizes)
        row.addWidget(self.run)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._redraw_icons()

    # --------------------------------------------------------------------------- showing

    def set_typed(self, code: str) -> None:
        """Offer `code` as the driver typed for this file, and choose it when there is one."""
        self._typed = code
        if code:
            self._document.set_driver(Driver("typed", TYPED, code))
        self._is_new = True
        self.refresh()

    def refresh(self) -> None:
        """Show the drivers of the file, the chosen one and its sizes."""
        chosen = self._document.driver
        drivers = list(self._document.outline.drivers)
        self.choice.clear()
        for driver in drivers:
            self.choice.addItem(driver.label, driver)
        typed = chosen is not None and chosen.kind == "typed"
        self.choice.addItem(TYPED if typed or self._typed else "Type a driver…", _TYPE_ONE)
        index = self.choice.count() - 1
        if chosen is not None and not typed:
            index = next((i for i, d in enumerate(drivers) if d == chosen), index)
        there = bool(self._document.text.strip())
        if not drivers and not typed and not there:
            index = -1
        self.choice.setCurrentIndex(index)
        self.choice.setToolTip(
            "What runs after the file is loaded, and launches the kernels"
            + (f":\n{chosen.label}" if chosen is not None else "")
        )
        self.choice.setVisible(there)
        self.edit.setVisible(there)
        if not there:
            self.edit.setChecked(False)
        self._show_sizes(chosen)

    def _show_outline(self) -> None:
        self.refresh()
        driver = self._document.driver
        if self._is_new and self._document.text.strip():
            # A driver that is in no file has to be seen before it is run.
            self._is_new = False
            self.edit.setChecked(driver is not None and driver.kind in ("typed", "generated"))

    def toggle_editor(self) -> None:
        """Show the driver's code and put the keyboard there, or hide it."""
        self.edit.toggle()
        if self.edit.isChecked():
            self.editor.code.setFocus()

    def show_editor(self) -> None:
        """Show the driver's code."""
        self.edit.setChecked(True)

    def _show_sizes(self, driver: Driver | None) -> None:
        names = [size.name for size in driver.sizes] if driver else []
        if self.sizes.show_sizes(names, self._document.sizes):
            self._place_sizes()

    # --------------------------------------------------------------------------- laying out

    def minimumSizeHint(self) -> QSize:
        """Return the width without the sizes: they go below, and push no panel aside."""
        return QSize(self._bare_px(), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the sizes beside the rest, or below it."""
        super().resizeEvent(event)
        self._place_sizes()

    def _place_sizes(self) -> None:
        wanted = self.sizes.one_line_px()
        beside = self._bare_px() + self._row.spacing() + wanted <= self.width()
        if beside == (self._row.indexOf(self.sizes) >= 0):
            self.sizes.setMinimumWidth(wanted if beside else 0)
            return
        (self._rows if beside else self._row).removeWidget(self.sizes)
        self.sizes.setMinimumWidth(wanted if beside else 0)
        if beside:
            self._row.insertWidget(self._row.indexOf(self.run), self.sizes)
        else:
            self._rows.addWidget(self.sizes)
        self.updateGeometry()

    def _bare_px(self) -> int:
        """Return the least width of all but the sizes, the mark of changes always counted."""
        shown = [self.file, self.dirty, self.edit, self.run]
        margins = self._rows.contentsMargins()
        return (
            sum(widget.sizeHint().width() for widget in shown)
            + self.choice.minimumWidth()
            + (len(shown) + 1) * self._row.spacing()
            + margins.left()
            + margins.right()
        )

    def _show_file(self, _what: object = None) -> None:
        path = self._document.path
        self.file.setText(os.path.basename(path) or "Untitled")
        self.file.setToolTip(path or "Not saved yet")
        self.dirty.setVisible(self._document.dirty)

    def _redraw_icons(self) -> None:
        self.run.setIcon(icon("run", self._theme, "accent_text"))
        self.edit.setIcon(icon("file", self._theme))

    # -------------------------------------------------------------------------- choosing

    def _choose(self, index: int) -> None:
        driver = self.choice.itemData(index)
        if isinstance(driver, Driver):
            self.typedChanged.emit("")
            self._document.set_driver(driver)
            self.edit.setChecked(driver.kind == "generated")
            return
        before = self._document.driver
        start = self._typed or (before.code if before is not None else "")
        self._document.set_driver(Driver("typed", TYPED, start))
        if self._typed:
            self.typedChanged.emit(self._typed)
        self.edit.setChecked(True)
        self.editor.code.setFocus()
        if not self._typed:
            self.editor.code.selectAll()

    def _take_edit(self, code: str) -> None:
        self._typed = code
        self.typedChanged.emit(code)

    def _toggled(self, on: bool) -> None:
        self.editor.setVisible(on)


def _keys(action: QAction) -> str:
    return action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
