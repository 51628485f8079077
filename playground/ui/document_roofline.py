"""The roofline of the document: which GPU's ceilings, and where the launch stands under them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, Signal

from playground.model.roofline import expected, standing
from playground.model.targets import facts_for, gpus
from playground.protocol import messages, timing

if TYPE_CHECKING:
    from playground.model.coverage import Coverage
    from playground.model.measurement import Measurement
    from playground.model.roofline import Ceilings, Standing
    from playground.model.targets import Gpu
    from playground.protocol.messages import Reply
    from playground.ui.document import Document

Role = Literal["current", "baseline", "history"]


@dataclass(frozen=True)
class RoofPoint:
    """A measurement with counted bytes; `role` says how it is drawn."""

    measurement: Measurement
    bytes_unique: int
    flops: int
    role: Role

    @property
    def intensity(self) -> float:
        """Operations of `tl.dot` per byte."""
        return self.flops / self.bytes_unique

    @property
    def gbps(self) -> float:
        """Bytes over the median in GB/s."""
        return self.bytes_unique / (self.measurement.median_ms * 1e6)

    @property
    def tflops(self) -> float:
        """Operations over the median in TFLOP/s."""
        return self.flops / (self.measurement.median_ms * 1e9)


class DocumentRoofline(QObject):
    """Knows the ceilings; where the launch stands follows from what is counted and timed.

    Ceilings of the machine's GPU are measured by the engine, once, when somebody looks (`want`);
    until then, and for any other GPU, those of its data sheet are expected. `gpu` names the GPU
    chosen; empty means the machine's own, or without one the first of the target.
    """

    changed = Signal()

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self._document = document
        self.gpu = ""
        self.running = False
        self.problem = ""
        self._measured: Ceilings | None = None
        self._wanted = False
        self._job = 0
        for changed in (
            document.coveredChanged, document.measuredChanged, document.historyChanged,
            document.baselineChanged, document.launchSelected, document.launchesChanged,
            document.targetChanged, document.cacheChanged,
        ):  # fmt: skip
            changed.connect(self._on_change)
        document.deviceChanged.connect(self._on_device)
        document.engineStateChanged.connect(self._on_engine)

    # ------------------------------------------------------------------------------ the GPU

    def has_gpu(self) -> bool:
        """Tell whether there is a GPU in the machine."""
        device = self._document.device
        return device is not None and device.mode == "gpu"

    def is_own(self) -> bool:
        """Tell whether the ceilings meant are those of the GPU in the machine."""
        return self.has_gpu() and not self.gpu

    def gpu_names(self) -> tuple[str, ...]:
        """Return the GPUs whose data sheets are known."""
        return tuple(gpu.name for gpu in gpus())

    def choose_gpu(self, name: str) -> None:
        """Show the ceilings of another GPU; an empty name means the machine's own."""
        if name != self.gpu:
            self.gpu = name
            self._on_change()

    def ceilings(self) -> Ceilings | None:
        """Return the ceilings to draw, or None where nothing is known of the GPU."""
        if self.is_own() and self._measured is not None:
            return self._measured
        found = (
            next((gpu for gpu in gpus() if gpu.name == self.gpu), None)
            if self.gpu
            else self.own_expected()
        )
        return expected(found) if found is not None else None

    def own_expected(self) -> Gpu | None:
        """Return the data sheet of the machine's GPU, or of the first one of the target."""
        device = self._document.device
        if device is not None and self.has_gpu():
            return facts_for(device.target, device.name)
        target = self._document.target
        return facts_for(target) if target else None

    # ------------------------------------------------------------------------------ the launch

    def counted(self) -> Coverage | None:
        """Return what the selected launch moves and computes, as far as it is counted."""
        coverage = self._document.coverage
        if coverage is None or coverage.launch != self._document.launch_index:
            return None
        return coverage

    def timed(self) -> Measurement | None:
        """Return the measurement of the config that was counted, of the machine's own GPU only."""
        counted = self.counted()
        if counted is None or not self.is_own():
            return None
        return next(
            (
                item
                for item in reversed(self._document.history)
                if (item.launch, item.config) == (counted.launch, counted.config)
                and item.cache == self._document.cache
                and item.source != "interpreter"
            ),
            None,
        )

    def standing(self) -> Standing | None:
        """Return where the launch stands, or None before it is counted."""
        counted, ceilings = self.counted(), self.ceilings()
        if counted is None or ceilings is None or not counted.bytes_unique:
            return None
        return standing(counted, ceilings, self.timed())

    def points(self) -> tuple[RoofPoint, ...]:
        """Return every config timed of this launch in this cache mode, the current one last."""
        document = self._document
        if not self.is_own():
            return ()
        latest: dict[object, RoofPoint] = {}
        current = self.timed()
        baseline = document.baseline
        for item in document.history:
            if (
                item.launch != document.launch_index
                or item.cache != document.cache
                or item.source == "interpreter"
                or not item.bytes_unique
                or document.is_rejected(item)
            ):
                continue
            role: Role = "history"
            if current is not None and item.config == current.config:
                role = "current"
            elif baseline is not None and item.config == baseline.config:
                role = "baseline"
            latest[item.config] = RoofPoint(item, item.bytes_unique, item.flops or 0, role)
        order: tuple[Role, ...] = ("history", "baseline", "current")
        return tuple(sorted(latest.values(), key=lambda point: order.index(point.role)))

    # ------------------------------------------------------------------------------ measuring

    def want(self, wanted: bool) -> None:
        """Tell that somebody looks: then the ceilings are measured where they can be."""
        self._wanted = wanted
        self._ask_if_wanted()

    def measure_again(self) -> None:
        """Measure the ceilings of the machine's GPU anew."""
        self.problem = ""
        self._ask(again=self._measured is not None)

    def cancel(self) -> None:
        """Stop measuring."""
        if self.running:
            self._document.work.cancel_job(self._job)

    def _ask_if_wanted(self) -> None:
        if self._wanted and self._measured is None and not self.problem and self.is_own():
            self._ask(again=False)

    def _ask(self, *, again: bool) -> None:
        document = self._document
        counted = self.counted()
        if self.running or not self.has_gpu() or counted is None:
            return
        self.running = True
        self._job = document.work.ask(
            timing.GetRoofline(counted.launch, counted.config, None, again), "roofline", self._take
        )
        self.changed.emit()

    def _take(self, reply: Reply) -> None:
        if isinstance(reply, timing.Roofline):
            self._measured = reply.ceilings
            self.problem = ""
        elif isinstance(reply, messages.Finished):
            self.running = False
            if reply.findings:
                self.problem = reply.findings[0].message
            elif reply.cancelled:
                self.problem = "measuring the ceilings was cancelled"
        else:
            return
        self.changed.emit()

    # ------------------------------------------------------------------------------ following

    def _on_change(self, _what: object = None) -> None:
        self._ask_if_wanted()
        self.changed.emit()

    def _on_device(self) -> None:
        self._measured = None
        self.problem = ""
        self.changed.emit()

    def _on_engine(self, state: str) -> None:
        if state in ("dead", "restarting") and self.running:
            self.running = False
            self.problem = "the engine ended while the ceilings were measured"
            self.changed.emit()
