"""What the document knows of time beyond its measurements: floors, comparisons, asked figures."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from playground.protocol import messages, timing
from playground.ui.rival_files import other_file

if TYPE_CHECKING:
    from playground.model.comparison import Comparison
    from playground.model.config import Config
    from playground.model.finding import Finding
    from playground.model.measurement import CacheMode, Energy, HostCost, Measurement
    from playground.ui.document import Document

BUDGET_MS = 1000.0
"""Measuring time of one comparison unless another is chosen; measuring more adds as much again."""

BUDGETS_MS = (250.0, 500.0, 1000.0, 2000.0, 5000.0)
"""Measuring times of a comparison that can be chosen."""

EXPRESSIONS = 20
"""Expressions that are remembered."""


@dataclass(frozen=True)
class Rival:
    """What a launch is compared with: another config, or else an expression.

    The expression is Python code over the launch's arguments, `reference`, or `other.py:1`.
    """

    config: Config | None = None
    expression: str = ""


class DocumentTiming(QObject):
    """Asks for what is told about time, and keeps it until the next run."""

    floorChanged = Signal()
    comparisonChanged = Signal()
    expressionsChanged = Signal()
    budgetChanged = Signal()
    figuresChanged = Signal()

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self._document = document
        self.comparison: Comparison | None = None
        self.compared: timing.Compare | None = None
        self.comparing: timing.Compare | None = None
        self.problem = ""
        self.expressions: tuple[str, ...] = ()
        self.budget_ms = BUDGET_MS
        self._floors: dict[tuple[int, CacheMode], float] = {}
        self._floors_asked: set[tuple[int, CacheMode]] = set()
        self._hosts: dict[tuple[int, Config], HostCost] = {}
        self._energies: dict[tuple[int, Config], Energy] = {}
        self._refusals: dict[tuple[type, int, Config], str] = {}
        self._asked: set[type] = set()
        self._job = 0
        document.launchesChanged.connect(self._forget)
        document.engineStateChanged.connect(self._on_engine)
        document.work.idle.connect(self._ask_floor)

    # ------------------------------------------------------------------------- noise floor

    def floor(self, launch: int, cache: CacheMode) -> float | None:
        """Return how far two runs of a launch differ (relative), or None before it was measured."""
        return self._floors.get((launch, cache))

    def floor_of(self, measurement: Measurement | None) -> float | None:
        """Return the noise floor that holds for a measurement."""
        return None if measurement is None else self.floor(measurement.launch, measurement.cache)

    def _ask_floor(self) -> None:
        document, measurement = self._document, self._document.measurement
        if not self.has_gpu or measurement is None or not document.is_current(measurement):
            return
        if measurement.cache != document.cache or document.is_rejected(measurement):
            return
        key = (measurement.launch, measurement.cache)
        if key in self._floors_asked:
            return
        self._floors_asked.add(key)
        request = timing.GetFloor(measurement.launch, measurement.config, measurement.cache)
        document.work.ask(request, "floor", partial(self._take_floor, key))

    def _take_floor(self, key: tuple[int, CacheMode], reply: Any) -> None:
        if isinstance(reply, timing.Floor):
            self._keep_floor(key, reply.floor)
        elif reply.cancelled:
            # It made way for the user's work, and is asked for again when that is done.
            self._floors_asked.discard(key)

    def _keep_floor(self, key: tuple[int, CacheMode], floor: float) -> None:
        self._floors_asked.add(key)
        if self._floors.get(key) != floor:
            self._floors[key] = floor
            self.floorChanged.emit()

    # ------------------------------------------------------------------------- comparisons

    @property
    def has_gpu(self) -> bool:
        """Whether there is a GPU whose time can be told."""
        device = self._document.device
        return device is not None and device.mode == "gpu"

    def set_budget(self, budget_ms: float) -> None:
        """Choose the measuring time of the next comparison, and of measuring more."""
        if budget_ms != self.budget_ms:
            self.budget_ms = budget_ms
            self.budgetChanged.emit()

    def compare(self, rival: Rival) -> None:
        """Time the config shown in turns with `rival`; a comparison at work is cancelled."""
        document = self._document
        if document.launch is None:
            return
        if not document.may_execute(
            other_file(rival.expression, document.path), lambda: self.compare(rival)
        ):
            return
        self._remember(rival.expression)
        self._start(
            timing.Compare(
                document.launch_index, document.config, rival.config, rival.expression,
                document.cache, self.budget_ms,
            )
        )  # fmt: skip

    def compare_with_baseline(self) -> None:
        """Time the config shown in turns with the pinned one."""
        baseline = self._document.baseline
        if baseline is not None and baseline.launch == self._document.launch_index:
            self.compare(Rival(baseline.config))

    def _remember(self, expression: str) -> None:
        """Keep what was typed, newest first."""
        if expression and expression != "reference" and ".py:" not in expression:
            others = (each for each in self.expressions if each != expression)
            self.expressions = (expression, *others)[:EXPRESSIONS]
            self.expressionsChanged.emit()

    def measure_more(self) -> None:
        """Add rounds to the comparison shown."""
        done = self.compared
        if done is None or self.comparing is not None:
            return
        self._start(
            timing.Compare(
                done.launch, done.config, done.against, done.expression, done.cache,
                self.budget_ms, self.comparison,
            )
        )  # fmt: skip

    def cancel_comparison(self) -> None:
        """Stop the comparison at work; what was there before stays."""
        if self.comparing is not None:
            self._document.work.cancel_job(self._job)

    def _start(self, request: timing.Compare) -> None:
        self.cancel_comparison()
        self.problem = ""
        self.comparing = request
        self._job = self._document.work.ask(request, "compare", partial(self._take, request))
        self.comparisonChanged.emit()

    def _take(self, request: timing.Compare, reply: Any) -> None:
        if self.comparing is not request:
            return
        if isinstance(reply, timing.Compared):
            self.comparison, self.compared = reply.comparison, request
            if reply.comparison.floor:
                self._keep_floor((request.launch, request.cache), reply.comparison.floor)
        elif isinstance(reply, messages.Finished):
            self.comparing = None
            self.problem = _told(reply.findings)
            self.comparisonChanged.emit()

    # --------------------------------------------------------------------- asked-for figures

    def host_cost(self, launch: int, config: Config) -> HostCost | None:
        """Return what a launch costs the host, if that was asked for."""
        return self._hosts.get((launch, config))

    def energy(self, launch: int, config: Config) -> Energy | None:
        """Return what a launch uses, if that was asked for."""
        return self._energies.get((launch, config))

    def refusal(self, kind: type, launch: int, config: Config) -> str:
        """Return why a figure could not be told, or an empty text."""
        return self._refusals.get((kind, launch, config), "")

    def is_asked(self, kind: type) -> bool:
        """Tell whether `GetHostCost` or `GetEnergy` is on its way."""
        return kind in self._asked

    def ask_host_cost(self) -> None:
        """Ask what the launch shown costs the host."""
        self._ask_figure(timing.GetHostCost)

    def ask_energy(self) -> None:
        """Ask for the energy of the launch shown."""
        self._ask_figure(timing.GetEnergy)

    def _ask_figure(self, kind: type[timing.GetHostCost | timing.GetEnergy]) -> None:
        document = self._document
        if document.launch is None or kind in self._asked:
            return
        self._asked.add(kind)
        request = kind(document.launch_index, document.config)
        self._refusals.pop((kind, request.launch, request.config), None)
        document.work.ask(request, "figure", partial(self._take_figure, request))
        self.figuresChanged.emit()

    def _take_figure(self, request: timing.GetHostCost | timing.GetEnergy, reply: Any) -> None:
        if isinstance(reply, timing.HostCosts):
            self._hosts[(reply.launch, reply.config)] = reply.cost
        elif isinstance(reply, timing.Energies):
            self._energies[(reply.launch, reply.config)] = reply.energy
        elif isinstance(reply, messages.Finished):
            kind = type(request)
            self._asked.discard(kind)
            if reply.findings:
                key = (kind, request.launch, request.config)
                self._refusals[key] = _told(reply.findings)
            self.figuresChanged.emit()

    # ------------------------------------------------------------------------- forgetting

    def _forget(self) -> None:
        """Forget what was found of the launches of an earlier run."""
        self.cancel_comparison()
        self.comparison = self.compared = self.comparing = None
        self.problem = ""
        for known in (self._floors, self._hosts, self._energies, self._refusals):
            known.clear()
        self._floors_asked.clear()
        self._asked.clear()
        self.floorChanged.emit()
        self.comparisonChanged.emit()
        self.figuresChanged.emit()

    def _on_engine(self, state: str) -> None:
        if state in ("dead", "restarting"):
            self.comparing = None
            self._asked.clear()
            self._floors_asked = set(self._floors)
            self.comparisonChanged.emit()
            self.figuresChanged.emit()


def _told(findings: tuple[Finding, ...]) -> str:
    """Return what ended a piece of work, in one text."""
    if not findings:
        return ""
    first = findings[0]
    return f"{first.message}: {first.hint}" if first.hint else first.message
