"""The controls of the tile maps: which tensor, how the maps stand, what colours them, zoom."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QSizePolicy, QWidget

from playground.ui.views.chips import FlowLayout
from playground.ui.views.icon_tools import IconTools
from playground.ui.views.map_grid import ARRANGEMENTS, Arrangement
from playground.ui.views.plane_colours import COLOUR_CHOICES, SCHEDULED, ColourBy
from playground.ui.views.segmented import Segmented

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QStandardItemModel

    from playground.model.coverage import TensorCoverage
    from playground.ui.theme import Theme


class CoverageControls(QWidget):
    """One line of controls; it wraps when the view is narrow."""

    tensorChosen = Signal(int)
    arrangementChosen = Signal(str)
    colourChosen = Signal(str)
    programsToggled = Signal(bool)
    zoomWanted = Signal(int)
    fitWanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tools = IconTools(self, theme)
        self._flow = FlowLayout(self, 3)
        self.tensor = QComboBox(self)
        self.tensor.setObjectName("coverage.tensor")
        self.tensor.setAccessibleName("Tensor that the controls act on")
        self.tensor.setToolTip("The tensor that stands large, and that zoom and text are about")
        self.tensor.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.tensor.currentIndexChanged.connect(self.tensorChosen)
        self._flow.addWidget(self.tensor)
        self.arrangement = Segmented("coverage.arrange", "Maps", ARRANGEMENTS, self)
        self.arrangement.chosen.connect(self.arrangementChosen)
        self._flow.addWidget(self.arrangement)
        self.colour = QComboBox(self)
        self.colour.setObjectName("coverage.colour")
        self.colour.setAccessibleName("What colours the elements")
        for by, text, tip in COLOUR_CHOICES:
            self.colour.addItem(text, by)
            self.colour.setItemData(self.colour.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)
        self.colour.activated.connect(self._on_colour)
        self._flow.addWidget(self.colour)
        self._flow.addWidget(self._make_zooms())
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)

    def add(self, widget: QWidget) -> None:
        """Put one more control at the end."""
        self._flow.addWidget(widget)

    def _make_zooms(self) -> QWidget:
        zooms = QWidget(self)
        row = QHBoxLayout(zooms)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        for name, picture, text, act in (
            ("coverage.zoomOut", "minus", "Zoom out (−)", lambda: self.zoomWanted.emit(-1)),
            ("coverage.zoomIn", "plus", "Zoom in (+)", lambda: self.zoomWanted.emit(1)),
            ("coverage.fit", "fit", "Fit the whole tensor (0)", self.fitWanted.emit),
        ):
            button = self._tools.make(name, picture, text, zooms)
            button.clicked.connect(act)
            row.addWidget(button)
        self.programs = self._tools.make(
            "coverage.showPrograms", "programs",
            "Show the grid of programs beside the maps: choose programs there", zooms,
        )  # fmt: skip
        self.programs.setCheckable(True)
        self.programs.setChecked(True)
        self.programs.toggled.connect(self.programsToggled)
        row.addWidget(self.programs)
        return zooms

    # ------------------------------------------------------------------------------ showing

    def show_tensors(self, tensors: Sequence[TensorCoverage]) -> int:
        """Offer these tensors and return which one is chosen: the one before, where it is there."""
        before = self.tensor.currentText()
        blocker = QSignalBlocker(self.tensor)
        self.tensor.clear()
        self.tensor.addItems([tensor.name for tensor in tensors])
        index = self.tensor.findText(before)
        if index < 0:
            # What is stored is what a kernel is about; inputs are one choice away.
            stored = [tensor.stores.total > 0 for tensor in tensors]
            index = stored.index(True) if True in stored else 0
        self.tensor.setCurrentIndex(index)
        del blocker
        return index

    def show_arrangement(self, arrangement: Arrangement) -> None:
        """Show how the maps stand."""
        self.arrangement.set_value(arrangement)

    def show_colour(self, by: ColourBy, *, stored: bool, no_schedule: str) -> None:
        """Show what colours the elements.

        Parameters
        ----------
        stored
            Whether the tensor chosen is stored to at all; else only its loads can be shown.
        no_schedule
            Why nothing is known of multiprocessors; empty where it is, or will be once asked.
        """
        model = cast("QStandardItemModel", self.colour.model())
        for row, (choice, _text, tip) in enumerate(COLOUR_CHOICES):
            why = no_schedule if choice in SCHEDULED else ""
            item = model.item(row)
            item.setEnabled(not why)
            item.setToolTip(f"{tip}\nNot now: {why}" if why else tip)
            if choice == by:
                blocker = QSignalBlocker(self.colour)
                self.colour.setCurrentIndex(row)
                del blocker
                said = tip if stored else f"{tip}\n(this tensor is only loaded)"
                self.colour.setToolTip(said)

    def _on_colour(self, row: int) -> None:
        self.colourChosen.emit(COLOUR_CHOICES[row][0])
