"""Compare: the config shown against anything else, timed in turns until it is clear."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtWidgets import (
    QComboBox,
    QPushButton,
    QStackedLayout,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from playground.model.statistics import median
from playground.ui.document_timing import BUDGETS_MS
from playground.ui.icons import icon
from playground.ui.views.chips import Chip, FlowLayout
from playground.ui.views.elided import ElidedLabel
from playground.ui.views.formatting import CACHE_TEXT, SOURCE_TEXT, ratio_text, time_text
from playground.ui.views.notice import EmptyState, Notice
from playground.ui.views.plot_actions import PlotActions
from playground.ui.views.ratio_gauge import RatioGauge
from playground.ui.views.rival_chooser import RivalChooser
from playground.ui.views.roles import set_role
from playground.ui.views.rounds_plot import RoundsPlot
from playground.ui.views.scroll_page import ScrollPage
from playground.ui.views.table_twin import Column, RecordModel, RecordTable
from playground.ui.views.timing_tables import varying_label

if TYPE_CHECKING:
    from playground.model.comparison import Comparison, Verdict
    from playground.protocol.timing import Compare
    from playground.ui.document import Document
    from playground.ui.theme import Theme
    from playground.ui.views.marks import Mark, Tone

_LOOKS: dict[Verdict, tuple[Tone, Mark]] = {
    "faster": ("good", "check"),
    "slower": ("bad", "warning"),
    "same": ("accent", "info"),
    "unsure": ("warn", "question"),
}


@dataclass(frozen=True)
class Round:
    """One round: both times in ms."""

    number: int
    a_ms: float
    b_ms: float


_COLUMNS: tuple[Column[Round], ...] = (
    Column("Round", lambda item: item.number, numeric=True),
    Column(
        "This", lambda item: item.a_ms, lambda item: time_text(item.a_ms, 4), numeric=True,
        unit="ms",
    ),
    Column(
        "Other", lambda item: item.b_ms, lambda item: time_text(item.b_ms, 4),
        numeric=True, unit="ms"
    ),
    Column(
        "This / other", lambda item: item.a_ms / item.b_ms,
        lambda item: ratio_text(item.a_ms / item.b_ms), numeric=True,
    ),
)  # fmt: skip


class CompareView(QWidget):
    """What to compare with, the verdict with its interval on the noise band, and the rounds."""

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("compareView")
        self.setAccessibleName("Compare")
        self.setMinimumWidth(self.fontMetrics().height() * 20)
        self._document, self._theme = document, theme
        self._timing = document.timing
        self.chooser = RivalChooser(document, self)
        self.chooser.changed.connect(self._refresh)
        self.chooser.entered.connect(self.start)
        self._start = self._button("compare.start", "Compare", "Time both in turns (Enter)")
        self._start.setProperty("primary", True)
        self._start.clicked.connect(self._start_or_cancel)
        self._more = self._button(
            "compare.more", "Measure more", "Add rounds to this comparison: its interval narrows"
        )
        self._more.clicked.connect(self._timing.measure_more)
        self._budget = QComboBox(self)
        self._budget.setObjectName("compare.budget")
        self._budget.setAccessibleName("Measuring time of a comparison")
        self._budget.setToolTip(
            "Measuring time of a comparison, and what measuring more adds; it ends before that "
            "where the verdict is clear"
        )
        for each in BUDGETS_MS:
            self._budget.addItem(_seconds(each), each)
        self._budget.activated.connect(
            lambda index: self._timing.set_budget(self._budget.itemData(index))
        )
        self._timing.budgetChanged.connect(self._refresh)
        self._problem = Notice("compare.problem", theme, "warn", "warning", self)
        self._verdict = Chip("compare.verdict", theme, self)
        font = self._verdict.font()
        font.setPointSizeF(font.pointSizeF() * 1.25)
        font.setBold(True)
        self._verdict.setFont(font)
        self._lines = tuple(
            ElidedLabel(f"compare.{name}", self) for name in ("who", "times", "method")
        )
        for line in self._lines:
            set_role(line, "muted")
            line.setFixedHeight(line.fontMetrics().height())
        self._gauge = RatioGauge("compare.gauge", theme, self)
        self.plot = RoundsPlot(theme, self)
        self._model: RecordModel[Round] = RecordModel(_COLUMNS, self)
        table = RecordTable("compare.table", "Rounds of the comparison", self._model, self)
        self._pages = QStackedWidget(self)
        self._pages.addWidget(self.plot)
        self._pages.addWidget(table)
        self._actions = PlotActions("compare", theme, self.plot, self._as_csv, "comparison", self)
        self._actions.tableToggled.connect(self._pages.setCurrentIndex)
        self._empty = EmptyState("compare.empty", "", "", theme, self)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._empty)
        page = ScrollPage("compare.page", self._make_page(), self._pages, self)
        self._stack.addWidget(page)
        for signal in (
            document.launchesChanged, document.launchSelected, document.configChanged,
            document.cacheChanged, document.deviceChanged, self._timing.floorChanged,
        ):  # fmt: skip
            signal.connect(self._refresh)
        self._timing.comparisonChanged.connect(self._show_comparison)
        theme.changed.connect(self._recolour)
        self._recolour()
        self._show_comparison()

    def _button(self, name: str, text: str, tip: str) -> QPushButton:
        button = QPushButton(text, self)
        button.setObjectName(name)
        button.setAccessibleName(text)
        button.setToolTip(tip)
        return button

    def _make_page(self) -> QWidget:
        page = QWidget(self)
        layout = QVBoxLayout(page)
        layout.setSpacing(self.fontMetrics().height() // 4)
        # As wide as its longer word: it turns into the button that cancels.
        metrics = self._start.fontMetrics()
        self._start.setMinimumWidth(metrics.horizontalAdvance("Compare") + 4 * metrics.height())
        self.chooser.add_button(self._start)
        layout.addWidget(self.chooser)
        layout.addWidget(self._problem)
        top = QWidget(page)
        flow = FlowLayout(top)
        for widget in (self._verdict, self._more, self._budget, self._actions):
            flow.addWidget(widget)
        layout.addWidget(top)
        lines = QVBoxLayout()
        lines.setSpacing(0)
        for line in self._lines:
            lines.addWidget(line)
        layout.addLayout(lines)
        layout.addWidget(self._gauge)
        layout.addWidget(self._pages, 1)
        return page

    # ------------------------------------------------------------------------------ showing

    def _recolour(self) -> None:
        self._refresh()

    def _refresh(self) -> None:
        """Show what can be done now, and of which knobs the comparison shown is."""
        document, timing = self._document, self._timing
        gpu = timing.has_gpu
        self._stack.setCurrentIndex(1 if gpu and document.launch is not None else 0)
        if document.device is not None and not gpu:
            self._empty.say(
                "No GPU to compare on",
                "The interpreter's time says nothing about a GPU. Results, coverage, compiled code "
                "and the expected roofline of the chosen GPU are shown all the same.",
            )
        else:
            self._empty.say("Nothing to compare yet", "Press F5 to run.")
        at_work = timing.comparing is not None
        self._start.setText("Cancel" if at_work else "Compare")
        self._start.setAccessibleName(self._start.text())
        self._start.setIcon(icon("cross" if at_work else "compare", self._theme, "accent_text"))
        self._start.setEnabled(at_work or self.chooser.rival() is not None)
        index = self._budget.findData(timing.budget_ms)
        if index < 0:
            self._budget.addItem(_seconds(timing.budget_ms), timing.budget_ms)
            index = self._budget.count() - 1
        self._budget.setCurrentIndex(index)
        self._more.setEnabled(timing.comparison is not None and not at_work)
        self._more.setIcon(icon("plus", self._theme))
        self._show_lines()

    def _show_comparison(self) -> None:
        comparison = self._timing.comparison
        self._problem.say(self._timing.problem)
        if comparison is None:
            at_work = self._timing.comparing is not None
            self._verdict.show_fact("comparing …" if at_work else "not compared yet")
            self._gauge.show_ratio(None, None, "as fast")
        else:
            tone, mark = _LOOKS[comparison.verdict]
            self._verdict.show_fact(_headline(comparison), tone, mark, tip=comparison.text())
            self._gauge.show_ratio(
                (comparison.ratio, comparison.low, comparison.high), comparison.floor, "as fast",
                tone,
            )  # fmt: skip
        self.plot.show_comparison(comparison)
        self._model.set_records(_rounds(comparison))
        self._refresh()

    def _show_lines(self) -> None:
        comparison, compared = self._timing.comparison, self._timing.compared
        texts: tuple[str, ...] = ("", "", "")
        if comparison is not None and compared is not None:
            document = self._document
            older = (compared.launch, compared.config, compared.cache) != (
                document.launch_index, document.config, document.cache,
            )  # fmt: skip
            # While knobs move the comparison stays: it says whose it is.
            who = _who(compared, comparison)
            texts = (f"not of the knobs as they stand: {who}" if older else who, *_told(comparison))
        for line, text in zip(self._lines, texts, strict=True):
            line.setText(text)
        notes = comparison.notes if comparison is not None else ()
        if comparison is not None:
            self._lines[0].setToolTip(f"{comparison.a}\nagainst {comparison.b}")
        self._lines[2].setToolTip("\n".join((texts[2], *notes)))

    # ------------------------------------------------------------------------------ acting

    def start(self) -> None:
        """Compare with what is chosen, if it is all there."""
        rival = self.chooser.rival()
        if rival is not None and self._timing.has_gpu:
            self._timing.compare(rival)

    def _start_or_cancel(self) -> None:
        if self._timing.comparing is not None:
            self._timing.cancel_comparison()
        else:
            self.start()

    def _as_csv(self) -> str:
        comparison = self._timing.comparison
        if comparison is None:
            return ""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["this", comparison.a])
        writer.writerow(["other", comparison.b])
        writer.writerow(["verdict", comparison.text()])
        writer.writerow(["noise floor", comparison.floor])
        return out.getvalue() + self._model.as_csv()


def _seconds(budget_ms: float) -> str:
    return f"{budget_ms / 1e3:g} s"


def _headline(comparison: Comparison) -> str:
    if comparison.verdict == "unsure":
        return f"unsure: {ratio_text(comparison.ratio)}"
    if comparison.verdict == "same":
        return f"as fast: {ratio_text(comparison.ratio)}"
    return f"{comparison.verdict}: {ratio_text(comparison.ratio)}"


def _who(compared: Compare, comparison: Comparison) -> str:
    """Return what was timed in turns; of two configs of a launch, only the knobs that differ."""
    other = compared.against
    if other is None:
        return f"{comparison.a} against {comparison.b}"
    varying = {name for name, value in compared.config.values if other.as_dict().get(name) != value}
    ours, theirs = (varying_label(config, varying) for config in (compared.config, other))
    return f"{ours} against {theirs}"


def _told(comparison: Comparison) -> tuple[str, str]:
    """Return both times with the interval of their ratio, and how they were measured."""
    a_ms, b_ms = median(comparison.a_ms), median(comparison.b_ms)
    times = (
        f"{time_text(a_ms)} against {time_text(b_ms)} · 95 % interval "
        f"{ratio_text(comparison.low)} to {ratio_text(comparison.high)}"
    )
    notes = f" · {len(comparison.notes)} notes" if comparison.notes else ""
    source, cache = SOURCE_TEXT[comparison.source], CACHE_TEXT[comparison.cache]
    return times, f"{comparison.rounds} interleaved rounds · {source}, {cache}{notes}"


def _rounds(comparison: Comparison | None) -> tuple[Round, ...]:
    if comparison is None:
        return ()
    pairs = zip(comparison.a_ms, comparison.b_ms, strict=True)
    return tuple(Round(number, a, b) for number, (a, b) in enumerate(pairs, 1))
