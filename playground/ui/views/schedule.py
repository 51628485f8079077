"""The schedule of a launch: where and when each program ran, and what its order does to the L2."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QSize
from PySide6.QtWidgets import (
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from playground.ui.icons import icon
from playground.ui.views.chips import Chip, FlowLayout
from playground.ui.views.coverage_legend import Legend
from playground.ui.views.coverage_text import program_text
from playground.ui.views.elided import ElidedLabel
from playground.ui.views.formatting import count_text, time_text
from playground.ui.views.notice import EmptyState, Notice
from playground.ui.views.plot_actions import PlotActions
from playground.ui.views.reuse import ReusePanel
from playground.ui.views.roomy_splitter import RoomySplitter
from playground.ui.views.schedule_plot import BarColour, SchedulePlot
from playground.ui.views.schedule_table import ScheduledProgram, schedule_model, schedule_rows
from playground.ui.views.scroll_page import ScrollPage
from playground.ui.views.segmented import Segmented
from playground.ui.views.table_twin import RecordTable

if TYPE_CHECKING:
    from PySide6.QtGui import QHideEvent, QShowEvent

    from playground.model.schedule import Schedule
    from playground.ui.document import Document
    from playground.ui.theme import Theme
    from playground.ui.views.marks import Tone

IDLE_MUCH = 0.25
LINES_FOR_SIDES = 52
"""Width, in lines of text, that the schedule and the reuse take side by side."""
_NO_GPU = (
    "No schedule without a GPU",
    "the interpreter runs programs one after another. Run it on a machine with an NVIDIA GPU: "
    "there every program writes down where and when it ran.",
)


class ScheduleView(QWidget):
    """Bars over time with their figures, and the reuse of the L2 below; recorded while shown."""

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("schedule")
        self.setAccessibleName("Schedule")
        self._document, self._theme = document, theme
        self._programs = document.programs
        self._schedule = document.programs.schedule
        self.plot = SchedulePlot(self._programs, theme, self)
        self._chips = {
            name: Chip(f"schedule.{name}", theme, self)
            for name in ("duration", "waves", "resident", "idle", "tail", "programs", "used")
        }
        self._legend = Legend("schedule.legend", theme, self)
        self._status = ElidedLabel("schedule.status", self)
        self._model = schedule_model(document, self)
        self._table = RecordTable("schedule.table", "Programs over time", self._model, self)
        self._table.recordPicked.connect(self._choose)
        self._pages = QStackedWidget(self)
        self._pages.addWidget(self.plot)
        self._pages.addWidget(self._table)
        self._actions = PlotActions("schedule", theme, self.plot, self._as_csv, "schedule", self)
        self._actions.tableToggled.connect(self._show_page)
        self._colour = Segmented(
            "schedule.colour", "Bars coloured by",
            (("wave", "Wave", "From dark to bright by the wave of programs"),
             ("owner", "Program", "In the colours that the programs have in the tile maps")), self,
        )  # fmt: skip
        self._colour.set_value("wave")
        self._colour.chosen.connect(self._set_colour)
        self._again = QToolButton(self)
        self._again.setObjectName("schedule.again")
        self._again.setAutoRaise(True)
        self._again.setToolTip("Record it again: no two launches run alike")
        self._again.setAccessibleName(self._again.toolTip())
        self._again.clicked.connect(self._schedule.again)
        self._empty = EmptyState("schedule.empty", "", "", theme, self)
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self._make_page())
        self.reuse = ReusePanel(document, theme, self)
        self._split = RoomySplitter(self, wide=LINES_FOR_SIDES)
        self._split.setObjectName("schedule.split")
        self._split.addWidget(self._stack)
        self._split.addWidget(self.reuse)
        # Without a GPU one sentence says it all; the room is for the reuse.
        self._no_gpu = Notice("schedule.noGpu", theme, "accent", "info", self)
        whole = QWidget(self)
        layout = QVBoxLayout(whole)
        layout.addWidget(self._no_gpu)
        layout.addWidget(self._split, 1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(ScrollPage("schedule.page", whole, None, self))
        self.plot.told.connect(self._tell)
        self._programs.chosenChanged.connect(self._show_status)
        self._schedule.changed.connect(self._show)
        document.launchesChanged.connect(self._show)
        document.deviceChanged.connect(self._share_room)
        theme.changed.connect(self._recolour)
        self._recolour()
        self._share_room()
        self._show()

    def _share_room(self) -> None:
        known = self._document.device is not None
        alone = known and not self._schedule.possible()
        self._no_gpu.say(": ".join(_NO_GPU) if alone else "")
        self._stack.setVisible(not alone)
        self._split.setSizes([600, 400])

    def _make_page(self) -> QWidget:
        page = QWidget(self)
        head = QWidget(page)
        flow = FlowLayout(head, 4)
        for widget in (*self._chips.values(), self._colour, self._again, self._actions):
            flow.addWidget(widget)
        layout = QVBoxLayout(page)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(head)
        layout.addWidget(self._pages, 1)
        layout.addWidget(self._legend)
        layout.addWidget(self._status)
        return page

    def _recolour(self) -> None:
        size = self.fontMetrics().height()
        self._again.setIcon(icon("restart", self._theme))
        self._again.setIconSize(QSize(size, size))

    def showEvent(self, event: QShowEvent) -> None:
        """Record while somebody looks."""
        super().showEvent(event)
        self._schedule.want("schedule", True)
        self._schedule.want_reuse("schedule", True)

    def hideEvent(self, event: QHideEvent) -> None:
        """Record no more."""
        super().hideEvent(event)
        self._schedule.want("schedule", False)
        self._schedule.want_reuse("schedule", False)

    # ------------------------------------------------------------------------------ showing

    def _show(self) -> None:
        reply = self._schedule.reply
        self._stack.setCurrentIndex(0 if reply is None else 1)
        if reply is None:
            self._empty.say(*self._why())
            self.plot.show_schedule()
            self._model.set_records(())
            return
        self._show_figures(reply.figures)
        self.plot.show_schedule()
        self._show_legend()
        self._show_page(1 if self._actions.shows_table else 0)
        self._show_status()

    def _why(self) -> tuple[str, str]:
        schedule = self._schedule
        if self._document.launch is None:
            return "No schedule yet", "Press F5 to run; then every program's time is recorded."
        if schedule.running or not schedule.why:
            return "Recording …", "Each program writes down where and when it runs."
        return "No schedule of this launch", schedule.why

    def _show_figures(self, figures: Schedule) -> None:
        def ns(value: float) -> str:
            return time_text(value / 1e6)

        programs = figures.grid[0] * figures.grid[1] * figures.grid[2]
        facts: tuple[tuple[str, str, Tone, str], ...] = (
            ("duration", ns(figures.duration_ns), "accent",
             "From the first program's start to the last one's end, of one launch by the GPU's own "
             f"timer (steps of {figures.resolution_ns} ns); recording adds a little"),
            ("waves", f"{figures.waves:.3g} waves", "muted",
             f"{count_text(programs)} programs over {figures.multiprocessors} multiprocessors × "
             f"{figures.resident} at a time"),
            ("resident", self._resident(figures), self._resident_tone(figures),
             "Programs that a multiprocessor ran at the same time, at most; and what its "
             "registers, shared memory and threads allow"),
            ("idle", f"{figures.idle_share * 100:.0f} % idle",
             "warn" if figures.idle_share > IDLE_MUCH else "muted",
             "Share of the multiprocessors' time in which none of their programs ran"),
            ("tail", f"tail {ns(figures.tail_ns)}",
             "warn" if figures.tail_ns > figures.duration_ns * IDLE_MUCH else "muted",
             "From the first multiprocessor running dry to the end"),
            ("programs", f"program {ns(figures.shortest_ns)} – {ns(figures.longest_ns)}", "muted",
             f"The shortest and the longest program; their median is {ns(figures.median_ns)}"),
            ("used", f"{figures.used} of {figures.multiprocessors} SMs",
             "muted" if figures.used == figures.multiprocessors else "warn",
             "Multiprocessors that ran any program at all"),
        )  # fmt: skip
        for name, text, tone, tip in facts:
            self._chips[name].show_fact(text, tone, tip="\n".join([tip, *figures.notes]))

    @staticmethod
    def _resident(figures: Schedule) -> str:
        allowed = figures.resident_theoretical
        return f"{figures.resident} resident" if allowed is None else (
            f"{figures.resident} of {allowed} resident"
        )  # fmt: skip

    @staticmethod
    def _resident_tone(figures: Schedule) -> Tone:
        allowed = figures.resident_theoretical
        programs = figures.grid[0] * figures.grid[1] * figures.grid[2]
        enough = programs >= figures.multiprocessors * (allowed or 0)
        return "warn" if allowed is not None and enough and figures.resident < allowed else "muted"

    def _show_legend(self) -> None:
        turns = self._schedule.turns
        waves = int(turns.wave.max(initial=0)) + 1 if turns is not None else 1
        entries = [("owner", f"program 0 … {count_text(max(self._programs.count - 1, 0))}")]
        if self.plot.colour == "wave":
            entries = [("scale", f"wave 1 … {waves}") if waves > 1 else ("once", "the only wave")]
        entries += [("tail", "tail"), ("chosen", "chosen")]
        self._legend.show_entries(entries)

    def _show_status(self) -> None:
        current = self._programs.current
        self._status.setText(
            "Wheel: zoom time (Ctrl: rows) · drag: move · 0: all" if current is None
            else self.sentence(current)
        )  # fmt: skip

    def sentence(self, program: int) -> str:
        """Return where and when a program ran, in words."""
        reply, turns = self._schedule.reply, self._schedule.turns
        if reply is None or turns is None or not 0 <= program < len(reply.start_ns):
            return ""
        start, end = int(reply.start_ns[program]), int(reply.end_ns[program])
        wave = int(turns.wave[program]) + 1
        place = count_text(int(turns.rank[program]) + 1)
        return (
            f"program {program_text(program, self._programs.grid)} · "
            f"SM {int(reply.multiprocessor[program])} · started at {time_text(start / 1e6, 4)} "
            f"(place {place}) · ran {time_text((end - start) / 1e6)} · wave {wave}"
        )

    def _tell(self, program: int | None) -> None:
        if program is None:
            self._show_status()
        else:
            self._status.setText(self.sentence(program))

    # ------------------------------------------------------------------------------ choosing

    def _set_colour(self, colour: str) -> None:
        self.plot.set_colour(cast("BarColour", colour))
        self._show_legend()

    def _show_page(self, page: int) -> None:
        self._pages.setCurrentIndex(page)
        if page:
            # Tens of thousands of rows are made only for whoever reads them.
            self._model.set_records(schedule_rows(self._schedule))
            self._table.fit_columns()

    def _as_csv(self) -> str:
        self._model.set_records(schedule_rows(self._schedule))
        return self._model.as_csv()

    def _choose(self, row: object) -> None:
        if isinstance(row, ScheduledProgram):
            self._programs.choose((row.program,))
