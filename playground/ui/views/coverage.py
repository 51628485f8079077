"""Tile coverage: any tensor of the launch as a picture of who loads and stores what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, QSize, Qt
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QSpinBox,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from playground.model.plane import plane_shape
from playground.ui.icons import icon
from playground.ui.views.chips import FlowLayout
from playground.ui.views.coverage_feed import CoverageFeed
from playground.ui.views.coverage_legend import CoverageLegend, LegendFacts
from playground.ui.views.coverage_table import coverage_model
from playground.ui.views.coverage_text import (
    banner_text,
    element_text,
    program_text,
    tensor_text,
)
from playground.ui.views.elided import ElidedLabel
from playground.ui.views.formatting import count_text
from playground.ui.views.notice import EmptyState, Notice
from playground.ui.views.plane_canvas import ZOOM_STEP, PlaneCanvas
from playground.ui.views.plot_actions import PlotActions
from playground.ui.views.table_twin import RecordTable

if TYPE_CHECKING:
    from playground.model.coverage import Coverage, TensorCoverage
    from playground.protocol.messages import Element, Paint
    from playground.ui.document import Document
    from playground.ui.theme import Theme

_PAINTS: tuple[tuple[Paint, str, str], ...] = (
    ("owner", "Owner", "Colour every element by the program that stored it last"),
    ("loads", "Loads", "Colour every element by how often it is loaded"),
    ("stores", "Stores", "Colour every element by how often it is stored"),
)


class CoverageView(QWidget):
    """The tile map with its controls; what it shows is the document's coverage.

    Only the choice of what to look at (tensor, paint, slices, program, zoom) lives here.
    """

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("coverage")
        self.setAccessibleName("Tile coverage")
        # Narrower than this the controls would be cut.
        self.setMinimumWidth(self.fontMetrics().height() * 20)
        self._document, self._theme = document, theme
        self._wish: Paint = "owner"
        self._program: int | None = None
        self._place: tuple[str, tuple[int, ...]] | None = None
        self._icons: list[tuple[QToolButton, str]] = []
        self.canvas = PlaneCanvas(theme, self)
        self._feed = CoverageFeed(document, theme, self.canvas, self)
        self._feed.pictured.connect(self._show_legend)
        self._feed.element.connect(self._show_element)
        self._feed.footprint.connect(self._show_footprint)

        self._banner = Notice("coverage.banner", theme, "bad", "warning", self)
        self._legend = CoverageLegend(theme, self)
        self._status = QLabel(self)
        self._status.setObjectName("coverage.status")
        self._status.setWordWrap(True)
        self._status.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        # Two lines at all times, so that hovering never moves the picture.
        self._status.setMinimumHeight(self.fontMetrics().lineSpacing() * 2)
        self._status.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._table_model = coverage_model(self)
        self._table = RecordTable(
            "coverage.table", "Coverage of every tensor", self._table_model, self
        )
        self._table.recordPicked.connect(lambda tensor: self._choose(tensor.name))
        self._pages = QStackedWidget(self)
        self._pages.addWidget(self.canvas)
        self._pages.addWidget(self._table)
        self._actions = PlotActions(
            "coverage", theme, self.canvas, self._table_model.as_csv, "coverage", self
        )
        self._actions.tableToggled.connect(self._pages.setCurrentIndex)

        page = QWidget(self)
        layout = QVBoxLayout(page)
        layout.addWidget(self._make_controls(page))
        layout.addWidget(self._make_stepper(page))
        layout.addWidget(self._banner)
        layout.addWidget(self._pages, 1)
        layout.addWidget(self._legend)
        layout.addWidget(self._status)
        self._empty = EmptyState("coverage.empty", "", "", theme, self)
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(page)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._stack)

        self.canvas.hovered.connect(lambda row, column: self._feed.ask_element(row, column))
        self.canvas.left.connect(self._leave)
        self.canvas.picked.connect(self._feed.pick)
        self.canvas.stepRequested.connect(self._step_program)
        self._feed.owner_picked.connect(self.show_program)
        document.coveredChanged.connect(self._show_coverage)
        document.configChanged.connect(self._show_status)
        document.launchesChanged.connect(self._show_coverage)
        theme.changed.connect(self._recolour)
        self._recolour()
        self._show_coverage()

    # ------------------------------------------------------------------------------ building

    def _tool(self, name: str, icon_name: str, text: str, parent: QWidget) -> QToolButton:
        button = QToolButton(parent)
        button.setObjectName(name)
        button.setAccessibleName(text)
        button.setToolTip(text)
        button.setAutoRaise(True)
        self._icons.append((button, icon_name))
        return button

    def _make_controls(self, parent: QWidget) -> QWidget:
        bar = QWidget(parent)
        flow = FlowLayout(bar, 3)
        self._tensor = QComboBox(bar)
        self._tensor.setObjectName("coverage.tensor")
        self._tensor.setAccessibleName("Tensor to show")
        self._tensor.setToolTip("Tensor to show")
        self._tensor.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._tensor.currentIndexChanged.connect(self._show_tensor)
        flow.addWidget(self._tensor)
        paints = QWidget(bar)
        row = QHBoxLayout(paints)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        self._paints = QButtonGroup(self)
        self._paint_buttons: dict[Paint, QToolButton] = {}
        for paint, text, tip in _PAINTS:
            button = QToolButton(paints)
            button.setObjectName(f"coverage.paint.{paint}")
            button.setText(text)
            button.setToolTip(tip)
            button.setAccessibleName(f"{text}: {tip}")
            button.setCheckable(True)
            button.clicked.connect(lambda _=False, p=paint: self._choose_paint(p))
            self._paints.addButton(button)
            self._paint_buttons[paint] = button
            row.addWidget(button)
        flow.addWidget(paints)
        self._slices = QWidget(bar)
        self._slice_row = QHBoxLayout(self._slices)
        self._slice_row.setContentsMargins(0, 0, 0, 0)
        self._slice_boxes: list[QSpinBox] = []
        flow.addWidget(self._slices)
        zooms = QWidget(bar)
        row = QHBoxLayout(zooms)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        for name, picture, text, action in (
            ("coverage.zoomOut", "minus", "Zoom out (−)", lambda: self.canvas.zoom(1 / ZOOM_STEP)),
            ("coverage.zoomIn", "plus", "Zoom in (+)", lambda: self.canvas.zoom(ZOOM_STEP)),
            ("coverage.fit", "fit", "Fit the whole tensor (0)", self.canvas.fit),
        ):
            button = self._tool(name, picture, text, zooms)
            button.clicked.connect(action)
            row.addWidget(button)
        flow.addWidget(zooms)
        flow.addWidget(self._actions)
        bar.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        return bar

    def _make_stepper(self, parent: QWidget) -> QWidget:
        bar = QWidget(parent)
        row = QHBoxLayout(bar)
        row.setContentsMargins(0, 0, 0, 0)
        label = QLabel("Program", bar)
        self._stepper = QSpinBox(bar)
        self._stepper.setObjectName("coverage.program")
        self._stepper.setAccessibleName("Program whose loads and stores are highlighted")
        self._stepper.setSpecialValueText("none")
        self._stepper.setMinimum(-1)
        self._stepper.setValue(-1)
        self._stepper.setKeyboardTracking(False)
        self._stepper.valueChanged.connect(self._on_stepper)
        label.setBuddy(self._stepper)
        previous = self._tool("coverage.previous", "prev", "Previous program (Page Up)", bar)
        previous.clicked.connect(lambda: self._step_program(-1))
        following = self._tool("coverage.next", "next", "Next program (Page Down)", bar)
        following.clicked.connect(lambda: self._step_program(1))
        self._clear = self._tool("coverage.clear", "cross", "No program highlighted", bar)
        self._clear.clicked.connect(lambda: self.show_program(None))
        self._footprint = ElidedLabel("coverage.footprint", bar)
        for widget in (label, previous, self._stepper, following, self._clear):
            row.addWidget(widget)
        row.addWidget(self._footprint, 1)
        return bar

    def _recolour(self) -> None:
        size = self.fontMetrics().height()
        for button, name in self._icons:
            button.setIcon(icon(name, self._theme))
            button.setIconSize(QSize(size, size))

    # ------------------------------------------------------------------------------ showing

    @property
    def tensor(self) -> TensorCoverage | None:
        """The tensor shown, or None before anything was counted."""
        coverage = self._document.coverage
        index = self._tensor.currentIndex()
        if coverage is None or not 0 <= index < len(coverage.tensors):
            return None
        return coverage.tensors[index]

    @property
    def paint(self) -> Paint:
        """What colours the elements: the user's wish, or loads where nothing is stored."""
        tensor = self.tensor
        if self._wish != "loads" and tensor is not None and tensor.unwritten is None:
            return "loads"
        return self._wish

    @property
    def status(self) -> str:
        """The text under the picture."""
        return self._status.text()

    def _show_coverage(self) -> None:
        coverage = self._document.coverage
        self._stack.setCurrentIndex(1 if coverage is not None and coverage.tensors else 0)
        self._banner.say(banner_text(coverage) if coverage else "")
        self._table_model.set_records(coverage.tensors if coverage else ())
        self._table.fit_columns()
        if coverage is None or not coverage.tensors:
            self._say_what_to_do(coverage)
            self._feed.clear()
            return
        before = self._tensor.currentText()
        blocker = QSignalBlocker(self._tensor)
        self._tensor.clear()
        self._tensor.addItems([tensor.name for tensor in coverage.tensors])
        index = self._tensor.findText(before)
        if index < 0:
            # What is stored is what a kernel is about; inputs are one choice away.
            stored = [t.unwritten is not None for t in coverage.tensors]
            index = stored.index(True) if True in stored else 0
        self._tensor.setCurrentIndex(index)
        del blocker
        programs = coverage.grid[0] * coverage.grid[1] * coverage.grid[2]
        blocker = QSignalBlocker(self._stepper)
        self._stepper.setMaximum(programs - 1)
        del blocker
        if self._program is not None and self._program >= programs:
            self._program = None
        self._show_tensor()

    def _say_what_to_do(self, coverage: Coverage | None) -> None:
        if self._document.launch is None:
            self._empty.say(
                "No coverage yet", "Press F5 to run; then every element shows who touches it."
            )
        elif coverage is None:
            self._empty.say("Counting …", "The launch is being replayed with counters.")
        else:
            self._empty.say("Nothing to draw", "This launch has no tensor argument.")

    def _show_tensor(self) -> None:
        tensor = self.tensor
        if tensor is None:
            return
        self._make_slices(tensor.shape)
        stored = tensor.unwritten is not None
        for paint, button in self._paint_buttons.items():
            button.setEnabled(stored or paint == "loads")
            button.setChecked(paint == self.paint)
        rows, columns = plane_shape(tensor.shape)
        self.canvas.set_plane(rows, columns, folded=len(tensor.shape) == 1)
        place = (tensor.name, self._slice_values())
        if place != self._place:
            # Counts of another tensor must not stand here until its own are there.
            self._place = place
            self._footprint.setText("" if self._program is None else "looking …")
        self._feed.show(tensor, self.paint, self._slice_values())
        self._show_legend()
        self._show_status()
        self._sync_stepper()
        self._feed.show_program(self._program)

    def _make_slices(self, shape: tuple[int, ...]) -> None:
        sizes = shape[:-2]
        if [box.maximum() + 1 for box in self._slice_boxes] == list(sizes):
            return
        for box in self._slice_boxes:
            self._slice_row.removeWidget(box)
            box.hide()
            box.deleteLater()
        self._slice_boxes = []
        for axis, size in enumerate(sizes):
            box = QSpinBox(self._slices)
            box.setObjectName(f"coverage.slice.{axis}")
            box.setAccessibleName(f"Index in dimension {axis}, 0 to {size - 1}")
            box.setToolTip(box.accessibleName())
            box.setPrefix(f"dim {axis}: ")
            box.setSuffix(f" of {size}")
            box.setRange(0, size - 1)
            box.setWrapping(True)
            box.valueChanged.connect(self._show_tensor)
            self._slice_row.addWidget(box)
            self._slice_boxes.append(box)
        self._slices.setVisible(bool(sizes))

    def _slice_values(self) -> tuple[int, ...]:
        return tuple(box.value() for box in self._slice_boxes)

    def _show_legend(self) -> None:
        tensor, coverage = self.tensor, self._document.coverage
        if tensor is None or coverage is None:
            self._legend.show_facts(None)
            return
        programs = coverage.grid[0] * coverage.grid[1] * coverage.grid[2]
        most = tensor.loads.maximum if self.paint == "loads" else tensor.stores.maximum
        self._legend.show_facts(
            LegendFacts(
                self.paint, programs, most, tensor.unwritten, self._program,
                tensor.multi_written, tensor.disputed or 0,
            )
        )  # fmt: skip

    def _show_status(self) -> None:
        tensor, coverage = self.tensor, self._document.coverage
        if tensor is None or coverage is None:
            return
        text = tensor_text(tensor)
        if coverage.resolution != "every element":
            text += f" · counted: {coverage.resolution}"
        if not self._document.is_current(coverage):
            text = f"Of {coverage.config.label()} (counting again …)\n{text}"
        self._status.setText(text)
        self.canvas.setAccessibleDescription(text)

    def _leave(self) -> None:
        self._feed.forget_element()
        self._show_status()

    def _show_element(self, element: Element) -> None:
        coverage = self._document.coverage
        if coverage is not None:
            self._status.setText(element_text(element, coverage.grid))

    # ------------------------------------------------------------------------------ choosing

    def _choose(self, name: str) -> None:
        self._tensor.setCurrentText(name)
        self._actions.show_table(False)

    def _choose_paint(self, paint: Paint) -> None:
        self._wish = paint
        self._show_tensor()

    def show_program(self, program: int | None) -> None:
        """Highlight what `program` loads and stores, or nothing."""
        self._program = program
        self._sync_stepper()
        self._show_legend()
        self._feed.show_program(program)

    def _on_stepper(self, value: int) -> None:
        self.show_program(value if value >= 0 else None)

    def _step_program(self, direction: int) -> None:
        coverage = self._document.coverage
        if coverage is None:
            return
        last = self._stepper.maximum()
        now = -1 if self._program is None else self._program
        self.show_program(min(max(now + direction, 0), last))

    def _sync_stepper(self) -> None:
        blocker = QSignalBlocker(self._stepper)
        self._stepper.setValue(-1 if self._program is None else self._program)
        del blocker
        self._clear.setEnabled(self._program is not None)
        if self._program is None:
            self._footprint.setText("click a tile to see its program")
            self._footprint.setToolTip("Its loads and stores are outlined, in every tensor")
            self._footprint.setEnabled(False)

    def _show_footprint(self, loads: int, stores: int) -> None:
        coverage = self._document.coverage
        if coverage is None or self._program is None:
            return
        grid = coverage.grid
        place = program_text(self._program, grid) if grid[1] * grid[2] > 1 else ""
        parts = [f"loads {count_text(loads)}", f"stores {count_text(stores)} elements here"]
        text = " · ".join([*([place] if place else []), *parts])
        self._footprint.setEnabled(True)
        self._footprint.setText(text)
        self._footprint.setToolTip(text)
