"""What the actions about programs and their tile maps do."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from playground.ui.views.coverage import CoverageView
    from playground.ui.views.map_grid import Arrangement
    from playground.ui.window import MainWindow


class CoverageVerbs(QObject):
    """Verbs of one window; its settings remember how the maps stand."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._view: CoverageView | None = None
        window.docks.filled.connect(self._on_filled)

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

    def arrange(self) -> None:
        """Stand the maps in the next way."""
        self._show()
        if self._view is not None:
            ways: tuple[Arrangement, ...] = ("one", "large", "all")
            now = ways.index(self._view.grid.arrangement)
            self._view.set_arrangement(ways[(now + 1) % len(ways)])

    def _show(self) -> None:
        self._window.docks.show("coverage")

    def _on_filled(self, name: str, view: QWidget) -> None:
        if name == "coverage":
            self._view = cast("CoverageView", view)
            settings = self._window.settings
            self._view.set_arrangement(cast("Arrangement", settings.coverage_arrangement))
            self._view.arrangementChanged.connect(self._keep)

    def _keep(self, arrangement: str) -> None:
        self._window.settings.coverage_arrangement = arrangement
