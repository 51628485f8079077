"""What the actions about time do: they bring the panel that shows it forward, and ask."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject

if TYPE_CHECKING:
    from playground.ui.views.compare import CompareView
    from playground.ui.views.timings import TimingsView
    from playground.ui.window import MainWindow


class TimingVerbs(QObject):
    """Verbs of one window; its settings remember the expressions that were compared with."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._timing = window.document.timing
        self._timing.expressions = tuple(window.settings.expressions)
        self._timing.expressionsChanged.connect(self._keep)
        kept_ms = window.settings.compare_budget_ms
        self._timing.budget_ms = kept_ms or self._timing.budget_ms
        self._timing.budgetChanged.connect(self._keep_budget)

    def _keep(self) -> None:
        self._window.settings.expressions = list(self._timing.expressions)

    def _keep_budget(self) -> None:
        self._window.settings.compare_budget_ms = self._timing.budget_ms

    def compare(self) -> None:
        """Show the panel that compares, ready for an expression."""
        self._show_compare("")

    def compare_with_baseline(self) -> None:
        """Compare with the pinned baseline."""
        self._show_compare("baseline")
        self._timing.compare_with_baseline()

    def compare_with_reference(self) -> None:
        """Compare with the file's `reference`."""
        self._show_compare("reference")
        from playground.ui.document_timing import Rival  # with it come the messages, and numpy

        self._timing.compare(Rival(expression="reference"))

    def measure_more(self) -> None:
        """Add rounds to the comparison shown."""
        self._show_compare("")
        self._timing.measure_more()

    def toggle_cache(self) -> None:
        """Measure with a cold L2 instead of a warm one, or the other way round."""
        document = self._window.document
        document.set_cache("warm" if document.cache == "cold" else "cold")

    def host_cost(self) -> None:
        """Measure what the launch costs the host."""
        self._show_figures()
        self._timing.ask_host_cost()

    def energy(self) -> None:
        """Measure the energy of the launch."""
        self._show_figures()
        self._timing.ask_energy()

    def _show_compare(self, kind: str) -> None:
        self._window.docks.show("compare")
        view = cast("CompareView | None", self._window.docks.views.get("compare"))
        if view is not None and kind:
            view.chooser.choose(kind)

    def _show_figures(self) -> None:
        self._window.docks.show("timings")
        view = cast("TimingsView | None", self._window.docks.views.get("timings"))
        if view is not None:
            view.ask_more()
