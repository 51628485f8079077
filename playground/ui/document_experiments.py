"""Rules of thumb put to the test: what came with the program, and what was measured here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from playground.model.experiments import EXPERIMENTS, named
from playground.protocol import experiment_files, messages
from playground.protocol.experiments import ExperimentMeasured, MeasureExperiment

if TYPE_CHECKING:
    from playground.model.experiment import ExperimentResult
    from playground.model.experiments import Experiment
    from playground.protocol.messages import Reply
    from playground.ui.document import Document


class DocumentExperiments(QObject):
    """All experiments with their results; `selected` is the one looked at.

    `why` says why the last measurement gave nothing. Several are measured one after the other.
    """

    changed = Signal()

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self._document = document
        self.selected: Experiment = EXPERIMENTS[0]
        self.why = ""
        self.running = ""
        self._waiting: list[str] = []
        self._job = 0
        self._shipped: dict[str, ExperimentResult] = {}
        self._own: dict[str, ExperimentResult] = {}
        for item in EXPERIMENTS:
            for folder, kept in (
                (experiment_files.shipped_dir(), self._shipped),
                (experiment_files.own_dir(), self._own),
            ):
                for result in experiment_files.results(folder, item.name)[:1]:
                    kept[item.name] = result
        document.engineStateChanged.connect(self._on_engine)

    @property
    def waiting(self) -> int:
        """How many more are measured after the one that is under way."""
        return len(self._waiting)

    def can_measure(self) -> bool:
        """Tell whether there is a GPU to measure, and an engine that answers."""
        device = self._document.device
        return device is not None and device.mode == "gpu"

    def shipped(self, name: str) -> ExperimentResult | None:
        """Return the result that came with the program."""
        return self._shipped.get(name)

    def own(self, name: str) -> ExperimentResult | None:
        """Return the latest result measured by this user."""
        return self._own.get(name)

    def select(self, name: str) -> None:
        """Look at another experiment."""
        if name != self.selected.name:
            self.selected = named(name)
            self.changed.emit()

    def measure(self, *names: str) -> None:
        """Measure experiments on this machine's GPU, one after the other."""
        if not self.can_measure():
            return
        self.why = ""
        self._waiting += [n for n in names if n not in self._waiting and n != self.running]
        self._next()

    def measure_all(self) -> None:
        """Measure every experiment."""
        self.measure(*(item.name for item in EXPERIMENTS))

    def cancel(self) -> None:
        """Stop measuring."""
        self._waiting.clear()
        if self.running:
            self._document.work.cancel_job(self._job)
        self.changed.emit()

    # ------------------------------------------------------------------------------ inside

    def _next(self) -> None:
        if not self.running and self._waiting:
            self.running = self._waiting.pop(0)
            self._job = self._document.work.ask(
                MeasureExperiment(self.running), "experiment", self._take
            )
            text = f"measuring: {named(self.running).title}"
            self._document.progressChanged.emit(text, None)
        self.changed.emit()

    def _take(self, reply: Reply) -> None:
        if isinstance(reply, ExperimentMeasured):
            self._own[reply.result.name] = reply.result
            self.changed.emit()
        elif isinstance(reply, messages.Finished):
            name, self.running = self.running, ""
            if reply.findings:
                self.why = f"{named(name).title}: {reply.findings[0].message}"
            if reply.cancelled:
                self.why = "measuring was cancelled"
                self._waiting.clear()
            self._next()

    def _on_engine(self, state: str) -> None:
        if self.running and state in ("dead", "restarting"):
            self.running, self.why = "", "the engine ended while it was measuring"
            self._waiting.clear()
        self.changed.emit()
