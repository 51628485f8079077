"""The document: the one place that knows the open file, its launches, knobs and results."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from playground.model.config import Config, validated
from playground.model.knobs import KnobError, KnobValue, validate
from playground.protocol import messages
from playground.ui.document_telemetry import Telemetry
from playground.ui.document_text import DocumentText
from playground.ui.document_timing import DocumentTiming
from playground.ui.engine_work import EngineWork
from playground.ui.knob_undo import KnobHistory, KnobStep, carried_over

if TYPE_CHECKING:
    from PySide6.QtCore import QObject

    from playground.model.measurement import CacheMode, Measurement
    from playground.protocol.messages import Step
    from playground.ui.curves_choice import SetupStore
    from playground.ui.document_advice import DocumentAdvice
    from playground.ui.document_compiler import DocumentCompiler
    from playground.ui.document_curves import DocumentCurves
    from playground.ui.document_debugging import DocumentDebugging
    from playground.ui.document_editing import DocumentEditing
    from playground.ui.document_experiments import DocumentExperiments
    from playground.ui.document_nsight import DocumentNsight
    from playground.ui.document_programs import DocumentPrograms
    from playground.ui.document_roofline import DocumentRoofline
    from playground.ui.document_sweep import DocumentSweep
    from playground.ui.engine_port import EnginePort
    from playground.ui.kernel_remote import RemotePlace

SIMULATED = "the GPU is simulated"
"""How a run's finding begins that tells of tensors which only seem to be on a GPU."""

DRAG_BUDGET_MS = 30.0
FULL_BUDGET_MS = 200.0
SAMPLE_PROGRAMS = 64
"""Programs of a sample: enough to see the pattern, quick for any kernel."""


