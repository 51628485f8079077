"""What comes of the engine's work: results taken over by the document, and questions about them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from playground.protocol import messages
from playground.ui.document_state import DocumentState

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.model.config import Config
    from playground.model.coverage import Coverage
    from playground.model.measurement import Measurement
    from playground.protocol.messages import Paint, PlaneView


class DocumentResults(DocumentState):
    """Takes what `EngineWork` hands over, and asks for details of what is shown."""

    def take_ready(self, ready: messages.Ready) -> None:
        """Take what a fresh engine runs on."""
        self.device = ready.device
        self.targets = ready.targets
        if not self.target:
            self.target = ready.device.target
            self.targetChanged.emit(self.target)
        self.deviceChanged.emit()

    def take_compiled(self, reply: messages.Compiled) -> None:
        """Take a compile report."""
        report = self.compile_report = reply.report
        self.stages_reached = reply.stages if report is None else report.stages
        self._not_compiled = None if report else (self.launch_index, self.config)
        if report is not None:
            self._judge(report.config, rejected=not report.fits, by="compiler")
        else:
            # Where the compiler did not even reach the kernel, nothing is known of the config.
            self._judge(self.config, rejected=bool(self.refusal), by="compiler")
        self.set_findings("compile", reply.findings)
        self.compiledChanged.emit()

    def take_checked(self, reply: messages.Checked) -> None:
        """Take a verdict, and mark the knobs it found to be dictated by the data."""
        self.check = reply.result
        self.checked_config = reply.config
        self._judge(reply.config, rejected=reply.result.status == "wrong", by="check")
        self.set_findings("check", reply.findings)
        self._mark_derived(reply.derived)
        self.checkedChanged.emit()

    def take_unusable(self, reply: messages.Unusable) -> None:
        """Take configs that cannot run on a target, as compiling found."""
        known = self._unusable.setdefault((reply.launch, reply.target), {})
        before = len(known)
        known.update(zip(reply.configs, reply.reasons, strict=True))
        if len(known) != before:
            self.unusableChanged.emit()

    def is_rejected(self, measurement: Measurement) -> bool:
        """Tell whether `measurement` is of a config found wrong, or one that cannot be launched."""
        return self._history.is_rejected(measurement)

    def doubt_about(self, measurement: Measurement) -> str:
        """Return why the time of a measurement counts for nothing, empty when it counts."""
        judges = self._history.rejected_by(measurement)
        if "check" in judges:
            return "of a wrong result"
        return f"of a config that cannot run on {self.target}" if judges else ""

    def _judge(self, config: Config, *, rejected: bool, by: str) -> None:
        self._history.judge(self.launch_index, config, rejected=rejected, by=by)
        self.historyChanged.emit()

    def take_measured(self, reply: messages.Measured, *, current: bool) -> None:
        """Take a measurement; an outdated one goes to the history only, where it is still true."""
        if reply.measurement is not None:
            self._history.add(self._with_bytes(reply.measurement, self.coverage))
            self.historyChanged.emit()
        if current:
            self.set_findings("measure", reply.findings)
            self.measurement = self._history.items[-1] if reply.measurement is not None else None
            self.measuredChanged.emit()

    def take_covered(self, reply: messages.Covered) -> None:
        """Take a coverage, and give its bytes to the measurement of the same config."""
        self.coverage = reply.coverage
        self.set_findings("coverage", reply.findings)
        self.coveredChanged.emit()
        old = self.measurement
        if old is None:
            return
        counted = self._with_bytes(old, reply.coverage)
        if counted is not old:
            self.measurement = counted
            self._history.update(old, counted)
            self.measuredChanged.emit()
            self.historyChanged.emit()

    def lose_engine(self) -> None:
        """Forget what lived in the engine that is gone; moved knobs wait for the next run."""
        self._forget_results()

    def drop_moved(self) -> str:
        """Have the launch shown start from its own config in the next run; return its kernel.

        Empty where its knobs had not been moved.
        """
        if self.launches:
            self._forget_results()
        dropped = self._moved.pop(self._index_before, None)
        return dropped.kernel if dropped is not None else ""

    @staticmethod
    def _with_bytes(measurement: Measurement, coverage: Coverage | None) -> Measurement:
        if (
            coverage is None
            or measurement.bytes_unique is not None
            or (coverage.launch, coverage.config) != (measurement.launch, measurement.config)
        ):
            return measurement
        return replace(
            measurement,
            bytes_requested=coverage.bytes_requested,
            bytes_unique=coverage.bytes_unique,
            flops=coverage.flops,
        )

    def _mark_derived(self, names: tuple[str, ...]) -> None:
        launch = self.launch
        if launch is None or not set(names) - {knob.name for knob in launch.knobs if knob.derived}:
            return
        knobs = tuple(
            knob.marked_derived("another value breaks the result")
            if knob.name in names and not knob.derived
            else knob
            for knob in launch.knobs
        )
        # A knob that the hand has moved already is not taken from it: the note is enough.
        self._unlocked |= {
            (launch.kernel, name)
            for name in names
            if name in self.config and self.config[name] != launch.config[name]
        }
        launches = list(self.launches)
        launches[self.launch_index] = replace(launch, knobs=knobs)
        self.launches = tuple(launches)
        self.knobsChanged.emit()

    # ------------------------------------------------------------------------------ queries

    def request_plane(
        self, tensor: str, paint: Paint, view: PlaneView, callback: Callable[[messages.Plane], None]
    ) -> None:
        """Ask for the picture of a covered tensor; of the coverage shown, not of the knobs."""
        if (shown := self.coverage) is not None:
            self.work.query(
                messages.GetPlane(shown.launch, shown.config, tensor, paint, view), callback
            )

    def request_element(
        self,
        tensor: str,
        row: int,
        column: int,
        slices: tuple[int, ...],
        callback: Callable[[messages.Element], None],
    ) -> None:
        """Ask for the exact counters of one element of the coverage shown."""
        if (shown := self.coverage) is not None:
            self.work.query(
                messages.GetElement(shown.launch, shown.config, tensor, row, column, slices),
                callback,
            )

    def request_program(
        self,
        tensor: str,
        program: int,
        view: PlaneView,
        callback: Callable[[messages.ProgramFootprint], None],
    ) -> None:
        """Ask what one program of the coverage shown touches in `tensor`."""
        if (shown := self.coverage) is not None:
            self.work.query(
                messages.GetProgram(shown.launch, shown.config, tensor, program, view), callback
            )

    def request_ir(
        self,
        stage: str,
        callback: Callable[[messages.Ir], None],
        config: Config | None = None,
        target: str | None = None,
    ) -> None:
        """Ask for one stage's text of the config shown, or of another one and target."""
        if self.launch is not None:
            self.work.query(
                messages.GetIr(
                    self.launch_index,
                    config or self.config,
                    stage,
                    target or self.work.wire_target(),
                ),
                callback,
            )
