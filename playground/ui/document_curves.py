"""Problem-size curves of the document: what to time over which sizes, and what came of it."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from playground.model.curve import Axis, AxisError, Curve, CurveRow, Line, Spacing, axis
from playground.model.problem_sizes import SizeError, around, parse_size, size_text
from playground.protocol import messages, timing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playground.model.curve import OwnBenchmark
    from playground.protocol.messages import Reply
    from playground.ui.document import Document

POINT_BUDGET_MS = 50.0
MOST_POINTS = 2000
MOST_EXPRESSIONS = 12
DEFAULT_COUNT = 12


@dataclass(frozen=True)
class AxisChoice:
    """A range of one problem size as it is typed; `count` is for `linear` and `log`."""

    name: str = ""
    low: str = ""
    high: str = ""
    spacing: Spacing = "powers of two"
    count: int = DEFAULT_COUNT

    def axis(self) -> Axis:
        """Return the sizes; raises `SizeError` or `AxisError` with what is wrong."""
        return axis(
            self.name, parse_size(self.low), parse_size(self.high), self.count, self.spacing
        )


@dataclass(frozen=True)
class LineOffer:
    """A line that can be drawn: `key` names it whatever its config is at the moment."""

    key: str
    title: str
    line: Line


class DocumentCurves(QObject):
    """Chooses sizes and lines, has the engine time them, and keeps the rows as they come.

    `curve` is what is drawn, also while it grows; `lines` are those it was begun with. `own_name`
    names the file's own benchmark that is drawn instead of the launch, if one is chosen.
    """

    setupChanged = Signal()
    curveChanged = Signal()
    lookChanged = Signal()

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self._document = document
        self.first = AxisChoice()
        self.second: AxisChoice | None = None
        self.chosen: set[str] = {"config", "reference"}
        self.expressions: list[str] = []
        self.own: tuple[OwnBenchmark, ...] = ()
        self.own_name = ""
        self.curve: Curve | None = None
        self.lines: tuple[Line, ...] = ()
        self.done, self.total = 0, 0
        self.running = False
        self.problem = ""
        self.quantity = ""
        self.log_y = True
        self.heat = False
        self.shown_line = ""
        self._job = 0
        self._traced_text = ""
        document.pathChanged.connect(self._forget)
        document.driverChanged.connect(self._take_sizes)
        document.launchesChanged.connect(self._on_launches)
        document.engineStateChanged.connect(self._on_engine)
        for changed in (
            document.launchSelected, document.configChanged, document.baselineChanged,
            document.outlineChanged, document.cacheChanged, document.deviceChanged,
        ):  # fmt: skip
            changed.connect(self._tell_setup)
        self._take_sizes()
        self._on_launches()

    def _tell_setup(self, _what: object = None) -> None:
        self.setupChanged.emit()

    # ------------------------------------------------------------------------------ the sizes

    def size_names(self) -> tuple[str, ...]:
        """Return the problem sizes of the driver chosen."""
        driver = self._document.driver
        return tuple(size.name for size in driver.sizes) if driver else ()

    def _take_sizes(self) -> None:
        names = self.size_names()
        if self.first.name not in names:
            self.first = self.suggested(names[0]) if names else AxisChoice()
        if self.second is not None and self.second.name not in names:
            self.second = None
        self.setupChanged.emit()

    def suggested(self, name: str) -> AxisChoice:
        """Return a range round the size that the driver runs with."""
        low, high = around(max(self._document.sizes.get(name, 1024), 1))
        return AxisChoice(name, size_text(low), size_text(high))

    def set_first(self, choice: AxisChoice) -> None:
        """Choose the first size and its range; another name brings its own range."""
        self.first = choice if choice.name == self.first.name else self.suggested(choice.name)
        if self.second is not None and self.second.name == choice.name:
            self.second = self._other()
        self.setupChanged.emit()

    def set_second(self, choice: AxisChoice | None) -> None:
        """Choose the second size and its range, or none."""
        before = self.second.name if self.second else ""
        if choice is not None and choice.name == self.first.name:
            choice = self._other()
        elif choice is not None and choice.name != before:
            choice = replace(self.suggested(choice.name))
        self.second = choice
        self.setupChanged.emit()

    def add_second(self) -> None:
        """Choose a second size: the first one that is not the first size."""
        self.set_second(self._other())

    def _other(self) -> AxisChoice | None:
        name = next((name for name in self.size_names() if name != self.first.name), None)
        return self.suggested(name) if name else None

    def axes(self) -> tuple[Axis, ...]:
        """Return the sizes to time; raises `SizeError` or `AxisError` with what is wrong."""
        if (own := self.chosen_own()) is not None:
            return own.axes
        choices = [self.first] if self.second is None else [self.first, self.second]
        axes = tuple(choice.axis() for choice in choices)
        points = math.prod(len(item.values) for item in axes) * max(len(self.chosen_lines()), 1)
        if points > MOST_POINTS:
            raise AxisError(f"{points} points are too many: up to {MOST_POINTS} are timed")
        return axes

    def wrong(self) -> str:
        """Return why nothing can be drawn, or an empty text."""
        document = self._document
        device = document.device
        if device is not None and device.mode == "interpreter":
            return "there is no GPU here: the interpreter's time says nothing to draw"
        if document.launch is None:
            return "run the file first"
        if self.own_name:
            return "" if self.chosen_own() else f"the file has no benchmark {self.own_name} now"
        if not self.size_names():
            return "the driver has no problem size"
        if not self.chosen_lines():
            return "choose at least one line"
        try:
            self.axes()
        except (SizeError, AxisError) as error:
            return str(error)
        return ""

    def points(self) -> int:
        """Return how many points the choice has, 0 where it can't be drawn."""
        if self.wrong():
            return 0
        if (own := self.chosen_own()) is not None:
            return own.points
        return math.prod(len(item.values) for item in self.axes()) * len(self.chosen_lines())

    # ------------------------------------------------------------------------------ the lines

    def offers(self) -> tuple[LineOffer, ...]:
        """Return the lines that can be drawn, each config once."""
        document = self._document
        launch = document.launch
        if launch is None:
            return ()
        label = document.config.label() or "as launched"
        found = [LineOffer("config", "This config", Line(label, document.config))]
        baseline = document.baseline
        if baseline is not None and baseline.launch == launch.index:
            label = baseline.config.label()
            found.append(LineOffer("baseline", "Baseline", Line(label, baseline.config)))
        if launch.config != document.config:
            label = launch.config.label()
            found.append(LineOffer("launched", "As launched", Line(label, launch.config)))
        if document.outline.has_reference:
            rival = Line("reference", expression="reference")
            found.append(LineOffer("reference", "reference", rival))
        for preset in launch.presets:
            line = Line(preset.config.label(), preset.config)
            found.append(LineOffer(f"preset:{preset.label}", f"Preset {preset.label}", line))
        for code in self.expressions:
            found.append(LineOffer(f"expression:{code}", code, Line(code, expression=code)))
        by_label: dict[str, LineOffer] = {}
        for offer in found:
            by_label.setdefault(offer.line.label, offer)
        return tuple(by_label.values())

    def chosen_lines(self) -> tuple[Line, ...]:
        """Return the lines to draw, in the order offered."""
        return tuple(offer.line for offer in self.offers() if offer.key in self.chosen)

    def choose_line(self, key: str, on: bool) -> None:
        """Draw a line of `offers`, or leave it out."""
        (self.chosen.add if on else self.chosen.discard)(key)
        self.setupChanged.emit()

    def add_expression(self, code: str) -> None:
        """Offer a typed expression as a line, and choose it."""
        code = code.strip()
        if not code:
            return
        if code == "reference" and self._document.outline.has_reference:
            self.choose_line("reference", True)
            return
        self.expressions = [code, *(other for other in self.expressions if other != code)]
        for dropped in self.expressions[MOST_EXPRESSIONS:]:
            self.chosen.discard(f"expression:{dropped}")
        self.expressions = self.expressions[:MOST_EXPRESSIONS]
        self.choose_line(f"expression:{code}", True)

    def chosen_own(self) -> OwnBenchmark | None:
        """Return the file's own benchmark that is chosen, or None for the launch."""
        return next((item for item in self.own if item.name == self.own_name), None)

    def choose_own(self, name: str) -> None:
        """Draw the file's own benchmark of that name; an empty one means the launch."""
        if name != self.own_name:
            self.own_name = name
            self.setupChanged.emit()

    # ------------------------------------------------------------------------------ timing

    def kept(self) -> tuple[CurveRow, ...]:
        """Return the rows of the curve drawn that the present choice would time again."""
        curve = self.curve
        if curve is None or self.running or self.wrong():
            return ()
        document = self._document
        same = (
            curve.cache == document.cache
            and self._traced_text == document.work.ran_text
            and (self.own_name == curve.kernel if self.own_name else curve.launch == (
                document.launch_index))
            and bool(self.own_name) == bool(not self.lines)
        )  # fmt: skip
        if not same:
            return ()
        axes = self.axes()
        wanted = {
            tuple(zip((item.name for item in axes), values, strict=True))
            for values in itertools.product(*(item.values for item in axes))
        }
        labels = curve.lines if self.own_name else {line.label for line in self.chosen_lines()}
        return tuple(
            row for row in curve.rows
            if row.median_ms and row.sizes in wanted and row.line in labels
        )  # fmt: skip

    def start(self, *, resume: bool = False) -> None:
        """Time every chosen line over the chosen sizes; with `resume` only what is missing."""
        if self.running or self.wrong():
            self.setupChanged.emit()
            return
        document = self._document
        kept = self.kept() if resume else ()
        axes = self.axes()
        self.lines = () if self.own_name else self.chosen_lines()
        own = self.chosen_own()
        if own is not None:
            labels, kernel, own_label = own.lines, own.name, own.label
        else:
            labels, own_label = tuple(line.label for line in self.lines), ""
            kernel = document.launch.kernel if document.launch else ""
        self.curve = Curve(
            document.launch_index, kernel, axes, labels, kept, document.cache, own_label=own_label
        )
        self.done, self.total = len(kept), self.points()
        self.running, self.problem = True, ""
        self._traced_text = document.work.ran_text
        document.set_findings("curve", ())
        document.progressChanged.emit("timing over problem sizes", None)
        before = self.curve if kept else None
        self._job = document.work.ask(
            timing.Trace(
                document.launch_index, () if self.own_name else axes, self.lines, document.cache,
                POINT_BUDGET_MS, before, self.own_name,
            ),
            "curve", self._take,
        )  # fmt: skip
        self.curveChanged.emit()
        self.setupChanged.emit()

    def cancel(self) -> None:
        """Stop at the next point; what was timed stays and can be continued."""
        if self.running:
            self._document.work.cancel_job(self._job)

    def _take(self, reply: Reply) -> None:
        if self.curve is None:
            return
        if isinstance(reply, timing.CurveProgress):
            self.curve = replace(self.curve, rows=(*self.curve.rows, *reply.rows))
            self.done, self.total = reply.done, reply.total
            text = f"curve: {reply.done} of {reply.total} points"
            self._document.progressChanged.emit(text, reply.done / max(reply.total, 1))
        elif isinstance(reply, timing.Traced):
            self.curve = replace(reply.curve, launch=self.curve.launch)
            self.done = len(reply.curve.rows)
        elif isinstance(reply, messages.Finished):
            self.running = False
            if reply.cancelled:
                self.curve = replace(self.curve, cancelled=True)
            self.problem = reply.findings[0].message if reply.findings else ""
            self._document.set_findings("curve", reply.findings)
            self.setupChanged.emit()
        else:
            return
        self.curveChanged.emit()

    def _on_engine(self, state: str) -> None:
        if self.running and state in ("dead", "restarting"):
            self.running = False
            self.problem = "the engine ended"
            if self.curve is not None:
                self.curve = replace(self.curve, cancelled=True)
            self.curveChanged.emit()
        self.setupChanged.emit()

    def _on_launches(self) -> None:
        if not self._document.launches or "Benchmark" not in self._document.work.ran_text:
            self.own = ()
        else:
            self._document.work.query(timing.GetOwnBenchmarks(), self._take_own)
        self._check_own()

    def _take_own(self, reply: timing.OwnBenchmarks) -> None:
        self.own = reply.benchmarks
        self._check_own()

    def _check_own(self) -> None:
        if self.own_name not in [item.name for item in self.own]:
            self.own_name = ""
        self.setupChanged.emit()

    def _forget(self, _path: str = "") -> None:
        self.curve, self.lines = None, ()
        self.done = self.total = 0
        self.problem, self.shown_line, self.own, self.own_name = "", "", (), ""
        self.chosen = {"config", "reference"}
        self.curveChanged.emit()
        self.setupChanged.emit()

    # ------------------------------------------------------------------------------ the look

    def is_outdated(self) -> bool:
        """Tell whether the curve is of a text that has been run in another state since."""
        ran = self._document.work.ran_text
        return self.curve is not None and bool(ran) and ran != self._traced_text

    def set_look(
        self,
        *,
        quantity: str | None = None,
        log_y: bool | None = None,
        heat: bool | None = None,
        line: str | None = None,
    ) -> None:
        """Choose what is drawn on y and how; what is left out stays."""
        self.quantity = self.quantity if quantity is None else quantity
        self.log_y = self.log_y if log_y is None else log_y
        self.heat = self.heat if heat is None else heat
        self.shown_line = self.shown_line if line is None else line
        self.lookChanged.emit()

    def apply(self, label: str) -> bool:
        """Move the knobs to the config of a line; tell whether the line has one."""
        line = next((line for line in self.lines if line.label == label), None)
        if line is None or line.config is None or self._document.launch is None:
            return False
        self._document.apply_config(line.config)
        return True


def labels_short(lines: Sequence[Line]) -> dict[str, str]:
    """Return what tells each line from the others: knobs that all configs share are left out."""
    configs = [line.config.as_dict() for line in lines if line.config is not None]
    names = {name for config in configs for name in config}
    varying = {
        name for name in names if len({repr(config.get(name)) for config in configs}) > 1
    }  # fmt: skip
    found: dict[str, str] = {}
    for line in lines:
        if line.config is None:
            found[line.label] = line.expression
            continue
        parts = [f"{name}={value}" for name, value in line.config.values if name in varying]
        found[line.label] = " ".join(parts) or line.label
    return found