class Document(DocumentText):
    """All state of one open file; widgets call its verbs and redraw from its fields on its signals.

    Parameters
    ----------
    number
        What the engine knows the file by; no other file of the window ever has the same.
    """

    def __init__(self, engine: EnginePort, parent: QObject | None = None, number: int = 0) -> None:
        super().__init__(engine, parent)
        self.number = number
        self.knob_history = KnobHistory(self.restore_config, self)
        self.work = EngineWork(self, engine)
        self.timing = DocumentTiming(self)
        self.telemetry = Telemetry(self)
        self.setup_store: SetupStore | None = None
        """Where the window keeps what curves are drawn over and what is swept, by file."""
        self.progress: tuple[str, float | None] = ("", None)
        """What was last said of the work at hand; an empty text while there is none."""
        self.progressChanged.connect(self._keep_progress)
        engine.stateChanged.connect(self.engineStateChanged)

    # Parts of the document that the window does not need to start with.

    @cached_property
    def curves(self) -> DocumentCurves:
        """Problem-size curves: what to time over which sizes, and what came of it."""
        from playground.ui.document_curves import DocumentCurves

        return DocumentCurves(self)

    @cached_property
    def sweep(self) -> DocumentSweep:
        """The sweep: what to try, what came of it, past ones."""
        from playground.ui.document_sweep import DocumentSweep

        return DocumentSweep(self)

    @cached_property
    def roofline(self) -> DocumentRoofline:
        """The ceilings of a GPU, and where the launch stands under them."""
        from playground.ui.document_roofline import DocumentRoofline

        return DocumentRoofline(self)

    @cached_property
    def advice(self) -> DocumentAdvice:
        """What an expert would say of the launch, and what was tried of it."""
        from playground.ui.document_advice import DocumentAdvice

        return DocumentAdvice(self)

    @cached_property
    def nsight(self) -> DocumentNsight:
        """What Nsight Compute says of the launch."""
        from playground.ui.document_nsight import DocumentNsight

        return DocumentNsight(self)

    @cached_property
    def experiments(self) -> DocumentExperiments:
        """Rules of thumb, put to the test on this machine's GPU or on another."""
        from playground.ui.document_experiments import DocumentExperiments

        return DocumentExperiments(self)

    @cached_property
    def programs(self) -> DocumentPrograms:
        """Which programs of the launch are looked at, and where and when they ran."""
        from playground.ui.document_programs import DocumentPrograms

        return DocumentPrograms(self)

    @cached_property
    def debugging(self) -> DocumentDebugging:
        """One program stepped through, run alone, compared."""
        from playground.ui.document_debugging import DocumentDebugging

        return DocumentDebugging(self)

    @property
    def is_debugging(self) -> bool:
        """Whether a program is stepped through; asking makes no debugger."""
        return "debugging" in vars(self) and self.debugging.active

    @cached_property
    def compiler(self) -> DocumentCompiler:
        """What the compiler made of the launch: by line, by pass, in pairs, for many targets."""
        from playground.ui.document_compiler import DocumentCompiler

        return DocumentCompiler(self)

    @cached_property
    def editing(self) -> DocumentEditing:
        """What is known of the text before it runs."""
        from playground.ui.document_editing import DocumentEditing

        return DocumentEditing(self)

    # ------------------------------------------------------------------------------ engine

    def set_shown(self, on: bool) -> None:
        """Take note that the file's tab came to the front, or went behind another one."""
        self.work.set_shown(on)

    def _keep_progress(self, text: str, fraction: float | None) -> None:
        self.progress = (text, fraction)

    def close(self) -> None:
        """Stop the document's timers and file watch; the engine is shut down by its owner."""
        self._outline_timer.stop()
        self.file.close()
        self.telemetry.stop()
        if "editing" in vars(self):
            self.editing.close()
        if "sweep" in vars(self):
            self.sweep.close()
        self.work.close()

    def interrupt(self) -> None:
        """Interrupt what the engine runs now; it stays alive with all it holds."""
        self.work.queue.cancel_all()
        self.engine.interrupt()
        self.work.expect_rest()

    def restart(self) -> None:
        """Replace the engine by a fresh one; what ran well runs again, knobs as they stand.

        A run that is still at work, as one that never ends, is not begun again.
        """
        self.work.plan_restart()
        self._forget_results()
        self.engine.restart()

    def move_engine(self, place: RemotePlace | None) -> None:
        """Go on with an engine at another place (None: here); what ran well runs again there."""
        self.work.plan_restart()
        self._forget_results()
        self.engine.move(place)

    def cancel(self) -> None:
        """Cancel the sweep, replay or run at work; the engine stops it at its next step."""
        self.work.cancel()

    # ------------------------------------------------------------------------------ knobs

    def select_launch(self, index: int) -> None:
        """Show launch `index` and bring its results up to date."""
        if not 0 <= index < len(self.launches):
            return
        self.launch_index = index
        self.config = self._configs.get(index, self.launches[index].config)
        self._drag_start = None
        self.revision += 1
        self.launchSelected.emit(index)
        self.knobsChanged.emit()
        self.configChanged.emit()
        self._replay_full()

    def set_knob(self, name: str, value: KnobValue, dragging: bool = False) -> None:
        """Move a knob; with `dragging` only quick steps run until `end_drag`.

        Raises
        ------
        KnobError
            The launch has no such knob, or the value is none it can take.
        """
        launch = self.launch
        if launch is None:
            raise KnobError("there is no launch yet: run the file first")
        try:
            knob = launch.knob(name)
        except KeyError:
            raise KnobError(f"{name} is no knob of {launch.kernel}") from None
        config = self.config.with_value(name, validate(knob, value))
        self.last_knob = name
        if config == self.config:
            return
        if dragging:
            if self._drag_start is None:
                self._drag_start = self.config
            self._show_config(config)
            self._replay(self._drag_steps(), DRAG_BUDGET_MS)
        else:
            self._change_config(config, f"{name} = {value}")

    def end_drag(self) -> None:
        """End a drag: one undo step for all of it, one full measurement."""
        start, self._drag_start = self._drag_start, None
        if start is None:
            return
        if start != self.config:
            text = f"{self.last_knob} = {self.config[self.last_knob or '']}"
            self.knob_history.push(KnobStep(self.launch_index, start, self.config, text))
        self._replay_full()

    def unlock_knob(self, name: str, on: bool = True) -> None:
        """Let a knob that is bound to the data be moved all the same, or lock it again."""
        if self.launch is None or on == self.is_unlocked(name):
            return
        key = (self.launch.kernel, name)
        if on:
            self._unlocked.add(key)
        else:
            self._unlocked.discard(key)
        self.knobsChanged.emit()

    def apply_config(self, config: Config) -> None:
        """Move all knobs at once (a preset, a row of a sweep); raises `KnobError`."""
        if self.launch is None:
            raise KnobError("there is no launch yet: run the file first")
        checked = validated(self.config.updated(config.as_dict()), self.launch.knobs)
        if checked != self.config:
            moved = [name for name in checked if self.config.as_dict().get(name) != checked[name]]
            self.last_knob = moved[0] if len(moved) == 1 else None
            self._change_config(checked, checked.label())

    def reset_knobs(self) -> None:
        """Move all knobs back to what the file launched with."""
        if self.launch is not None and self.config != self.launch.config:
            self._change_config(self.launch.config, "reset knobs")

    def restore_config(self, launch_index: int, config: Config) -> None:
        """Show `config` again (undo and redo come this way)."""
        if launch_index >= len(self.launches):
            return
        self._configs[launch_index] = config
        if launch_index != self.launch_index:
            self.select_launch(launch_index)
            return
        self._show_config(config)
        self._replay_full()

    def _change_config(self, config: Config, text: str) -> None:
        self._drag_start = None
        before = self.config
        self.knob_history.push(KnobStep(self.launch_index, before, config, text))
        self.restore_config(self.launch_index, config)

    def _show_config(self, config: Config) -> None:
        self.config = config
        self._configs[self.launch_index] = config
        self.revision += 1
        self.configChanged.emit()

    def _drag_steps(self) -> tuple[Step, ...]:
        # Interpreted time is no measurement worth waiting for while the hand is still moving.
        if self.device is not None and self.device.mode == "interpreter":
            return ("compile", "check")
        return ("compile", "check", "measure")

    def _replay_full(self) -> None:
        self._replay(("compile", "check", "measure", "coverage"), FULL_BUDGET_MS)

    def count_sample(self) -> None:
        """Count some programs of the launch instead of all, where no GPU counts them."""
        self._replay(("coverage",), FULL_BUDGET_MS, SAMPLE_PROGRAMS)

    def _replay(self, steps: tuple[Step, ...], budget_ms: float, sample: int | None = None) -> None:
        if self.launch is None:
            return
        self.work.replay(
            messages.Replay(
                self.launch_index, self.config, steps, self.revision, budget_ms, self.cache,
                self.work.wire_target(), sample,
            )
        )  # fmt: skip

    # ------------------------------------------------------------------------------ options

    def pin_baseline(self) -> None:
        """Pin the measurement shown now; others are compared with it."""
        if self.measurement is not None:
            self.baseline = self.measurement
            self.baseline_report = self.compile_report
            self.baselineChanged.emit()

    def pin(self, measurement: Measurement) -> None:
        """Pin a measurement of another session."""
        self.baseline = measurement
        self.baseline_report = None
        self.baselineChanged.emit()

    def set_target(self, target: str) -> None:
        """Compile for another GPU architecture; timings and coverage stay as they are."""
        if target and target != self.target:
            self.target = target
            self.targetChanged.emit(target)
            self._replay(("compile",), FULL_BUDGET_MS)

    def set_cache(self, cache: CacheMode) -> None:
        """Measure with a cold or a warm L2 from now on."""
        if cache != self.cache:
            self.cache = cache
            self.cacheChanged.emit(cache)
            self._replay(("measure",), FULL_BUDGET_MS)

    def export(self, config: Config | None = None) -> None:
        """Ask for the tuned file, of the config shown or of another; `exported` brings it."""
        if self.launch is not None:
            self.work.export(messages.Export(self.launch_index, config or self.config))

    # ---------------------------------------------------------- what EngineWork hands over

    def take_run(self, result: messages.RunResult) -> None:
        """Take the launches a run captured; moved knobs stay moved where they still exist."""
        failed = any(finding.severity == "error" for finding in result.findings)
        if not result.launches and failed and self.launches:
            return  # a failed run leaves the launches of the last good one usable
        self._forget_results()
        index = self._index_before
        self.launches = result.launches
        self.simulated = next(
            (f.message for f in result.findings if f.message.startswith(SIMULATED)), ""
        )
        changed = self._history.take_kernels(tuple(each.kernel for each in result.launches))
        if changed:
            self.historyChanged.emit()
        if self.baseline is not None and self.baseline.launch in changed:
            self.clear_baseline()
        self.run_result = result.result
        self._configs = carried_over(self._moved, result.launches)
        self.launch_index = index if index < len(self.launches) else 0
        self.launchesChanged.emit()
        if self.launches:
            self.select_launch(self.launch_index)
