"""The panels around the editor: made empty at once, filled one by one after the first paint."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QDockWidget, QTabBar, QWidget
from shiboken6 import getCppPointer

from playground.ui.dock_tabs import DockTabs, TabbedDock
from playground.ui.dock_title import DockTitle
from playground.ui.icons import icon
from playground.ui.panel_theme import PanelTheme
from playground.ui.veil import Veil

if TYPE_CHECKING:
    from PySide6.QtWidgets import QMainWindow

    from playground.ui.document import Document
    from playground.ui.engine_port import EnginePort
    from playground.ui.theme import Theme

Area = Qt.DockWidgetArea


@dataclass(frozen=True)
class DockSpec:
    """One panel: its id, title, icon, the module and class that fill it, and its keys."""

    id: str
    title: str
    icon: str
    module: str
    view: str
    keys: str


DOCKS: tuple[DockSpec, ...] = (
    DockSpec("launches", "Launches", "launches", "playground.ui.views.launches", "LaunchesView",
             "Ctrl+2"),
    DockSpec("knobs", "Knobs", "knobs", "playground.ui.views.knobs", "KnobsPanel", "Ctrl+3"),
    DockSpec("timings", "Timings", "timings", "playground.ui.views.timings", "TimingsView",
             "Ctrl+4"),
    DockSpec("coverage", "Tile coverage", "coverage", "playground.ui.views.coverage",
             "CoverageView", "Ctrl+5"),
    DockSpec("schedule", "Schedule", "schedule", "playground.ui.views.schedule", "ScheduleView",
             "Ctrl+Alt+H"),
    DockSpec("compiler", "Compiler", "compiler", "playground.ui.views.compiler", "CompilerView",
             "Ctrl+6"),
    DockSpec("compare", "Compare", "compare", "playground.ui.views.compare", "CompareView",
             "Ctrl+Alt+V"),
    DockSpec("sweep", "Sweep", "sweep", "playground.ui.views.sweep", "SweepView", "Ctrl+7"),
    DockSpec("curves", "Curves", "curves", "playground.ui.views.curves", "CurvesView",
             "Ctrl+Alt+C"),
    DockSpec("roofline", "Roofline", "roofline", "playground.ui.views.roofline", "RooflineView",
             "Ctrl+Alt+R"),
    DockSpec("nsight", "Nsight Compute", "profile", "playground.ui.views.nsight", "NsightView",
             "Ctrl+Alt+N"),
    DockSpec("experiments", "Experiments", "experiments", "playground.ui.views.experiments",
             "ExperimentsView", "Ctrl+Alt+X"),
    DockSpec("debugger", "Debugger", "debug", "playground.ui.views.debugger", "DebuggerView",
             "Ctrl+Alt+O"),
    DockSpec("advisor", "Advisor", "hint", "playground.ui.views.advisor", "AdvisorView",
             "Ctrl+Alt+E"),
    DockSpec("telemetry", "Telemetry", "telemetry", "playground.ui.views.telemetry",
             "TelemetryView", "Ctrl+Alt+G"),
    DockSpec("console", "Console", "console", "playground.ui.console", "ConsoleView", "Ctrl+8"),
    DockSpec("findings", "Findings", "findings", "playground.ui.findings_view", "FindingsView",
             "Ctrl+9"),
)  # fmt: skip

# What the user sees first is filled first.
_FILL_ORDER = (
    "knobs", "launches", "findings", "timings", "coverage", "compiler", "schedule", "compare",
    "sweep", "curves", "roofline", "nsight", "debugger", "advisor", "experiments", "telemetry",
    "console",
)  # fmt: skip


class Docks(QObject):
    """Makes, fills and arranges the panels; `filled` tells of each view as it comes."""

    filled = Signal(str, QWidget)
    allFilled = Signal()

    def __init__(self, window: QMainWindow, document: Document, theme: Theme) -> None:
        super().__init__(window)
        self._window = window
        self._document = document
        self._theme = theme
        self._docks: dict[str, QDockWidget] = {}
        self.views: dict[str, QWidget] = {}
        self._titles: dict[str, DockTitle] = {}
        self._tabbed: dict[int, TabbedDock] = {}
        self._waiting = list(_FILL_ORDER)
        self._veils: list[Veil] = []
        self._tidy = QTimer(self)
        self._tidy.setSingleShot(True)
        self._tidy.timeout.connect(self._tidy_titles)
        for spec in DOCKS:
            self._docks[spec.id] = self._make(spec)
        theme.changed.connect(self._tidy.start)

    def __getitem__(self, name: str) -> QDockWidget:
        return self._docks[name]

    def docks(self) -> tuple[QDockWidget, ...]:
        """Return all panels."""
        return tuple(self._docks.values())

    def cover(self) -> None:
        """Hide what the panels show: it is of a file that is no longer in front."""
        if not self._veils:
            self._veils = [
                Veil(view) for name, view in self.views.items()
                if name != "console" and view.isVisible()
            ]  # fmt: skip

    def uncover(self) -> None:
        """Show the panels again: they are of the file in front."""
        veils, self._veils = self._veils, []
        for veil in veils:
            veil.hide()
            veil.deleteLater()

    def show(self, name: str) -> None:
        """Bring a panel to the front and give it the keyboard."""
        dock = self._docks[name]
        dock.show()
        dock.raise_()
        view = self.views.get(name)
        if view is not None:
            view.setFocus(Qt.FocusReason.ShortcutFocusReason)

    # ------------------------------------------------------------------------- layout

    def arrange(self) -> None:
        """Put every panel where it belongs at first."""
        window, docks = self._window, self._docks
        for dock in docks.values():
            if dock.isFloating():
                dock.setFloating(False)
            window.removeDockWidget(dock)
        window.addDockWidget(Area.LeftDockWidgetArea, docks["launches"])
        window.splitDockWidget(docks["launches"], docks["knobs"], Qt.Orientation.Vertical)
        window.addDockWidget(Area.RightDockWidgetArea, docks["timings"])
        window.splitDockWidget(docks["timings"], docks["coverage"], Qt.Orientation.Vertical)
        window.tabifyDockWidget(docks["timings"], docks["compare"])
        window.tabifyDockWidget(docks["compare"], docks["sweep"])
        window.tabifyDockWidget(docks["sweep"], docks["curves"])
        window.tabifyDockWidget(docks["curves"], docks["roofline"])
        window.tabifyDockWidget(docks["roofline"], docks["experiments"])
        window.tabifyDockWidget(docks["coverage"], docks["schedule"])
        window.tabifyDockWidget(docks["schedule"], docks["compiler"])
        window.tabifyDockWidget(docks["compiler"], docks["nsight"])
        window.tabifyDockWidget(docks["nsight"], docks["debugger"])
        window.addDockWidget(Area.BottomDockWidgetArea, docks["console"])
        window.tabifyDockWidget(docks["console"], docks["findings"])
        window.tabifyDockWidget(docks["findings"], docks["advisor"])
        window.tabifyDockWidget(docks["advisor"], docks["telemetry"])
        for name, dock in docks.items():
            # The strip in the status bar opens it, where there is a GPU to watch.
            dock.setVisible(name != "telemetry")
        for name in ("timings", "coverage", "console"):
            docks[name].raise_()
        width, height = window.width(), window.height()
        side = min(max(round(width * 0.215), 260), 360)
        right = min(max(round(width * 0.385), 420), max(round(width - side - 420), 200))
        horizontal = [docks["launches"], docks["timings"]]
        window.resizeDocks(horizontal, [side, right], Qt.Orientation.Horizontal)
        window.resizeDocks(
            [docks["launches"], docks["knobs"]],
            [round(height * 0.36), round(height * 0.5)],
            Qt.Orientation.Vertical,
        )
        window.resizeDocks(
            [docks["timings"], docks["coverage"]],
            [round(height * 0.47), round(height * 0.43)],
            Qt.Orientation.Vertical,
        )
        window.resizeDocks([docks["console"]], [round(height * 0.27)], Qt.Orientation.Vertical)
        # At once, for the first paint; and again when tabs are there to be given their icons.
        self._tidy_titles()
        self._tidy.start()

    def _make(self, spec: DockSpec) -> QDockWidget:
        dock = QDockWidget(spec.title, self._window)
        dock.setObjectName(f"dock.{spec.id}")
        dock.setAccessibleName(spec.title)
        dock.setAllowedAreas(Area.AllDockWidgetAreas)
        blank = QWidget(dock)
        blank.setProperty("role", "view")
        blank.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        dock.setWidget(blank)
        self._tabbed[_address(dock)] = TabbedDock(dock, spec.title, spec.icon)
        self._titles[spec.id] = title = DockTitle(dock, spec.icon, self._theme)
        dock.setTitleBarWidget(title)
        toggle = dock.toggleViewAction()
        toggle.setObjectName(f"view.{spec.id}")
        toggle.setIcon(icon(spec.icon, self._theme))
        toggle.setStatusTip(f"Show or hide {spec.title.lower()}")
        for changed in (dock.dockLocationChanged, dock.topLevelChanged, dock.visibilityChanged):
            changed.connect(self._later)
        return dock

    def _later(self, _what: object) -> None:
        self._tidy.start()

    def _tidy_titles(self) -> None:
        """Give tabbed panels no title bar of their own (their tab is the title), the others one."""
        for name, dock in self._docks.items():
            tabbed = not dock.isFloating() and any(
                not other.isFloating() and other.isVisibleTo(self._window)
                for other in self._window.tabifiedDockWidgets(dock)
            )
            self._titles[name].set_bare(tabbed)
            if not tabbed:
                self._tabbed[_address(dock)].show_title(whole=True)
        for spec in DOCKS:
            self._docks[spec.id].toggleViewAction().setIcon(icon(spec.icon, self._theme))
        for tabs in self._window.findChildren(
            QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly
        ):
            fitting = tabs.findChild(DockTabs) or DockTabs(tabs, self._tabbed, self._theme)
            fitting.fit()

    # ------------------------------------------------------------------------- filling

    def fill_later(self) -> None:
        """Fill the panels one by one, letting the window handle events in between."""
        QTimer.singleShot(0, self, self._fill_next)

    def fill_now(self) -> None:
        """Fill all panels at once (for photographs and tests)."""
        while self._waiting:
            self._fill(self._waiting.pop(0))
        self.allFilled.emit()

    def _fill_next(self) -> None:
        if not self._waiting:
            return
        self._fill(self._waiting.pop(0))
        if self._waiting:
            QTimer.singleShot(0, self, self._fill_next)
        else:
            self.allFilled.emit()

    def _console_engine(self) -> EnginePort:
        # The console needs the process itself, for its client.
        engine = self._document.engine
        process = getattr(engine, "process", None)
        return engine if process is None else process

    def _fill(self, name: str) -> None:
        if "playground.ui.engine_process" in sys.modules:
            # The engine's thread may be importing this; Qt's modules must be imported by one
            # thread at a time, or the program ends now and then.
            import_module("playground.ui.engine_client")
        spec = next(spec for spec in DOCKS if spec.id == name)
        dock = self._docks[name]
        factory = getattr(import_module(spec.module), spec.view)
        theme = PanelTheme(self._theme, dock)
        if name == "console":
            view: QWidget = factory(self._document, theme, self._console_engine(), dock)
        else:
            view = factory(self._document, theme, dock)
        view.setProperty("role", "view")
        view.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        # A small screen must not be outgrown: panels may be smaller than they would like to be.
        line = view.fontMetrics().height()
        view.setMinimumSize(12 * line, 5 * line)
        blank = dock.widget()
        dock.setWidget(view)
        if blank is not None:
            blank.deleteLater()
        self.views[name] = view
        self.filled.emit(name, view)


def _address(dock: QDockWidget) -> int:
    """Return what Qt keeps with a tab to tell whose it is."""
    return int(getCppPointer(dock)[0])
