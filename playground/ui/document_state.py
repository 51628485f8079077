"""What the document holds: the file, launches, knobs and results, and the signals of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from playground.model.config import Config
from playground.model.matching import line_map
from playground.model.outline import Outline
from playground.ui.document_file import DocumentFile
from playground.ui.finding_store import FindingStore
from playground.ui.history import History
from playground.ui.knob_undo import Moved, moved

if TYPE_CHECKING:
    from playground.model.check import CheckResult
    from playground.model.compiling import CompileReport
    from playground.model.coverage import Coverage
    from playground.model.device import DeviceInfo
    from playground.model.finding import Finding
    from playground.model.knobs import Knob, KnobValue
    from playground.model.launch import Launch
    from playground.model.measurement import CacheMode, Measurement
    from playground.model.outline import Driver
    from playground.ui.engine_port import EnginePort
    from playground.ui.engine_work import EngineWork


MayExecute = Callable[[str, Callable[[], None]], bool]


def _always(_path: str, _again: Callable[[], None]) -> bool:
    return True


class DocumentState(QObject):
    """The fields of `Document` and the signals that tell of their changes.

    `simulated` is what the last run said of a GPU that it only pretended to have.
    `measurement`, `check`, `compile_report` and `coverage` belong to the config they carry, which
    while the knobs move can be an older one than `config`; `is_current` tells. `stages_reached` are
    those whose text can be shown, also where compiling failed.
    """

    aboutToOpen = Signal()
    opened = Signal()
    pathChanged = Signal(str)
    textReplaced = Signal(str)
    dirtyChanged = Signal(bool)
    changedOnDisk = Signal(str)
    deletedOnDisk = Signal(str)
    edited = Signal()
    outlineChanged = Signal()
    driverChanged = Signal()
    launchesChanged = Signal()
    launchSelected = Signal(int)
    knobsChanged = Signal()
    configChanged = Signal()
    compiledChanged = Signal()
    checkedChanged = Signal()
    measuredChanged = Signal()
    coveredChanged = Signal()
    historyChanged = Signal()
    baselineChanged = Signal()
    findingsChanged = Signal()
    deviceChanged = Signal()
    engineStateChanged = Signal(str)
    progressChanged = Signal(str, object)
    targetChanged = Signal(str)
    cacheChanged = Signal(str)
    sweepBegun = Signal()
    exported = Signal(object)
    runOptionsChanged = Signal()
    unusableChanged = Signal()

    work: EngineWork

    def __init__(self, engine: EnginePort, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.engine = engine
        self.may_execute: MayExecute = _always
        """Asked before a file is executed; given the file, and what to do once it is allowed."""
        self.file = DocumentFile(self)
        self.text = ""
        self.dirty = False
        self.outline = Outline()
        self.driver: Driver | None = None
        self.sizes: dict[str, int] = {}
        self.launches: tuple[Launch, ...] = ()
        self.launch_index = 0
        self.config = Config()
        self.revision = 0
        self.compile_report: CompileReport | None = None
        self.check: CheckResult | None = None
        self.checked_config: Config | None = None
        self.measurement: Measurement | None = None
        self.coverage: Coverage | None = None
        self.baseline: Measurement | None = None
        self.baseline_report: CompileReport | None = None
        self.device: DeviceInfo | None = None
        self.targets: tuple[str, ...] = ()
        self.target = ""
        self.cache: CacheMode = "cold"
        self.run_result = ""
        self.simulated = ""
        self.run_benchmarks = False
        self.run_tuning = False
        self._unusable: dict[tuple[int, str], dict[Config, str]] = {}
        self._not_compiled: tuple[int, Config] | None = None
        self.stages_reached: tuple[str, ...] = ()
        self._unlocked: set[tuple[str, str]] = set()
        self._configs: dict[int, Config] = {}
        self._moved: dict[int, Moved] = {}
        self._index_before = 0
        self._drag_start: Config | None = None
        self.last_knob: str | None = None
        self._history = History()
        self._findings = FindingStore()
        self._lines_of = ("", "")
        self._lines: dict[int, int] = {}

    # ------------------------------------------------------------------------------ fields

    @property
    def path(self) -> str:
        """Absolute path of the open file, or empty for a new one."""
        return self.file.path

    def is_open(self, file: str | None) -> bool:
        """Tell whether a place in `file` is one of the text shown; no file means this one."""
        if not file or not self.path:
            return True
        if os.path.basename(file) == file:
            return os.path.basename(self.path) == file
        return os.path.realpath(file) == os.path.realpath(self.path)

    @property
    def launch(self) -> Launch | None:
        """The selected launch, or None before anything ran."""
        return self.launches[self.launch_index] if self.launches else None

    @property
    def history(self) -> list[Measurement]:
        """Measurements of this file, oldest first."""
        return self._history.items

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings that hold now, errors first, at their lines in the text as it stands."""
        return self._findings.merged(self._moved_lines(), self.path or "untitled.py")

    def findings_in_text(self) -> tuple[Finding, ...]:
        """Return the findings without those that a run had about lines changed since."""
        return self._findings.merged(self._moved_lines(), self.path or "untitled.py", changed=False)

    def _moved_lines(self) -> dict[int, int] | None:
        """Return where the lines that ran are in the text now, None where they did not move."""
        texts = (self.work.ran_text, self.text)
        if texts[0] in ("", texts[1]):
            return None
        if self._lines_of != texts:
            self._lines_of, self._lines = texts, line_map(*texts)
        return self._lines

    @property
    def engine_state(self) -> str:
        """The engine's state, one of `engine_port.STATES`."""
        return self.engine.state

    def is_current(self, result: CompileReport | Measurement | Coverage | None) -> bool:
        """Tell whether `result` belongs to the selected launch under the config shown now."""
        return (
            result is not None
            and result.launch == self.launch_index
            and result.config == self.config
        )

    def unusable_values(self, knob: Knob) -> dict[KnobValue, str]:
        """Return the values of `knob` that can't run beside the other knobs as they stand, and why.

        Only what compiling has found so far, for the target chosen.
        """
        known = self._unusable.get((self.launch_index, self.target), {})
        found: dict[KnobValue, str] = {}
        if knob.name in self.config:
            for config, reason in known.items():
                if (
                    knob.name in config
                    and self.config.with_value(knob.name, config[knob.name]) == config
                ):
                    found[config[knob.name]] = reason
        return found

    @property
    def refusal(self) -> str:
        """Why the config shown can't run on the target chosen, as compiling found; else empty."""
        return self._unusable.get((self.launch_index, self.target), {}).get(self.config, "")

    @property
    def failed_to_compile(self) -> bool:
        """Whether compiling the config shown came to no report."""
        return self._not_compiled == (self.launch_index, self.config)

    @property
    def configs(self) -> dict[int, Config]:
        """The config shown of each launch that was looked at, by its index."""
        return dict(self._configs)

    @property
    def moved_before(self) -> dict[int, Moved]:
        """Knobs that were moved before the last run, or in another session; the next takes them."""
        return dict(self._moved)

    @property
    def unlocked(self) -> set[tuple[str, str]]:
        """Kernels and knobs that are bound to the data, and were freed."""
        return set(self._unlocked)

    def is_unlocked(self, name: str) -> bool:
        """Tell whether the user has unlocked a knob that is bound to the data."""
        launch = self.launch
        return launch is not None and (launch.kernel, name) in self._unlocked

    def set_findings(self, key: str, findings: tuple[Finding, ...]) -> None:
        """Replace the findings of one source (`compile`, `run`, `file` …)."""
        if self._findings.put(key, findings):
            self.findingsChanged.emit()

    def clear_baseline(self) -> None:
        """Unpin the baseline."""
        if self.baseline is not None:
            self.baseline = None
            self.baseline_report = None
            self.baselineChanged.emit()

    def _forget_results(self) -> None:
        had_launches = bool(self.launches)
        if had_launches:
            # For the next run, whether of this engine or of the one after it.
            self._moved = moved(self.launches, self._configs)
            self._index_before = self.launch_index
        self.launches = ()
        self.launch_index = 0
        self._configs = {}
        self._unusable = {}
        self._not_compiled = None
        self.config = Config()
        self._drag_start = None
        self.revision += 1
        self.compile_report = None
        self.check = None
        self.checked_config = None
        self.measurement = None
        self.coverage = None
        for key in ("compile", "check", "measure", "coverage", "sweep", "export"):
            self._findings.put(key, ())
        if had_launches:
            self.launchesChanged.emit()
            self.knobsChanged.emit()
            self.configChanged.emit()
            self.compiledChanged.emit()
            self.checkedChanged.emit()
            self.measuredChanged.emit()
            self.coveredChanged.emit()
            self.unusableChanged.emit()
        self.findingsChanged.emit()
