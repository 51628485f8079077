"""Past sweeps: the list of the store, one opened again, two side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from playground.model.sweep_compare import compare_sweeps
from playground.protocol import messages

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.model.past_sweep import PastSweep
    from playground.model.sweep import SweepResult
    from playground.model.sweep_compare import SweepComparison
    from playground.ui.document import Document
    from playground.ui.document_sweep import DocumentSweep


class SweepPast(QObject):
    """Asks the engine's store; `sweeps` are the newest first.

    `comparison` is of the two sweeps `before` and `after`, None until both are here.
    """

    listChanged = Signal()
    comparisonChanged = Signal()

    def __init__(self, sweep: DocumentSweep, document: Document) -> None:
        super().__init__(sweep)
        self._sweep, self._document = sweep, document
        self.sweeps: tuple[PastSweep, ...] = ()
        self.note = ""
        self.problem = ""
        self.before: PastSweep | None = None
        self.after: PastSweep | None = None
        self.comparison: SweepComparison | None = None
        self._results: dict[int, SweepResult] = {}
        self._wanted = False
        document.engineStateChanged.connect(self._on_engine)

    # ------------------------------------------------------------------------------ the list

    def refresh(self) -> None:
        """Ask for the list; it comes as soon as the engine is there."""
        self._wanted = True
        if self._document.engine_state in ("ready", "busy"):
            self._wanted = False
            self._document.work.query(messages.GetSweeps(), self._take)

    def of_this(self) -> tuple[PastSweep, ...]:
        """Return the sweeps of the launch's own kernel, the newest first."""
        launch = self._document.launch
        return tuple(one for one in self.sweeps if launch is not None and one.kernel == (
            launch.kernel))  # fmt: skip

    def named(self, number: int) -> PastSweep | None:
        """Return a sweep of the list by its number."""
        return next((one for one in self.sweeps if one.number == number), None)

    def _take(self, reply: messages.Sweeps) -> None:
        self.sweeps, self.note = reply.sweeps, reply.note
        # What is still under way, or was told of anew, is read again when it is wanted.
        self._results.clear()
        self.listChanged.emit()

    def _on_engine(self, state: str) -> None:
        if state == "ready" and self._wanted:
            self.refresh()

    def forget(self) -> None:
        """Forget what was compared: another file is open."""
        self.before = self.after = self.comparison = None
        self.problem = ""
        self.comparisonChanged.emit()

    # ------------------------------------------------------------------------------ opening

    def open(self, number: int) -> None:
        """Show a past sweep in all views."""

        def take(sweep: PastSweep, result: SweepResult) -> None:
            self._sweep.show_past(sweep, result)

        self._fetch(number, take)

    def go_on(self, number: int) -> None:
        """Set up a sweep that was cut short as it was, and try what is left of it."""
        sweep = self.named(number)
        if sweep is None:
            return
        self.problem = self._sweep.take_setup(sweep)
        if not self.problem:
            self._sweep.start(resume=True)
        self.listChanged.emit()

    def compare(self, before: int, after: int) -> None:
        """Put two sweeps side by side."""
        self.before, self.after = self.named(before), self.named(after)
        self.comparison = None
        self.comparisonChanged.emit()
        for number in (before, after):
            self._fetch(number, lambda _sweep, _result: self._compare())

    def compare_latest(self) -> None:
        """Put the last two sweeps of this kernel side by side, where nothing is compared yet."""
        known = self.of_this()
        if self.before is None and len(known) > 1:
            self.compare(known[1].number, known[0].number)

    def _compare(self) -> None:
        if self.before is None or self.after is None:
            return
        results = [self._results.get(one.number) for one in (self.before, self.after)]
        if results[0] is not None and results[1] is not None:
            self.comparison = compare_sweeps(results[0], results[1])
            self.comparisonChanged.emit()

    def _fetch(self, number: int, then: Callable[[PastSweep, SweepResult], None]) -> None:
        known, sweep = self._results.get(number), self.named(number)
        if known is not None and sweep is not None:
            then(sweep, known)
            return

        def take(reply: messages.OpenedSweep) -> None:
            self.problem = reply.problem
            if reply.sweep is not None and reply.result is not None:
                self._results[number] = reply.result
                then(reply.sweep, reply.result)
            self.listChanged.emit()

        self._document.work.query(messages.OpenSweep(number), take)
