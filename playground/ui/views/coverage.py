"""Tile coverage: every tensor of the launch as a picture of who loads and stores what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from playground.model.plane import position_of
from playground.ui.views.chips import Chip
from playground.ui.views.coverage_colours import CoverageColours
from playground.ui.views.coverage_controls import CoverageControls
from playground.ui.views.coverage_legend import CoverageLegend
from playground.ui.views.coverage_saving import CoverageSaving
from playground.ui.views.coverage_tables import CoverageTables
from playground.ui.views.coverage_text import banner_text, tensor_text
from playground.ui.views.elided import ElidedLabel
from playground.ui.views.map_grid import Arrangement, MapGrid
from playground.ui.views.notice import EmptyState, Notice
from playground.ui.views.plane_canvas import ZOOM_STEP, PlaneCanvas
from playground.ui.views.plane_colours import SCHEDULED, ColourBy
from playground.ui.views.plot_actions import PlotActions
from playground.ui.views.program_map import ProgramMap
from playground.ui.views.program_stepper import ProgramStepper
from playground.ui.views.scroll_page import ScrollPage
from playground.ui.views.step_row import StepRow
from playground.ui.views.tile_maps import TileMaps

if TYPE_CHECKING:
    from playground.model.coverage import Coverage, TensorCoverage
    from playground.ui.document import Document
    from playground.ui.theme import Theme
    from playground.ui.views.coverage_feed import CoverageFeed
    from playground.ui.views.tile_map import TileMap


class CoverageView(QWidget):
    """The tile maps with their controls; what they show is the document's coverage.

    Which programs are looked at is the document's, too, as other views show them; only the choice
    of how to look (tensor, colours, slices, zoom) lives here.
    """

    sourceLineRequested = Signal(int)
    arrangementChanged = Signal(str)

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("coverage")
        self.setAccessibleName("Tile coverage")
        self._document, self._theme = document, theme
        self._programs = document.programs
        self.colours = CoverageColours(self._programs)
        self.grid = MapGrid(self)
        self._tiles = TileMaps(document, theme, self.colours, self.grid, self)

        self.controls = CoverageControls(theme, self)
        self.stepper = ProgramStepper(self._programs, theme, self._is_drawn, self)
        self.step_row = StepRow(document, theme, self._is_drawn, self)
        self.program_map = ProgramMap(self._programs, theme, self.grid)
        self._notes = Chip("coverage.notes", theme, self)
        self._banner = Notice("coverage.banner", theme, "bad", "warning", self)
        self._legend = CoverageLegend(theme, self)
        # Of one line each at all times, so that hovering never moves the pictures.
        self._status = ElidedLabel("coverage.status", self)
        self.tables = CoverageTables(document, theme, self)
        self._pages = QStackedWidget(self)
        self._pages.addWidget(self.grid)
        self._pages.addWidget(self.tables)
        self._actions = PlotActions(
            "coverage", theme, self.grid, self.tables.as_csv, "coverage", self
        )
        self.saving = CoverageSaving(document, self._actions, self.tables, self)
        self._build()
        self._connect()
        self._show_coverage()

    def _build(self) -> None:
        self.controls.add(self._actions)
        self.controls.add(self._notes)
        page = QWidget(self)
        layout = QVBoxLayout(page)
        layout.setSpacing(4)
        layout.addWidget(self.controls)
        layout.addWidget(self.stepper)
        layout.addWidget(self.step_row)
        layout.addWidget(self._banner)
        layout.addWidget(self._pages, 1)
        layout.addWidget(self._legend)
        layout.addWidget(self._status)
        layout.addWidget(self.stepper.text)
        layout.addWidget(self.step_row.text)
        self._empty = EmptyState("coverage.empty", "", "", self._theme, self)
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(ScrollPage("coverage.page", page, self._pages, self))
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._stack)
        self.controls.show_arrangement(self.grid.arrangement)
        self.step_row.hide()
        self.step_row.text.hide()

    def _connect(self) -> None:
        controls, programs, document = self.controls, self._programs, self._document
        tiles = self._tiles
        tiles.told.connect(self._tell)
        tiles.wanted.connect(controls.tensor.setCurrentIndex)
        tiles.pictured.connect(self._show_legend)
        tiles.counted.connect(self._show_counts)
        tiles.resliced.connect(self._show_maps)
        controls.tensorChosen.connect(self._on_tensor)
        controls.arrangementChosen.connect(self.set_arrangement)
        controls.colourChosen.connect(self._choose_colour)
        controls.programsToggled.connect(self._show_program_map)
        controls.zoomWanted.connect(lambda way: self.canvas.zoom(ZOOM_STEP**way))
        controls.fitWanted.connect(lambda: self.canvas.fit())
        self.stepper.stepsToggled.connect(self._show_steps)
        self.step_row.sourceLineRequested.connect(self.sourceLineRequested)
        self.tables.sourceLineRequested.connect(self.sourceLineRequested)
        self.tables.tensorPicked.connect(self._choose)
        self.program_map.told.connect(self._status.setText)
        self.saving.told.connect(self._status.setText)
        self.program_map.canvas.left.connect(self._show_status)
        self.program_map.canvas.stepRequested.connect(programs.step)
        self._actions.tableToggled.connect(self._pages.setCurrentIndex)
        self._actions.tableToggled.connect(self._legend.setHidden)
        programs.chosenChanged.connect(self._show_programs)
        programs.hoveredChanged.connect(self._show_programs)
        programs.orderChanged.connect(self._show_maps)
        programs.schedule.changed.connect(self._show_maps)
        programs.steps.moved.connect(tiles.show_step)
        programs.steps.changed.connect(tiles.find_slices)
        document.coveredChanged.connect(self._show_coverage)
        document.configChanged.connect(self._show_status)
        document.launchesChanged.connect(self._show_coverage)

    # ------------------------------------------------------------------------------ showing

    @property
    def chosen(self) -> TileMap | None:
        """The map that the controls act on, None before anything was counted."""
        index = self.controls.tensor.currentIndex()
        return self.maps[index] if 0 <= index < len(self.maps) else None

    @property
    def tensor(self) -> TensorCoverage | None:
        """The tensor the controls act on, or None before anything was counted."""
        chosen = self.chosen
        return chosen.tensor if chosen is not None else None

    @property
    def canvas(self) -> PlaneCanvas:
        """The canvas the controls act on; that of the programs while there is no tensor."""
        chosen = self.chosen
        return chosen.canvas if chosen is not None else self.program_map.canvas

    @property
    def feed(self) -> CoverageFeed | None:
        """What supplies the canvas the controls act on."""
        chosen = self.chosen
        return chosen.feed if chosen is not None else None

    @property
    def maps(self) -> tuple[TileMap, ...]:
        """The map of each tensor, in the launch's order."""
        return tuple(self._tiles.items)

    @property
    def idle(self) -> bool:
        """Whether everything that was asked for is drawn."""
        return self._tiles.idle and not self._programs.schedule.running

    def _is_drawn(self) -> bool:
        return self._tiles.drawn

    @property
    def status(self) -> str:
        """The text under the pictures."""
        return self._status.text()

    def _show_coverage(self) -> None:
        coverage = self._document.coverage
        full = coverage is not None and bool(coverage.drawable)
        self._stack.setCurrentIndex(1 if full else 0)
        self._banner.say(banner_text(coverage) if coverage else "")
        notes = coverage.notes if coverage else ()
        text = f"{len(notes)} note{'s' * (len(notes) != 1)}" if notes else ""
        self._notes.show_fact(text, "warn", "info", tip="\n".join(notes))
        self.tables.show_coverage(coverage)
        if coverage is None or not full:
            self._say_what_to_do(coverage)
            self._tiles.clear()
            return
        index = self.controls.show_tensors(coverage.drawable)
        if self._tiles.names() != [tensor.name for tensor in coverage.drawable]:
            self._tiles.make(coverage)
            self.grid.set_maps(self.maps, self.program_map)
            self._show_program_map(self.controls.programs.isChecked())
        self.grid.set_arrangement(self.grid.arrangement, index)
        self.stepper.show_count()
        self._show_maps()
        self._show_programs()

    def _say_what_to_do(self, coverage: Coverage | None) -> None:
        if self._document.launch is None:
            self._empty.say(
                "No coverage yet", "Press F5 to run; then every element shows who touches it."
            )
        elif coverage is None:
            self._empty.say("Counting …", "The launch is being replayed with counters.")
        else:
            self._empty.say("Nothing to draw", "This launch has no tensor argument.")

    def _show_maps(self) -> None:
        coverage = self._document.coverage
        names = [tensor.name for tensor in coverage.drawable] if coverage is not None else []
        if coverage is None or self._tiles.names() != names:
            return
        self._tiles.show_all(coverage, self.chosen)
        self.program_map.show_grid(self.colours.of_programs())
        self._show_controls()
        self._show_legend()
        self._show_status()

    def _show_controls(self) -> None:
        tensor, schedule = self.tensor, self._programs.schedule
        stored = tensor is None or tensor.stores.total > 0
        missing = "" if schedule.possible() else schedule.missing()
        self.controls.show_colour(self.colours.wish, stored=stored, no_schedule=missing)

    def _show_legend(self) -> None:
        tensor, coverage = self.tensor, self._document.coverage
        if tensor is None or coverage is None:
            self._legend.show_facts(None)
            return
        drawn = () if self.grid.arrangement == "one" else coverage.drawable
        self._legend.show_facts(self.colours.legend(tensor, coverage, drawn))

    def _show_status(self) -> None:
        tensor, coverage = self.tensor, self._document.coverage
        if tensor is None or coverage is None:
            return
        text = tensor_text(tensor)
        if coverage.resolution != "every element":
            text += f" · counted: {coverage.resolution}"
        if not self._document.is_current(coverage):
            text = f"Of {coverage.config.label()} (counting again …): {text}"
        self._status.setText(text)

    def _tell(self, text: str) -> None:
        if text:
            self._status.setText(text)
        else:
            self._show_status()

    # ------------------------------------------------------------------------------ choosing

    def set_arrangement(self, arrangement: Arrangement) -> None:
        """Stand the maps otherwise."""
        self.controls.show_arrangement(arrangement)
        if arrangement != self.grid.arrangement:
            self.grid.set_arrangement(arrangement, self.controls.tensor.currentIndex())
            # Maps that were hidden have nothing to show yet.
            self._show_maps()
            self._show_programs()
            self.arrangementChanged.emit(arrangement)

    def _on_tensor(self, index: int) -> None:
        self.grid.set_arrangement(self.grid.arrangement, index)
        self._show_maps()
        self._show_programs()

    def _choose(self, name: str) -> None:
        self.controls.tensor.setCurrentText(name)
        self._actions.show_table(False)

    def _choose_colour(self, by: ColourBy) -> None:
        self.colours.wish = by
        self._programs.schedule.want("coverage", by in SCHEDULED)
        self._show_maps()

    def _show_program_map(self, shown: bool) -> None:
        self.program_map.setVisible(shown)
        self.grid.arrange()

    def show_table(self) -> None:
        """Show the tables in place of the maps."""
        self._actions.show_table(True)

    def show_program(self, program: int | None) -> None:
        """Highlight what `program` loads and stores, or nothing."""
        self._programs.choose(() if program is None else (program,))

    def show_place(self, tensor: str, index: tuple[int, ...], programs: tuple[int, ...]) -> None:
        """Show an element of a tensor large, with the programs that have to do with it."""
        names = self._tiles.names()
        if tensor not in names:
            self._programs.choose(programs)
            return
        self._actions.show_table(False)
        self.controls.tensor.setCurrentIndex(names.index(tensor))
        where = self.maps[names.index(tensor)]
        if len(index) == len(where.tensor.shape):
            row, column, slices = position_of(where.tensor.shape, index)
            where.set_slices(slices)
            self._show_maps()
            where.canvas.point_at(row, column)
        if programs:
            self._programs.choose(programs)

    def _show_programs(self) -> None:
        self._tiles.show_programs()
        self._show_counts()
        self._show_legend()

    def _show_counts(self) -> None:
        chosen = self.chosen
        counts = chosen.feed.footprint.counts if chosen is not None else None
        self._tiles.find_slices()
        self.stepper.show_counts(
            (chosen.tensor.name, *counts) if chosen is not None and counts is not None else None
        )

    def _show_steps(self, shown: bool) -> None:
        for widget in (self.step_row, self.step_row.text):
            widget.setVisible(shown)
        # What a step does tells more than what the whole program does; one line is for either.
        self.stepper.text.setVisible(not shown)
        self._programs.steps.want("row", shown)
