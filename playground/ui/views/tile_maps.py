"""The maps of all tensors: made anew for another launch, shown together, hovered one at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from playground.ui.views.coverage_feed import program_of
from playground.ui.views.coverage_text import element_text
from playground.ui.views.footprints import Footprints
from playground.ui.views.tile_map import TileMap

if TYPE_CHECKING:
    from playground.model.coverage import Coverage
    from playground.protocol.messages import Element
    from playground.ui.document import Document
    from playground.ui.theme import Theme
    from playground.ui.views.coverage_colours import CoverageColours
    from playground.ui.views.map_grid import MapGrid


class TileMaps(QObject):
    """Keeps one map a tensor, and shows in all of them what the document's programs do.

    `told` says what the element under the cursor is, empty when there is none; `wanted` carries the
    place of a map that is to be the large one. `pictured`, `counted` and `resliced` tell that a
    picture came, that counts of the programs shown did, that another slice is in view.
    """

    told = Signal(str)
    wanted = Signal(int)
    pictured = Signal()
    counted = Signal()
    resliced = Signal()

    def __init__(
        self,
        document: Document,
        theme: Theme,
        colours: CoverageColours,
        grid: MapGrid,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._document, self._theme, self._colours, self._grid = document, theme, colours, grid
        self._programs = document.programs
        self._footprints = Footprints(document, self)
        self._hovering: TileMap | None = None
        self.items: list[TileMap] = []

    @property
    def drawn(self) -> bool:
        """Whether what the programs shown touch, and their steps, are drawn."""
        return self._footprints.idle and not self._programs.steps.running

    @property
    def idle(self) -> bool:
        """Whether everything that was asked for is drawn."""
        return self.drawn and all(each.feed.idle for each in self.items)

    def names(self) -> list[str]:
        """Return the tensors that have a map."""
        return [each.tensor.name for each in self.items]

    def clear(self) -> None:
        """Show nothing: there is no coverage."""
        for each in self.items:
            each.feed.clear()

    def make(self, coverage: Coverage) -> None:
        """Make a map for each tensor, in place of those before."""
        for old in self.items:
            old.feed.clear()
            old.hide()
            old.deleteLater()
        self.items = []
        for index, tensor in enumerate(coverage.drawable):
            made = TileMap(tensor, self._document, self._theme, self._footprints, self._grid)
            self.items.append(made)
            made.wanted.connect(lambda i=index: self.wanted.emit(i))
            made.sliced.connect(self.resliced)
            made.canvas.hovered.connect(lambda row, column, m=made: self._hover(m, row, column))
            made.canvas.left.connect(self._leave)
            made.canvas.picked.connect(made.feed.pick)
            made.canvas.stepRequested.connect(self._programs.step)
            made.feed.pictured.connect(self.pictured)
            made.feed.element.connect(lambda element, m=made: self._show_element(m, element))
            made.feed.owner_picked.connect(lambda program: self._programs.choose((program,)))
            made.feed.footprint.counted.connect(self.counted)
            made.show()

    def show_all(self, coverage: Coverage, chosen: TileMap | None) -> None:
        """Show the tensors as they were counted last; maps out of sight ask for nothing."""
        for each, tensor in zip(self.items, coverage.drawable, strict=True):
            each.set_chosen(each is chosen)
            if each.isVisibleTo(self._grid):
                each.show_tensor(tensor, self._colours.colouring(self._colours.of(tensor)))

    def show_programs(self) -> None:
        """Outline what the programs looked at touch, and the step chosen."""
        programs = self._programs
        for each in self.items:
            if each.isVisibleTo(self._grid):
                each.feed.footprint.show_programs(programs.shown, preview=programs.previewed)
        self.show_step()

    def show_step(self) -> None:
        """Light up the elements of the step chosen, in the slice in which they are."""
        steps = self._programs.steps
        elements, site = steps.elements(), steps.site()
        moved = False
        for each in self.items:
            mine = elements if each.tensor.name == steps.tensor() else None
            if mine is None and elements is not None:
                mine = elements[:0]
            moved |= mine is not None and each.go_to_elements(mine)
            each.feed.footprint.show_step(mine, stored=site is None or site.kind != "load")
        if moved:
            self.resliced.emit()

    def find_slices(self) -> None:
        """Show tensors of three and more dimensions where the program chosen touches them."""
        steps = self._programs.steps
        lost = [each for each in self.items if each.feed.footprint.elsewhere]
        steps.want("slices", bool(lost) and self._programs.current is not None)
        moved = [each.go_to_elements(steps.of_tensor(each.tensor.name)) for each in lost]
        if any(moved):
            self.resliced.emit()

    # ------------------------------------------------------------------------------ hovering

    def _hover(self, where: TileMap, row: int, column: int) -> None:
        self._hovering = where
        where.feed.ask_element(row, column)

    def _leave(self) -> None:
        self._hovering = None
        for each in self.items:
            each.feed.forget_element()
        self._programs.hover(None)
        self.told.emit("")

    def _show_element(self, where: TileMap, element: Element) -> None:
        coverage = self._document.coverage
        if coverage is not None and where is self._hovering:
            self.told.emit(element_text(element, coverage.grid))
            self._programs.hover(program_of(element))
