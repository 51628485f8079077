"""One tensor's tile map with its name and its slices: one of the maps side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QSpinBox, QToolButton, QVBoxLayout, QWidget

from playground.model.plane import index_at, index_text, plane_shape
from playground.ui.views.coverage_feed import CoverageFeed
from playground.ui.views.coverage_text import tensor_text
from playground.ui.views.elided import ElidedLabel
from playground.ui.views.formatting import shape_text
from playground.ui.views.plane_canvas import PlaneCanvas
from playground.ui.views.roles import set_role

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QResizeEvent

    from playground.model.coverage import TensorCoverage
    from playground.ui.document import Document
    from playground.ui.theme import Theme
    from playground.ui.views.footprints import Footprints
    from playground.ui.views.plane_colours import Colouring


class MapFrame(QWidget):
    """A map under its title; a click on the title asks for it to be the large one."""

    wanted = Signal()

    def __init__(self, name: str, title: str, tip: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.title = QToolButton(self)
        self.title.setObjectName(f"{name}.title")
        self.title.setText(title)
        self.title.setToolTip(tip)
        self.title.setAccessibleName(tip)
        self.title.setAutoRaise(True)
        self.title.setCheckable(True)
        self.title.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.title.clicked.connect(self._on_title)
        self.note = ElidedLabel(f"{name}.note", self)
        set_role(self.note, "muted")
        self.slices = QWidget(self)
        self._slice_row = QHBoxLayout(self.slices)
        self._slice_row.setContentsMargins(0, 0, 0, 0)
        self._boxes: list[QSpinBox] = []
        self.slices.hide()
        self.slices.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.head = QWidget(self)
        row = QHBoxLayout(self.head)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(self.title)
        row.addWidget(self.note, 1)
        row.addWidget(self.slices)
        row.addStretch(0)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(1)
        self._layout.addWidget(self.head)

    def put(self, canvas: QWidget) -> None:
        """Put the map under the title."""
        self._layout.addWidget(canvas, 1)

    def set_chosen(self, chosen: bool) -> None:
        """Show that this is the map the controls act on, or not."""
        self.title.setChecked(chosen)

    def _on_title(self) -> None:
        # Chosen again it stays chosen: another one's title takes it away.
        self.title.setChecked(True)
        self.wanted.emit()

    def make_slices(
        self, sizes: tuple[int, ...], names: tuple[str, ...], changed: Callable[[], None]
    ) -> None:
        """Offer one index for each of these dimensions."""
        if [box.maximum() + 1 for box in self._boxes] == list(sizes):
            return
        for box in self._boxes:
            self._slice_row.removeWidget(box)
            box.hide()
            box.deleteLater()
        self._boxes = []
        for axis, (size, name) in enumerate(zip(sizes, names, strict=True)):
            box = QSpinBox(self.slices)
            box.setObjectName(f"{self.objectName()}.slice.{axis}")
            box.setAccessibleName(f"Index in {name}, 0 to {size - 1}")
            box.setToolTip(box.accessibleName())
            box.setProperty("ends", (f"{name} ", f" of {size}"))
            box.setRange(0, size - 1)
            box.setWrapping(True)
            box.valueChanged.connect(lambda _value: changed())
            self._slice_row.addWidget(box)
            self._boxes.append(box)
        self._fit_slices()

    def _fit_slices(self) -> None:
        # In a small map the number alone; its tooltip says of what.
        roomy = self.width() > self.fontMetrics().height() * 16
        for box in self._boxes:
            prefix, suffix = box.property("ends")
            box.setPrefix(prefix if roomy else "")
            box.setSuffix(suffix if roomy else "")
        self.note.setVisible(roomy or not self._boxes)
        # Where even that has no room, the name has it; made large, the map can be sliced again.
        tiny = self.width() < self.fontMetrics().height() * 9
        self.slices.setVisible(bool(self._boxes) and not tiny)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Say more or less of the slices, as there is room."""
        super().resizeEvent(event)
        self._fit_slices()

    def slice_values(self) -> tuple[int, ...]:
        """Return the index chosen in each dimension that is cut."""
        return tuple(box.value() for box in self._boxes)

    def set_slices(self, values: tuple[int, ...]) -> None:
        """Choose another slice, without telling anybody."""
        for box, value in zip(self._boxes, values, strict=False):
            blocker = QSignalBlocker(box)
            box.setValue(value)
            del blocker


class TileMap(MapFrame):
    """The map of one tensor of the coverage."""

    sliced = Signal()

    def __init__(
        self,
        tensor: TensorCoverage,
        document: Document,
        theme: Theme,
        footprints: Footprints,
        parent: QWidget | None = None,
    ) -> None:
        name = f"coverage.{tensor.name}"
        super().__init__(name, tensor.name, f"Make the map of {tensor.name} the large one", parent)
        self.tensor = tensor
        self.canvas = PlaneCanvas(f"{name}.canvas", f"Tile map of {tensor.name}", theme, self)
        self.canvas.cell_text = self._cell_text
        self.feed = CoverageFeed(document, theme, self.canvas, footprints, self)
        self.put(self.canvas)

    def show_tensor(self, tensor: TensorCoverage, colouring: Colouring) -> None:
        """Show the tensor as it was counted last."""
        self.tensor = tensor
        text = tensor_text(tensor)
        self.title.setToolTip(f"{text}\nClick to make this map the large one")
        self.note.setText(f"{shape_text(tensor.shape)} {tensor.dtype}")
        sizes = tensor.shape[:-2]
        self.make_slices(sizes, tuple(f"dim {axis}:" for axis in range(len(sizes))), self._on_slice)
        rows, columns = plane_shape(tensor.shape)
        self.canvas.set_plane(rows, columns, folded=len(tensor.shape) == 1)
        self.canvas.setAccessibleDescription(text)
        self.feed.show(tensor, colouring, self.slice_values())

    def go_to_elements(self, elements: np.ndarray) -> bool:
        """Choose the slice of the first of these elements unless one is in view; tell if so.

        Elements are places in the tensor counted row by row, int64.
        """
        shape = self.tensor.shape
        if len(shape) < 3 or not len(elements):
            return False
        plane = shape[-2] * shape[-1]
        slices = np.unique(elements // plane)
        indices = [
            tuple(map(int, each)) for each in np.transpose(np.unravel_index(slices, shape[:-2]))
        ]
        if self.slice_values() in indices:
            return False
        self.set_slices(indices[0])
        return True

    def _on_slice(self) -> None:
        self.sliced.emit()

    def _cell_text(self, row: int, column: int) -> str:
        index = index_at(self.tensor.shape, row, column, self.slice_values())
        return "" if index is None else index_text(index)[1:-1]
