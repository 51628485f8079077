"""The bar above the editor: what to run of the file in front, at which problem sizes."""

from __future__ import annotations

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
        self.editor = DriverEditor(document, theme, parent)
        self.editor.hide()
        self.editor.edited.connect(self._take_edit)
        self.editor.runWanted.connect(run.trigger)
        self.editor.closeWanted.connect(lambda: self.edit.setChecked(False))
        self.setObjectName("driverBar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._build(run, edit)
        document.driverChanged.connect(self.refresh)
        document.outlineChanged.connect(self._show_outline)
        document.opened.connect(self._show_seen)
        theme.changed.connect(self._redraw_icons)
        self.refresh()

    def _build(self, run: QAction, edit: QAction) -> None:
        space = self.fontMetrics().height() // 4
        self._rows = QVBoxLayout(self)
        self._rows.setContentsMargins(3 * space, space, 2 * space, space)
        self._rows.setSpacing(space)
        row = self._row = QHBoxLayout()
        row.setSpacing(2 * space)
        self._rows.addLayout(row)
        self.label = QLabel("Driver", self)
        self.label.setProperty("role", "muted")
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
        self.label.setBuddy(self.choice)
        row.addWidget(self.label)
        row.addWidget(self.choice, 2)
        row.addWidget(self.edit)
        row.addWidget(self.sizes)
        row.addWidget(self.run)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._redraw_icons()

    # --------------------------------------------------------------------------- showing

    def refresh(self) -> None:
        """Show the drivers of the file, the chosen one and its sizes."""
        chosen = self._document.driver
        drivers = list(self._document.outline.drivers)
        self.choice.clear()
        for driver in drivers:
            self.choice.addItem(driver.label, driver)
        typed = chosen is not None and chosen.kind == "typed"
        self.choice.addItem(
            TYPED if typed or self._document.typed_driver else "Type a driver…", _TYPE_ONE
        )
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
        self.label.setVisible(there)
        self.edit.setVisible(there)
        if not there:
            self._set_seen(False)
        self._show_sizes(chosen)

    def _show_seen(self) -> None:
        self._set_seen(bool(self._document.driver_seen))

    def _set_seen(self, on: bool) -> None:
        blocked = self.edit.blockSignals(True)
        self.edit.setChecked(on)
        self.edit.blockSignals(blocked)
        self.editor.setVisible(on)

    def _show_outline(self) -> None:
        self.refresh()
        document = self._document
        if document.driver_seen is None and document.path and document.text.strip():
            # A driver that is in no file has to be seen before it is run.
            driver = document.driver
            document.driver_seen = driver is not None and driver.kind in ("typed", "generated")
            self._set_seen(document.driver_seen)

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
        """Return the least width of all but the sizes."""
        shown = [self.label, self.edit, self.run]
        margins = self._rows.contentsMargins()
        return (
            sum(widget.sizeHint().width() for widget in shown)
            + self.choice.minimumWidth()
            + (len(shown) + 1) * self._row.spacing()
            + margins.left()
            + margins.right()
        )

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
        typed = self._document.typed_driver
        start = typed or (before.code if before is not None else "")
        self._document.set_driver(Driver("typed", TYPED, start))
        if typed:
            self.typedChanged.emit(typed)
        self.edit.setChecked(True)
        self.editor.code.setFocus()
        if not typed:
            self.editor.code.selectAll()

    def _take_edit(self, code: str) -> None:
        self._document.typed_driver = code
        self.typedChanged.emit(code)

    def _toggled(self, on: bool) -> None:
        self._document.driver_seen = on
        self.editor.setVisible(on)


def _keys(action: QAction) -> str:
    return action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
