"""The sweep: a space to edit, its progress, and every config's outcome in several views."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QStackedLayout,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from playground.ui.views.elided import ElidedLabel
from playground.ui.views.fitting_tabs import FittingTabs
from playground.ui.views.notice import EmptyState, Notice
from playground.ui.views.plot_actions import PlotActions
from playground.ui.views.scroll_page import ScrollPage
from playground.ui.views.segmented import Segmented
from playground.ui.views.sweep_compare import SweepCompareView
from playground.ui.views.sweep_convergence import ConvergencePlot
from playground.ui.views.sweep_head import SweepHead
from playground.ui.views.sweep_heat import SweepHeat
from playground.ui.views.sweep_importance import ImportancePicture
from playground.ui.views.sweep_parallel import ParallelPicture
from playground.ui.views.sweep_past import SweepPastView
from playground.ui.views.sweep_ranking import SweepRanking
from playground.ui.views.sweep_scene import Scene, scene, sizes_words
from playground.ui.views.sweep_setup import SweepSetup
from playground.ui.views.sweep_sizes import SizesPicture
from playground.ui.views.sweep_twins import SweepTwins

if TYPE_CHECKING:
    from PySide6.QtGui import QShowEvent

    from playground.model.sweep import SweepRow
    from playground.ui.document import Document
    from playground.ui.theme import Theme

REDRAW_MS = 120
"""Rows can come faster than they are worth a drawing each."""

LINES_OF_VIEW = 11
"""Lines of text that a view with its own controls keeps before the whole page scrolls."""

PAGES = (
    ("setup", "Set-up", "What to try, and how to search"),
    ("ranking", "Ranking", "Every config in a table, with filters"),
    ("heat", "Heat map", "The best time over any two knobs"),
    ("parallel", "Parallel", "All configs as lines over their knobs"),
    ("importance", "Knobs", "How much each knob matters"),
    ("convergence", "Progress", "How the best time fell"),
    ("sizes", "Sizes", "The best at each problem size, and one best for all"),
    ("past", "Past", "Sweeps that were kept"),
    ("compare", "Compare", "Two sweeps side by side"),
)
_OF_ROWS = ("ranking", "heat", "parallel", "importance", "convergence")
_WITH_TABLE = ("heat", "parallel", "importance", "convergence", "sizes")


class SweepView(QWidget):
    """Verbs on top, then the set-up or one of the views.

    Whatever is clicked in a view sets the sliders to its config.
    """

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sweepView")
        self.setAccessibleName("Sweep")
        # Narrower than this the controls would be cut.
        self.setMinimumWidth(self.fontMetrics().height() * 20)
        self._document, self._sweep, self._theme = document, document.sweep, theme
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(REDRAW_MS)
        self._later.timeout.connect(self._show_rows)
        self._result_page = "ranking"
        self._stale = True
        self._scene = Scene()
        self._notice = Notice("sweep.notice", theme, "warn", "info", self)
        self.head = SweepHead(document, theme, self)
        self.setup = SweepSetup(document, theme, self)
        self._make_views()
        self._tabs = FittingTabs("sweep.tabs", "Views of the sweep", self)
        for _, title, tip in PAGES:
            self._tabs.add(title, tip)
        self._tabs.currentChanged.connect(lambda _index: self._show_page())
        self._parts = QComboBox(self)
        self._parts.setObjectName("sweep.part")
        self._parts.setAccessibleName("Problem size looked at")
        self._parts.activated.connect(self._sweep.show_part)
        self._actions = PlotActions("sweep", theme, self._pages, self._as_csv, "sweep", self)
        self._actions.tableToggled.connect(lambda _on: self._show_page())
        self._said = ElidedLabel("sweep.said", self)
        self._empty = EmptyState(
            "sweep.empty", "Nothing to sweep yet", "Press F5 to run; then choose values to try.",
            theme, self,
        )  # fmt: skip
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._empty)
        page = ScrollPage("sweep.page", self._make_page(), self._pages, self, LINES_OF_VIEW)
        self._stack.addWidget(page)

        document.launchesChanged.connect(self._show_mode)
        document.deviceChanged.connect(self._show_mode)
        document.engineStateChanged.connect(self._on_engine)
        document.configChanged.connect(self._later.start)
        self._sweep.setupChanged.connect(self._show_setup)
        self._sweep.changed.connect(self._on_changed)
        for changed in (self._sweep.past.comparisonChanged, self._sweep.past.listChanged):
            changed.connect(self._on_compared)
        document.sweepBegun.connect(self._on_begun)
        self._show_mode()
        self._show_rows()

    # ------------------------------------------------------------------------------ making

    def _make_views(self) -> None:
        document, theme = self._document, self._theme
        self.ranking = SweepRanking(theme, self)
        self.heat = SweepHeat(theme, self)
        self.parallel = ParallelPicture(theme, self)
        self.importance = ImportancePicture(theme, self)
        self.convergence = ConvergencePlot(theme, self)
        self.sizes = SizesPicture(theme, self)
        self.twins = SweepTwins(self)
        self.past = SweepPastView(document, theme, self)
        self.compare = SweepCompareView(document, theme, self)
        for source in (
            self.ranking, self.heat.picture, self.parallel, self.importance, self.convergence,
            self.sizes, self.twins,
        ):  # fmt: skip
            source.rowPicked.connect(self._apply)
        self.heat.chosen.connect(lambda: self._say(self.heat.summary()))
        self.compare.configPicked.connect(self._sweep.apply)
        self.past.opened.connect(lambda: self.show_view("ranking"))
        self.past.compared.connect(lambda: self.show_view("compare"))
        self._by = Segmented(
            "sweep.by", "Best so far over",
            (("count", "configs", "Over configs timed"), ("seconds", "seconds", "Over time")), self,
        )  # fmt: skip
        self._by.set_value("count")
        self._by.chosen.connect(lambda value: self._show_by(seconds=value == "seconds"))
        self._pages = QStackedWidget(self)
        tall = {
            name: ScrollPage(f"sweep.{name}Page", view, None, self)
            for name, view in (
                ("setup", self.setup), ("importance", self.importance), ("sizes", self.sizes),
            )
        }  # fmt: skip
        self._by_name: dict[str, QWidget] = {
            "ranking": self.ranking, "heat": self.heat, "parallel": self.parallel,
            "convergence": self.convergence, "past": self.past, "compare": self.compare, **tall,
        }  # fmt: skip
        self._blank = EmptyState(
            "sweep.blank", "No config was tried yet",
            "Choose values under Set-up, then press Start sweep; or open one under Past.", theme,
            self,
        )  # fmt: skip
        for page in (*self._by_name.values(), self.twins, self._blank):
            self._pages.addWidget(page)

    def _make_page(self) -> QWidget:
        page = QWidget(self)
        layout = QVBoxLayout(page)
        layout.setSpacing(self.fontMetrics().height() // 3)
        layout.addWidget(self._notice)
        layout.addWidget(self.head)
        layout.addWidget(self._tabs)
        self._line = QWidget(page)
        line = QHBoxLayout(self._line)
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(self._said, 1)
        for widget in (self._by, self._parts, self._actions):
            line.addWidget(widget)
        layout.addWidget(self._line)
        layout.addWidget(self._pages, 1)
        return page

    # ------------------------------------------------------------------------------ showing

    def showEvent(self, event: QShowEvent) -> None:
        """Have the engine prepare itself: who looks here is about to sweep."""
        super().showEvent(event)
        if self._stale:
            self._show_rows()
        self._sweep.prepare()
        if not self._sweep.past.sweeps:
            self._sweep.past.refresh()

    def _on_engine(self, _state: str) -> None:
        if self.isVisible():
            self._sweep.prepare()
        self._show_setup()

    def _show_mode(self) -> None:
        device = self._document.device
        self._notice.say(
            "interpreter: no GPU timings, nothing is ranked by time. A sweep compiles and checks "
            "every config."
            if device is not None and device.mode == "interpreter"
            else ""
        )
        self._show_setup()

    def _show_setup(self) -> None:
        nothing = self._document.launch is None and not self._sweep.parts
        self._stack.setCurrentIndex(0 if nothing else 1)
        self.head.show_setup()
        if self.isVisible():
            self._sweep.prepare()

    def _on_changed(self) -> None:
        self._show_setup()
        if self._sweep.running and self._scene.rows:
            if not self._later.isActive():
                self._later.start()
        else:
            self._show_rows()

    def _on_begun(self) -> None:
        """Look at what comes in, where the set-up was looked at."""
        if self.page == "setup":
            self.show_view(self._result_page)

    def _show_rows(self) -> None:
        self._later.stop()
        self._stale = not self.isVisible()
        if self._stale:
            return  # behind another panel nothing is drawn: sliders move there
        sweep = self._sweep
        self._scene = scene(sweep.rows, sweep.result, self._document.config)
        self.head.show_rows(self._scene)
        texts = [sizes_words(part.sizes) or "all" for part in sweep.parts]
        if [self._parts.itemText(i) for i in range(self._parts.count())] != texts:
            self._parts.clear()
            self._parts.addItems(texts)
        self._parts.setCurrentIndex(sweep.shown if texts else -1)
        for index, (name, _, _) in enumerate(PAGES):
            if name == "sizes":
                self._tabs.set_shown(index, len(texts) > 1)
        self._show_page()

    @property
    def page(self) -> str:
        """The name of the view looked at."""
        return PAGES[self._tabs.index][0]

    def show_view(self, name: str) -> None:
        """Look at a view by its name (see `PAGES`)."""
        self._tabs.choose([page[0] for page in PAGES].index(name))

    def _show_page(self) -> None:
        """Draw the view looked at; the others when their turn comes."""
        name, shown = self.page, self._scene
        if name in _OF_ROWS:
            self._result_page = name
        self.head.show_page(is_setup=name == "setup")
        device = self._document.device
        timed = shown.timed or device is None or device.mode == "gpu"
        blank = name in _OF_ROWS and not shown.rows
        twin = self._actions.shows_table and name in _WITH_TABLE
        compared = name == "compare" and self._sweep.past.comparison is not None
        self._actions.setVisible((name in _WITH_TABLE and not blank) or compared)
        self._by.setVisible(name == "convergence" and not blank and not twin)
        self._parts.setVisible(name in _OF_ROWS and len(self._sweep.parts) > 1)
        if blank:
            self._pages.setCurrentWidget(self._blank)
            self._say("")
            return
        if twin and name in ("importance", "sizes"):
            self._show_twin(name)
            self._pages.setCurrentWidget(self.twins)
            self._say("")
            return
        if name == "ranking" or twin:
            self.ranking.show_scene(shown, timed=timed)
            self._pages.setCurrentWidget(self.ranking)
            self._say("")
            return
        said = ""
        if name == "heat":
            self.heat.show_scene(shown)
            said = self.heat.summary()
        elif name == "parallel":
            self.parallel.show_scene(shown)
            said = self.parallel.summary()
        elif name == "importance":
            self.importance.show_scene(shown)
            said = self.importance.summary()
        elif name == "convergence":
            self.convergence.show_scene(shown)
            self._by.button("seconds").setEnabled(self.convergence.found.has_seconds)
            said = self.convergence.summary()
        elif name == "sizes":
            self.sizes.show_sweeps(self._sweep.sized(), shown)
            said = self.sizes.summary()
        elif name == "past":
            self.past.show_list()
        elif name == "compare":
            self._sweep.past.compare_latest()
            self.compare.show_table(self._actions.shows_table)
        self._say(said)
        self._pages.setCurrentWidget(self._by_name[name])

    def _on_compared(self) -> None:
        if self.page == "compare":
            self._show_page()

    def _say(self, text: str) -> None:
        self._said.setText(text)
        others = (self._by, self._parts, self._actions)
        self._line.setVisible(bool(text) or any(not widget.isHidden() for widget in others))

    def _show_twin(self, name: str) -> None:
        """Bring the table of a picture that has figures of its own up to date."""
        if name == "importance":
            self.importance.show_scene(self._scene)
            self.twins.show_knobs(self.importance.found)
        else:
            sweeps = self._sweep.sized()
            self.sizes.show_sweeps(sweeps, self._scene)
            self.twins.show_sizes(sweeps, self.sizes.candidates)

    def _show_by(self, *, seconds: bool) -> None:
        self.convergence.show_by(seconds=seconds)

    # ------------------------------------------------------------------------------ acting

    def _apply(self, row: SweepRow) -> None:
        self._sweep.apply(row.config)

    def _as_csv(self) -> str:
        if self.page == "compare":
            return self.compare.model.as_csv()
        if self.page in ("importance", "sizes"):
            self._show_twin(self.page)
            return self.twins.as_csv()
        device = self._document.device
        timed = self._scene.timed or device is None or device.mode == "gpu"
        self.ranking.show_scene(self._scene, timed=timed)
        return self.ranking.model.as_csv()
