"""The sweep of the document: begun, paused, gone on with, its rows as they come."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal

from playground.model.finding import Finding
from playground.model.knobs import KnobError
from playground.model.sweep_sizes import SizedSweep, Sizes
from playground.model.sweep_values import values_text
from playground.model.sweep_views import fastest
from playground.protocol import messages
from playground.ui.sweep_choice import SweepChoice
from playground.ui.sweep_past import SweepPast

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from playground.model.config import Config
    from playground.model.knobs import KnobValue
    from playground.model.past_sweep import PastSweep
    from playground.model.sweep import SweepResult, SweepRow
    from playground.protocol.messages import Reply
    from playground.protocol.sweeps import SweepForm
    from playground.ui.document import Document


@dataclass
class SweepPart:
    """The sweep at one problem size, or the whole of it where there is one size only."""

    sizes: Sizes = ()
    rows: list[SweepRow] = field(default_factory=list)
    result: SweepResult | None = None
    done: int = 0
    total: int = 0


class DocumentSweep(SweepChoice):
    """Has the engine sweep what was chosen, and keeps the rows as they come.

    `parts` are the problem sizes, `shown` the one that is looked at. `opened` is the past sweep
    that the rows were read from, None while they are those of this session.
    """

    changed = Signal()

    def __init__(self, document: Document) -> None:
        self.parts: list[SweepPart] = []
        self.shown = 0
        self.running = self.paused = False
        self.eta_s: float | None = None
        self.problem = ""
        self.opened: PastSweep | None = None
        self.number, self.of = 1, 1
        self._job = 0
        self._cut_short = False
        self._prepared = False
        super().__init__(document)
        self.past = SweepPast(self, document)
        document.pathChanged.connect(self._forget)
        document.engineStateChanged.connect(self._on_engine)

    # ------------------------------------------------------------------------------ results

    @property
    def part(self) -> SweepPart:
        """What is looked at; empty before the first sweep."""
        return self.parts[self.shown] if self.parts else SweepPart()

    @property
    def rows(self) -> list[SweepRow]:
        """The rows looked at, in the order in which they came."""
        return self.part.rows

    @property
    def result(self) -> SweepResult | None:
        """The result looked at, None while it is under way."""
        return self.part.result

    @property
    def done(self) -> tuple[int, int]:
        """Configs that have their row, and configs expected."""
        return self.part.done, self.part.total

    def best(self) -> SweepRow | None:
        """Return the row to take: the winner where there is a ranking, else the fastest so far."""
        return self.part.result.best if self.part.result is not None else fastest(self.rows)

    def sized(self) -> tuple[SizedSweep, ...]:
        """Return the sweeps of all problem sizes that have ended."""
        return tuple(
            SizedSweep(part.sizes, part.result) for part in self.parts
            if part.result is not None and part.sizes
        )  # fmt: skip

    def stored(self) -> tuple[int, ...]:
        """Return the numbers in the store of what is shown, one a problem size."""
        numbers = (part.result.store for part in self.parts if part.result is not None)
        return tuple(number for number in numbers if number is not None)

    @property
    def can_continue(self) -> bool:
        """Whether a sweep was ended early whose rest can be tried."""
        ended = self._cut_short or any(p.result is not None and p.result.cancelled
                                       for p in self.parts)  # fmt: skip
        return ended and not self.running

    def show_part(self, index: int) -> None:
        """Look at another problem size."""
        if 0 <= index < len(self.parts) and index != self.shown:
            self.shown = index
            self.changed.emit()

    def apply(self, config: Config) -> None:
        """Set the sliders to a config of the sweep; one that they cannot take becomes a finding."""
        found: tuple[Finding, ...] = ()
        try:
            self._document.apply_config(config)
        except KnobError as error:
            hint = "open and run the file that the sweep was of"
            found = (Finding("warning", "sweep", f"the sliders stay as they are: {error}", hint),)
        self._document.set_findings("sweep config", found)

    # ------------------------------------------------------------------------------ running

    def prepare(self) -> None:
        """Have the engine start the process that a sweep times in, once for each engine."""
        document = self._document
        if not self._prepared and document.launch is not None and document.engine_state == "ready":
            self._prepared = True
            document.work.ask(
                messages.PrepareSweep(self.choice.workers), "prepare", lambda _reply: None
            )

    def start(self, *, resume: bool = False) -> None:
        """Sweep what was chosen; with `resume` only what the last one has left."""
        document, reading = self._document, self.reading
        if self.running or reading.problem or document.launch is None:
            self.setupChanged.emit()
            return
        self.keep()
        baseline = document.baseline.config if document.baseline is not None else None
        # One size that is the present one is no sweep of its own.
        here = tuple((name, self.size_now(name)) for name in self.size_names())
        sizes = reading.sizes
        alone = len(sizes) == 1 and all(pair in here for pair in sizes[0])
        own = self.choice.source == "own"
        self._begin(messages.Sweep(
            document.launch_index, document.config, {} if own else dict(reading.values),
            document.work.wire_target(), where=self.where(), strategy=self.choice.strategy,
            most=self.choice.most, baseline=baseline, resume=resume, listed=self.listed(),
            sizes=() if alone else sizes, total_s=self.choice.total_s,
            workers=self.choice.workers, cache=document.cache,
        ))  # fmt: skip

    def start_values(self, values: Mapping[str, Sequence[KnobValue]]) -> None:
        """Try every combination of these values, others staying as they are; the fields follow."""
        config = self._document.config
        self.set_choice(
            values=tuple(
                (knob.name, values_text(tuple(values.get(knob.name, (config[knob.name],)))))
                for knob in self.knobs()
            ),
            where="", source="values", sizes=(),
        )  # fmt: skip
        self.start()

    def _begin(self, request: messages.Sweep) -> None:
        document = self._document
        self.parts, self.shown, self.opened = [SweepPart()], 0, None
        self.number, self.of = 1, max(len(request.sizes), 1)
        self.running, self.paused, self._cut_short = True, False, False
        self.eta_s, self.problem = None, ""
        document.set_findings("sweep end", ())
        document.set_findings("sweep config", ())
        document.work.queue.cancel_all()
        document.progressChanged.emit("sweeping", None)
        self._job = document.work.ask(request, "sweep", self._take)
        self._prepared = False  # its process is taken
        document.sweepBegun.emit()
        self.changed.emit()
        self.setupChanged.emit()

    def pause(self, on: bool = True) -> None:
        """Let the sweep wait at its next config, or go on."""
        if self.running and on != self.paused:
            self.paused = on
            self._document.engine.send(messages.Pause(self._job, on))
            self.changed.emit()

    def cancel(self) -> None:
        """Stop at the next config; what was measured stays."""
        if self.running:
            self._document.work.cancel_job(self._job)

    def _take(self, reply: Reply) -> None:
        if isinstance(reply, messages.Finished):
            self._end(reply)
        elif not self.parts:
            return  # another file is open meanwhile
        elif isinstance(reply, messages.SweepProgress):
            part = self.parts[-1]
            part.rows.extend(reply.rows)
            part.done, part.total, self.eta_s = reply.done, reply.total, reply.eta_s
            if reply.total:
                text = f"sweep: {reply.done} of {reply.total}"
                share = (self.number - 1 + reply.done / reply.total) / self.of
                self._document.progressChanged.emit(text, share)
        elif isinstance(reply, messages.SweepAt):
            self.number, self.of = reply.number, reply.of
            looks_at_last = self.shown == len(self.parts) - 1
            if reply.number == 1:
                self.parts[-1].sizes = reply.sizes
            else:
                self.parts.append(SweepPart(reply.sizes))
                self.shown = len(self.parts) - 1 if looks_at_last else self.shown
        elif isinstance(reply, messages.Swept):
            part = self.parts[-1]
            part.result, part.rows = reply.result, list(reply.result.rows)
            part.sizes = reply.sizes or part.sizes
            part.done, part.total = len(reply.result.rows), reply.result.total
        else:
            return
        self.changed.emit()

    def _end(self, reply: messages.Finished) -> None:
        self.running = self.paused = False
        self.eta_s = None
        self.problem = reply.findings[0].message if reply.findings else ""
        self._cut_short = reply.cancelled or self.number < self.of or (
            bool(self.parts) and self.parts[-1].result is None and bool(self.parts[-1].rows)
        )  # fmt: skip
        self._document.set_findings("sweep end", reply.findings)
        self.setupChanged.emit()
        self.past.refresh()

    def _on_engine(self, state: str) -> None:
        if state in ("dead", "restarting"):
            self._prepared = False
            if self.running:
                self.running = self.paused = False
                self._cut_short = True
                self.problem = "the engine ended; Continue tries what is left"
                self.changed.emit()
        self.setupChanged.emit()

    def _forget(self, _path: str = "") -> None:
        self.cancel()
        self.parts, self.shown, self.opened = [], 0, None
        self.problem, self._cut_short = "", False
        self.past.forget()
        self.changed.emit()

    # ------------------------------------------------------------------------------ the store

    def show_past(self, sweep: PastSweep, result: SweepResult) -> None:
        """Show a past sweep's rows as if it had just ended."""
        if self.running:
            return
        part = SweepPart(sweep.sizes, list(result.rows), result, len(result.rows), result.total)
        self.parts, self.shown, self.opened = [part], 0, sweep
        self.problem, self._cut_short = "", False
        self.changed.emit()

    def take_setup(self, sweep: PastSweep) -> str:
        """Set up what a past sweep tried; return why that cannot be, or an empty text."""
        launch = self._document.launch
        if launch is None or launch.kernel != sweep.kernel:
            here = "nothing has run yet" if launch is None else f"this launch is of {launch.kernel}"
            return f"sweep {sweep.number} was of {sweep.kernel}, and {here}: open and run its file"
        elsewhere = any(self.size_now(name) != value for name, value in sweep.sizes)
        self.set_choice(
            values=tuple((name, values_text(values)) for name, values in sweep.space)
            or self.choice.values,
            where="\n".join(sweep.where),
            source="values" if not sweep.listed else "both" if sweep.space else "own",
            sizes=tuple((name, str(value)) for name, value in sweep.sizes) if elsewhere else (),
            strategy=sweep.strategy, most=sweep.most,
        )  # fmt: skip
        return self.reading.problem

    def export(self, form: SweepForm, *, best: int = 3, size: str = "") -> None:
        """Ask for a file made of what is shown; `document.exported` brings it."""
        document, config = self._document, self._document.config
        if document.launch is None or not self.stored():
            return
        document.work.export(messages.ExportSweep(
            form, document.launch_index, config, self.stored(), best, size,
        ))  # fmt: skip
