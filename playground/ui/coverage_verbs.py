"""What the actions about programs and their tile maps do."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject

from playground.ui.access_text import BENIGN
from playground.ui.coverage_places import MapPlace, place_of_hazard

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from playground.ui.access_margin import AccessMargin
    from playground.ui.findings_view import FindingsView
    from playground.ui.views.coverage import CoverageView
    from playground.ui.views.map_grid import Arrangement
    from playground.ui.window import MainWindow


class CoverageVerbs(QObject):
    """Verbs of one window; its settings remember how the maps stand."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._view: CoverageView | None = None
        self._margin: AccessMargin | None = None
        window.docks.filled.connect(self._on_filled)
        window.editor.gutter.accessClicked.connect(self._on_access)

    def next_program(self) -> None:
        """Choose the next program."""
        self._window.document.programs.step(1)

    def previous_program(self) -> None:
        """Choose the program before."""
        self._window.document.programs.step(-1)

    def play(self) -> None:
        """Go through the programs by themselves, or pause."""
        self._show()
        if self._view is not None:
            player = self._view.stepper.player
            player.play(not player.playing)

    def steps(self) -> None:
        """Show or hide the steps of the current program; without one, those of the first."""
        self._show()
        if self._view is not None:
            programs = self._window.document.programs
            if programs.current is None:
                programs.choose((0,))
            self._view.stepper.steps.toggle()

    def show_schedule(self) -> None:
        """Bring the schedule forward; it is recorded."""
        self._window.docks.show("schedule")

    def pin_reuse(self) -> None:
        """Pin the estimate of what the L2 fetches, or let go of the pinned one."""
        self._window.docks.show("schedule")
        self._window.document.programs.schedule.pin_reuse()

    def count_sample(self) -> None:
        """Count a sample of the programs: for a launch whose count takes long without a GPU."""
        self._show()
        self._window.document.count_sample()

    def arrange(self) -> None:
        """Stand the maps in the next way."""
        self._show()
        if self._view is not None:
            ways: tuple[Arrangement, ...] = ("one", "large", "all")
            now = ways.index(self._view.grid.arrangement)
            self._view.set_arrangement(ways[(now + 1) % len(ways)])

    def set_margin(self, on: bool) -> None:
        """Show or hide how lines access memory in the editor's margin, and remember the choice."""
        if on and self._margin is None:
            from playground.ui.access_margin import AccessMargin

            self._margin = AccessMargin(self._window.document, self._window.editor)
        if self._margin is not None:
            self._margin.set_shown(on)
        self._window.settings.access_margin = on

    def show_place(self, place: MapPlace) -> None:
        """Show an element of a tensor in the maps, with the programs that have to do with it."""
        dock = self._window.docks["coverage"]
        # The editor keeps the keyboard: most places lead to a line as well.
        dock.show()
        dock.raise_()
        if self._view is not None:
            self._view.show_place(place.tensor, place.index, place.programs)

    def show_line(self) -> None:
        """Show in the maps what the line at the cursor accesses, as a click beside it does."""
        self._on_access(self._window.editor.textCursor().blockNumber() + 1)

    def _on_access(self, line: int) -> None:
        access = self._window.editor.gutter.access.at(line)
        if access is None:
            return
        self._window.editor.go_to(line, focus=False)
        if access.hazards:
            grave = [each for each in access.hazards if each.kind not in BENIGN]
            self.show_place(place_of_hazard((grave or list(access.hazards))[0]))
        elif access.sites and access.sites[0].tensors:
            self.show_place(MapPlace(access.sites[0].tensors[0]))

    def _show(self) -> None:
        self._window.docks.show("coverage")

    def _on_filled(self, name: str, view: QWidget) -> None:
        if name == "coverage":
            self._view = cast("CoverageView", view)
            settings = self._window.settings
            self._view.set_arrangement(cast("Arrangement", settings.coverage_arrangement))
            self._view.arrangementChanged.connect(self._keep)
            self._window.actions_table["view.accessMargin"].setChecked(settings.access_margin)
        elif name == "findings":
            cast("FindingsView", view).mapPlaceRequested.connect(self.show_place)

    def _keep(self, arrangement: str) -> None:
        self._window.settings.coverage_arrangement = arrangement
