"""What the actions of sweeps do: they bring the panel forward, at the view they are about."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject

if TYPE_CHECKING:
    from playground.ui.views.sweep import SweepView
    from playground.ui.window import MainWindow


class SweepVerbs(QObject):
    """Verbs of one window."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window

    def show(self, view: str) -> None:
        """Look at a view of the sweep panel by its name."""
        self._window.docks.show("sweep")
        panel = cast("SweepView | None", self._window.docks.views.get("sweep"))
        if panel is not None:
            panel.show_view(view)

    def show_setup(self) -> None:
        """Choose what to try."""
        self.show("setup")

    def pause(self) -> None:
        """Let the sweep wait, or go on."""
        sweep = self._window.document.sweep
        sweep.pause(not sweep.paused)

    def go_on(self) -> None:
        """Try what the last sweep of this launch has left."""
        self._window.document.sweep.start(resume=True)

    def apply_best(self) -> None:
        """Set the knobs to the winner of the sweep shown."""
        sweep = self._window.document.sweep
        best = sweep.best()
        if best is not None:
            sweep.apply(best.config)

    def show_past(self) -> None:
        """List the sweeps that were kept."""
        self._window.document.sweep.past.refresh()
        self.show("past")

    def compare(self) -> None:
        """Put the last two sweeps of this kernel side by side, or let two be chosen."""
        self._window.document.sweep.past.compare_latest()
        self.show("compare")
