"""The grid of programs as a map of its own: hover, click and drag choose programs in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal

from playground.model.program_grid import (
    first_program,
    grid_axes,
    grid_plane,
    grid_shape,
    place_of,
    program_at,
    program_count,
)
from playground.protocol.messages import Plane, PlaneView
from playground.ui.views.coverage_text import program_text
from playground.ui.views.formatting import count_text
from playground.ui.views.plane_canvas import PlaneCanvas
from playground.ui.views.plane_colours import Colouring
from playground.ui.views.plane_image import colour
from playground.ui.views.plane_place import Placed, rectangles
from playground.ui.views.tile_map import MapFrame

if TYPE_CHECKING:
    from PySide6.QtGui import QMouseEvent
    from PySide6.QtWidgets import QWidget

    from playground.ui.document_programs import DocumentPrograms
    from playground.ui.theme import Theme

MAX_CELLS = 1024


class BrushCanvas(PlaneCanvas):
    """A canvas in which dragging chooses; the middle button, or Alt held, pans."""

    brushed = Signal(object, object)
    toggled = Signal(int, int)

    def __init__(self, name: str, title: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(name, title, theme, parent)
        self._start: tuple[int, int] | None = None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin to choose; with Ctrl one more program, or one less."""
        alt = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        if event.button() != Qt.MouseButton.LeftButton or alt:
            super().mousePressEvent(event)
            return
        place = self.element_at(event.position())
        if place is None:
            return
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.toggled.emit(*place)
            return
        self._start = place
        self.brushed.emit(place, place)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Choose everything from where the drag began to here."""
        if self._start is None:
            super().mouseMoveEvent(event)
            return
        area = self.plot_area()
        inside = QPointF(
            min(max(event.position().x(), area.left()), area.right() - 0.01),
            min(max(event.position().y(), area.top()), area.bottom() - 0.01),
        )
        place = self.element_at(inside)
        if place is not None and place != self.hover:
            self._hover_at(inside)
            self.brushed.emit(self._start, place)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End choosing."""
        if self._start is None:
            super().mouseReleaseEvent(event)
        self._start = None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Choose as with one click: here a double click is two quick choices."""
        self.mousePressEvent(event)

    def minimumSizeHint(self) -> QSize:
        """Return the least size with which programs can be told apart."""
        unit = self.fontMetrics().height()
        return QSize(unit * 4, unit * 2)


class ProgramMap(MapFrame):
    """The programs of the coverage shown, in the colours that they have in the tile maps."""

    told = Signal(str)

    def __init__(
        self, programs: DocumentPrograms, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__("coverage.programs", "Programs", "The grid of programs", parent)
        self._programs, self._theme = programs, theme
        self._colouring = Colouring()
        # Nothing to make large: this title only says what is below it.
        self.title.setCheckable(False)
        self.title.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.title.setToolTip(
            "Every program of the launch. Hover or click to see what it touches; drag to choose "
            "several, Ctrl+click adds one; Alt+drag moves the map"
        )
        self.canvas = BrushCanvas("coverage.programs.canvas", "Map of programs", theme, self)
        self.canvas.cell_text = self._cell_text
        self.put(self.canvas)
        self.canvas.viewChanged.connect(self._draw)
        self.canvas.hovered.connect(self._on_hover)
        self.canvas.left.connect(lambda: programs.hover(None))
        self.canvas.brushed.connect(self._on_brush)
        self.canvas.toggled.connect(self._on_toggle)
        programs.chosenChanged.connect(self._on_chosen)
        programs.hoveredChanged.connect(self._mark)
        theme.changed.connect(self._draw)

    def show_grid(self, colouring: Colouring) -> None:
        """Show the grid of the coverage as it is now."""
        grid = self._programs.grid
        shape = grid_shape(grid)
        # Counts are of elements: programs then keep the colours of owners.
        self._colouring = Colouring() if colouring.counts else colouring
        size = " × ".join(count_text(part) for part in grid if part > 1) or "1"
        self.note.setText(size)
        self.canvas.setAccessibleDescription(f"{count_text(program_count(grid))} programs")
        axes = grid_axes(grid)
        self.make_slices(shape[:-2], tuple(axes[: max(len(shape) - 2, 0)]), self._on_slice)
        rows, columns = grid_plane(grid)
        self.canvas.set_plane(rows, columns, folded=len(shape) == 1)
        self._draw()
        self._mark()

    # ------------------------------------------------------------------------------ drawing

    def _draw(self) -> None:
        canvas, grid = self.canvas, self._programs.grid
        visible = canvas.visible()
        if not canvas.rows or visible.isEmpty():
            return
        down = max(1, -(-visible.height() // MAX_CELLS))
        across = max(1, -(-visible.width() // MAX_CELLS))
        rows = np.arange(visible.top(), visible.top() + visible.height(), down)
        columns = np.arange(visible.left(), visible.left() + visible.width(), across)
        shape = grid_shape(grid)
        values = first_program(grid, self.slice_values()) + (
            rows[:, None] * canvas.columns + columns[None, :]
        )
        view = PlaneView(
            visible.top(), visible.left(), visible.height(), visible.width(), (),
            MAX_CELLS, MAX_CELLS,
        )  # fmt: skip
        count = program_count(grid)
        values = np.minimum(values, count - 1).astype(np.int32)
        flags = np.zeros(values.shape, np.uint8)
        plane = Plane(
            "programs", "owner", view, canvas.rows, canvas.columns, values, flags, count, count - 1
        )
        folded = shape[0] if len(shape) == 1 else None
        canvas.show_pictures(colour(plane, self._theme, folded, self._colouring), None)

    def _mark(self) -> None:
        chosen, hovered = self._programs.chosen, self._programs.hovered
        outlines = [(rect, "text") for rect in self._rects(chosen)]
        if hovered is not None and self._place(hovered) is not None:
            outlines += [(rect, "accent") for rect in self._rects((hovered,))]
        self.canvas.show_outlines(tuple(outlines))

    def _rects(self, programs: tuple[int, ...]) -> tuple[QRectF, ...]:
        """Return programs of the slice shown as rectangles of the map."""
        canvas = self.canvas
        if not programs or not canvas.rows:
            return ()
        first = first_program(self._programs.grid, self.slice_values())
        inside = np.asarray(programs, np.int64) - first
        inside = inside[(inside >= 0) & (inside < canvas.rows * canvas.columns)]
        if not len(inside):
            return ()
        row, column = np.divmod(inside, canvas.columns)
        top, left = int(row.min()), int(column.min())
        mask = np.zeros((int(row.max()) - top + 1, int(column.max()) - left + 1), bool)
        mask[row - top, column - left] = True
        place = Placed(top, left, mask.shape[0], mask.shape[1], 1, 1)
        found = rectangles(mask, place)
        return (place.rect,) if found is None else found

    def _place(self, program: int) -> tuple[int, int] | None:
        row, column, slices = place_of(self._programs.grid, program)
        return (row, column) if slices == self.slice_values() else None

    def _cell_text(self, row: int, column: int) -> str:
        grid = self._programs.grid
        program = program_at(grid, row, column, self.slice_values())
        if program is None:
            return ""
        x, y = program % grid[0], program // grid[0] % grid[1]
        return f"{x}, {y}" if grid[1] > 1 else f"x {x}"

    # ------------------------------------------------------------------------------ choosing

    def _program(self, row: int, column: int) -> int | None:
        return program_at(self._programs.grid, row, column, self.slice_values())

    def _on_hover(self, row: int, column: int) -> None:
        program = self._program(row, column)
        self._programs.hover(program)
        if program is not None:
            self.told.emit(f"program {program_text(program, self._programs.grid)}")

    def _on_toggle(self, row: int, column: int) -> None:
        program = self._program(row, column)
        if program is not None:
            self._programs.toggle(program)

    def _on_brush(self, start: tuple[int, int], end: tuple[int, int]) -> None:
        self._programs.choose(self._between(start, end))

    def _between(self, start: tuple[int, int], end: tuple[int, int]) -> list[int]:
        """Return the programs of a drag: of a folded grid a run of them, else a rectangle.

        Those at the end of the drag come last.
        """
        columns = self.canvas.columns
        first = first_program(self._programs.grid, self.slice_values())
        if self.canvas.folded:
            a, b = start[0] * columns + start[1], end[0] * columns + end[1]
            return list(range(a, b + 1)) if a <= b else list(range(a, b - 1, -1))
        rows = _from_to(start[0], end[0])
        across = _from_to(start[1], end[1])
        return [first + row * columns + column for row in rows for column in across]

    def _on_slice(self) -> None:
        self._draw()
        self._mark()

    def _on_chosen(self) -> None:
        current = self._programs.current
        if current is not None:
            row, column, slices = place_of(self._programs.grid, current)
            if slices != self.slice_values():
                # A program of another slice brings its slice with it.
                self.set_slices(slices)
                self._draw()
            self.canvas.bring_into_view(QRectF(column, row, 1, 1))
        self._mark()


def _from_to(start: int, end: int) -> range:
    return range(start, end + 1) if start <= end else range(start, end - 1, -1)
