"""Problem-size curves of the document: what to time over which sizes, and what came of it."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal

from playground.model.curve import Curve, CurveRow, Line
from playground.protocol import messages, timing
from playground.ui.curves_choice import CurvesChoice
from playground.ui.rival_files import other_file

if TYPE_CHECKING:
    from playground.protocol.messages import Reply
    from playground.ui.document import Document


class DocumentCurves(CurvesChoice):
    """Has the engine time what was chosen, and keeps the rows as they come.

    `curve` is what is drawn, also while it grows; `lines` are those it was begun with.
    """

    curveChanged = Signal()
    lookChanged = Signal()

    def __init__(self, document: Document) -> None:
        super().__init__(document)
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
        document.launchesChanged.connect(self._on_launches)
        document.engineStateChanged.connect(self._on_engine)
        self._on_launches()

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
        for line in () if self.own_name else self.chosen_lines():
            other = other_file(line.expression, document.path)
            if not document.may_execute(other, lambda: self.start(resume=resume)):
                return
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
                self.budget_ms, before, self.own_name,
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
        self.curveChanged.emit()
        self._recall()

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
