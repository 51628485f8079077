"""Curves: the launch timed over problem sizes, several configs and rivals as lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import (
    QHBoxLayout,
    QProgressBar,
    QPushButton,
    QStackedLayout,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from playground.ui.curves_choice import labels_short
from playground.ui.icons import icon
from playground.ui.views.chips import FlowLayout
from playground.ui.views.curve_series import line_series, second_series
from playground.ui.views.curves_heat import CurvesHeat
from playground.ui.views.curves_legend import Legend
from playground.ui.views.curves_look import CurvesLook
from playground.ui.views.curves_plot import CurvesPlot
from playground.ui.views.curves_setup import CurvesSetup
from playground.ui.views.curves_table import curve_columns
from playground.ui.views.elided import ElidedLabel
from playground.ui.views.notice import EmptyState
from playground.ui.views.plot_actions import PlotActions
from playground.ui.views.scroll_page import ScrollPage
from playground.ui.views.table_twin import Column, RecordModel, RecordTable

if TYPE_CHECKING:
    from playground.model.curve import Curve, CurveRow
    from playground.ui.document import Document
    from playground.ui.theme import Theme

_WITHOUT_GPU = (
    "The interpreter's time on the CPU says nothing about a GPU, so no curve is drawn of it. The "
    "roofline of a chosen GPU, coverage, compiling and checks of results work here."
)
REDRAW_MS = 120
_LINES_FOR_BOTH = 26
"""Lines of text under which the choice and a plot would both be squeezed."""
_PLOT, _HEAT, _TABLE, _BLANK = range(4)
_CLOCKS = {"cupti": "CUPTI", "proton": "Proton"}


class CurvesView(QWidget):
    """The choice on top, then verbs and what is drawn, then the plot with its legend."""

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("curves")
        self.setAccessibleName("Curves over problem sizes")
        self._document, self._curves, self._theme = document, document.curves, theme
        self._table_shown = self._was_running = False
        self._drawn: Curve | None = None
        # Rows can come faster than they are worth a drawing each.
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(REDRAW_MS)
        self._later.timeout.connect(self._show_curve)
        self._columns: tuple[Column[CurveRow], ...] = ()
        self._setup = CurvesSetup(document, theme, self)
        self._start = self._button("start", "Draw", "Time every line at every size (F7)")
        self._start.clicked.connect(self._on_start)
        wide = self._start.sizeHint().width() + self.fontMetrics().horizontalAdvance("Can")
        self._start.setMinimumWidth(wide)  # it says Cancel meanwhile, and nothing moves
        self._resume = self._button("resume", "Continue", "Time only the points that are missing")
        self._resume.clicked.connect(lambda: self._curves.start(resume=True))
        self._look = CurvesLook(document, self)

        self.plot = CurvesPlot(theme, self)
        self.plot.linePicked.connect(self._curves.apply)
        self.heat = CurvesHeat(theme, self)
        self.heat.linePicked.connect(self._curves.apply)
        self.legend = Legend(theme, self)
        self.legend.changed.connect(lambda: self.plot.hide_lines(self.legend.hidden))
        self._model: RecordModel[CurveRow] = RecordModel((), self)
        self._table = RecordTable("curves.table", "Points of the curve", self._model, self)
        self._table.recordPicked.connect(lambda row: self._curves.apply(row.line))
        self._blank = EmptyState("curves.blank", "", "", theme, self)
        self._pages = QStackedWidget(self)
        for drawn in (self.plot, self.heat, self._table, self._blank):
            self._pages.addWidget(drawn)
        self._heading = ElidedLabel("curves.heading", self)
        self._picture = QWidget(self)
        picture = QVBoxLayout(self._picture)
        picture.setContentsMargins(0, 0, 0, 0)
        picture.setSpacing(2)
        picture.addWidget(self.legend)
        picture.addWidget(self._heading)
        picture.addWidget(self._pages, 1)
        self._actions = PlotActions("curves", theme, self._picture, self._as_csv, "curve", self)
        self._actions.tableToggled.connect(self._show_table)
        self._summary = ElidedLabel("curves.summary", self)
        self._fold = QToolButton(self)
        self._fold.setObjectName("curves.fold")
        self._fold.setAutoRaise(True)
        self._fold.clicked.connect(lambda: self._unfold(self._setup.isHidden()))
        self._bar = QProgressBar(self)
        self._bar.setObjectName("curves.progress")
        self._bar.setAccessibleName("Progress of the curve")
        self._bar.setTextVisible(False)
        policy = self._bar.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # nothing moves when it comes and goes
        self._bar.setSizePolicy(policy)

        page = QWidget(self)
        layout = QVBoxLayout(page)
        layout.setSpacing(self.fontMetrics().height() // 3)
        layout.addWidget(self._setup)
        layout.addWidget(self._make_verbs(page))
        line = QHBoxLayout()
        line.addWidget(self._fold)
        line.addWidget(self._summary, 1)
        line.addWidget(self._actions)
        layout.addLayout(line)
        layout.addWidget(self._bar)
        layout.addWidget(self._picture, 1)
        self._empty = EmptyState("curves.empty", "", "", theme, self)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(ScrollPage("curves.page", page, self._pages, self))

        self._curves.setupChanged.connect(self._show_setup)
        self._curves.curveChanged.connect(self._on_rows)
        self._curves.lookChanged.connect(self._show_curve)
        theme.changed.connect(self._recolour)
        self._recolour()

    def _button(self, name: str, text: str, tip: str) -> QPushButton:
        button = QPushButton(text, self)
        button.setObjectName(f"curves.{name}")
        button.setToolTip(tip)
        button.setAccessibleName(f"{text}: {tip}")
        return button

    def _make_verbs(self, parent: QWidget) -> QWidget:
        verbs = QWidget(parent)
        flow = FlowLayout(verbs)
        for widget in (self._start, self._resume, *self._look.widgets()):
            flow.addWidget(widget)
        return verbs

    def _recolour(self) -> None:
        self._resume.setIcon(icon("next", self._theme))
        self._unfold(not self._setup.isHidden())
        self._show_setup()
        self._show_curve()

    # ------------------------------------------------------------------------------ showing

    def _show_setup(self) -> None:
        document, curves = self._document, self._curves
        device = document.device
        interpreted = device is not None and device.mode == "interpreter"
        nothing = interpreted or document.launch is None
        if interpreted:
            self._empty.say("No curves without a GPU", _WITHOUT_GPU)
        elif document.launch is None:
            self._empty.say("Nothing to draw yet", "Press F5 to run; then choose sizes and lines.")
        elif not curves.size_names() and not curves.own:
            nothing = True
            self._empty.say(
                "This driver has no problem size",
                "Give a function example(…) integer parameters with defaults, such as "
                "size: int = 1 << 20, and launch the kernel from it.",
            )
        self._stack.setCurrentIndex(0 if nothing and curves.curve is None else 1)
        self._look.show_cache()
        ready = document.engine_state in ("ready", "busy")
        wrong = curves.wrong()
        kept, points = len(curves.kept()), curves.points()
        self._start.setEnabled(curves.running or (ready and not wrong))
        text = "Cancel" if curves.running else "Draw"
        tip = (
            "Stop at the next point; the points so far stay"
            if curves.running
            else "Time every line at every size (F7)"
        )
        self._start.setText(text)
        self._start.setToolTip(tip)
        self._start.setAccessibleName(f"{text}: {tip}")
        self._start.setIcon(icon("cross" if curves.running else "curves", self._theme))
        self._resume.setEnabled(ready and 0 < kept < points)
        self._show_summary()

    def _show_summary(self) -> None:
        curves = self._curves
        curve = curves.curve
        self._bar.setVisible(curves.running)
        self._bar.setRange(0, max(curves.total, 1))
        self._bar.setValue(curves.done)
        wrong = curves.wrong()
        if curves.running:
            text = f"{curves.done} of {curves.total} points"
        elif curve is None:
            points = curves.points()
            text = wrong or f"{points} points to time, each at least 50 ms of measuring"
        else:
            text = self._outcome(curve)
            if wrong:
                text = f"{wrong} · {text}"
        self._summary.setText(text)
        self._summary.setToolTip(text)

    def _outcome(self, curve: Curve) -> str:
        timed = sum(bool(row.median_ms) for row in curve.rows)
        parts = [f"{curve.kernel}, {curve.cache} L2: {timed} points"]
        failed = [row for row in curve.rows if not row.median_ms]
        if curve.cancelled:
            parts.append(f"stopped after {len(curve.rows)} of {self._curves.total}")
        if failed:
            parts.append(f"{len(failed)} failed ({failed[0].reason})")
        if self._curves.problem:
            parts.append(self._curves.problem)
        if self._curves.is_outdated():
            parts.append("of an earlier text")
        sources = {row.source for row in curve.rows if row.source}
        if sources:
            parts.insert(1, ", ".join(sorted(_CLOCKS.get(each, each) for each in sources)))
        return " · ".join((*parts, *curve.notes))

    def _on_rows(self) -> None:
        self._show_summary()
        self._make_room()
        if self._curves.running and self._drawn is not None:
            if not self._later.isActive():
                self._later.start()
        else:
            self._show_curve()

    def _show_curve(self) -> None:
        self._later.stop()
        curves = self._curves
        curve = self._drawn = curves.curve
        self._show_summary()
        self._actions.setEnabled(curve is not None)
        if curve is None:
            self._look.show_curve(None, {})
            self.plot.show_curve(None, (), "ms", log_y=True)
            self.legend.show_entries(())
            self._model.set_records(())
            self._blank.say("No curve yet", "Choose sizes and lines above, then press Draw (F7).")
            self._show_page()
            return
        short = labels_short(curves.lines) or {line: line for line in curve.lines}
        self._look.show_curve(curve, short)
        if self._is_map(curve):
            line = self._look.line
            self.heat.show_curve(curve, line, self._look.quantity, short.get(line, line))
            self._heading.setText(f"{self._look.title}, {curve.cache} L2: {short.get(line, line)}")
            self.legend.show_entries(())
        else:
            self._show_plot(curve, short)
        self._columns = curve_columns(curve, short)
        self._show_page()

    def _show_plot(self, curve: Curve, short: dict[str, str]) -> None:
        look, two = self._look, len(curve.axes) > 1
        if two:
            series = second_series(curve, look.quantity, look.line)
        else:
            series = line_series(curve, look.quantity, short)
        rivals = [item.config is None for item in self._curves.lines] if not two else ()
        self.plot.show_curve(
            curve, series, look.quantity, log_y=self._curves.log_y, rivals=rivals, ordered=two,
            title=look.title,
        )  # fmt: skip
        self.legend.show_entries(
            [
                (item.title, item.title if two else item.line, drawn)
                for item, drawn in zip(series, self.plot.looks(), strict=True)
            ]
        )

    def _show_page(self) -> None:
        curve = self._curves.curve
        if curve is None:
            self._pages.setCurrentIndex(_BLANK)
        elif self._table_shown:
            self._show_rows(curve)
            self._pages.setCurrentIndex(_TABLE)
        else:
            self._pages.setCurrentIndex(_HEAT if self._is_map(curve) else _PLOT)
        self._heading.setVisible(curve is not None and self._is_map(curve))

    def _is_map(self, curve: Curve) -> bool:
        return len(curve.axes) > 1 and self._curves.heat

    def _show_rows(self, curve: Curve) -> None:
        titles = [column.title for column in self._columns]
        fresh = titles != [column.title for column in self._model.columns]
        # The columns know this curve's lines, so they come anew with it; widths only where needed.
        self._model.columns = self._columns
        if fresh:
            self._model.set_columns(self._columns)
        self._model.set_records(curve.rows)
        if fresh or len(curve.rows) <= len(curve.lines):
            self._table.fit_columns()

    # ------------------------------------------------------------------------------ acting

    def _on_start(self) -> None:
        if self._curves.running:
            self._curves.cancel()
        else:
            self._curves.start()

    def _unfold(self, shown: bool) -> None:
        self._setup.setVisible(shown)
        self._fold.setToolTip(f"{'Hide' if shown else 'Show'} the sizes and lines to choose from")
        self._fold.setAccessibleName(self._fold.toolTip())
        self._fold.setIcon(icon("chevron-up" if shown else "chevron-down", self._theme, "muted"))

    def _make_room(self) -> None:
        """Fold the choice away in a low panel once there is something to see."""
        running = self._curves.running
        if running and not self._was_running:
            low = self.height() < _LINES_FOR_BOTH * self.fontMetrics().height()
            self._unfold(not self._setup.isHidden() and not low)
        self._was_running = running

    def _show_table(self, shown: bool) -> None:
        self._table_shown = shown
        self._show_page()

    def _as_csv(self) -> str:
        return self._curves.curve.as_csv() if self._curves.curve is not None else ""
