"""The main window: the editor in the middle, panels around it, one table of actions for all."""

from __future__ import annotations

import time
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QMainWindow, QTabWidget, QToolBar

from playground.model.outline import Driver
from playground.ui.actions import Actions
from playground.ui.attention import Attention
from playground.ui.compiler_verbs import CompilerVerbs
from playground.ui.coverage_verbs import CoverageVerbs
from playground.ui.debug_verbs import DebugVerbs
from playground.ui.docks import Docks
from playground.ui.drivers_bar import TYPED
from playground.ui.edit_verbs import EditVerbs
from playground.ui.editor_area import EditorArea
from playground.ui.file_verbs import FileVerbs
from playground.ui.icons import app_icon
from playground.ui.menus import Menus
from playground.ui.of_file import OfFile
from playground.ui.open_files import OpenFiles
from playground.ui.settings import LAYOUT_VERSION, Settings
from playground.ui.status import StatusBar
from playground.ui.sweep_verbs import SweepVerbs
from playground.ui.timing_verbs import TimingVerbs

if TYPE_CHECKING:
    from PySide6.QtGui import (
        QCloseEvent,
        QDragEnterEvent,
        QDropEvent,
        QPaintEvent,
        QShowEvent,
    )
    from PySide6.QtWidgets import QWidget

    from playground.ui.action_spec import Needs
    from playground.ui.document import Document
    from playground.ui.engine_port import EnginePort
    from playground.ui.export_check import ExportCheck
    from playground.ui.figure_help import FigureHelp
    from playground.ui.sharing_verbs import SharingVerbs
    from playground.ui.theme import Theme
    from playground.ui.tour import Tour

DEFAULT_SIZE = QSize(1600, 1000)


class MainWindow(QMainWindow):
    """The window of the open files; `firstPainted` tells when it is on screen.

    `document` is the one whose tab is in front, whichever that is (see `front`). Panels are empty
    at first: `load_views` fills them once the editor can be typed in.
    """

    firstPainted = Signal()
    closed = Signal()

    def __init__(
        self,
        document: Document,
        theme: Theme,
        engine: EnginePort,
        *,
        settings: Settings | None = None,
    ) -> None:
        super().__init__()
        self.open_files = OpenFiles(document, self)
        self.document = document = self.open_files.front
        self.theme = theme
        self.engine = engine
        self.settings = settings or Settings()
        document.setup_store = self.settings
        self._painted = False
        self._ask_before_closing = True
        self.setObjectName("mainWindow")
        self.setWindowIcon(app_icon())
        self.setDockNestingEnabled(True)
        self.setAnimated(False)
        self.setAcceptDrops(True)
        for area in (Qt.DockWidgetArea.AllDockWidgetAreas,):
            self.setTabPosition(area, QTabWidget.TabPosition.North)
        for corner, side in (
            (Qt.Corner.BottomLeftCorner, Qt.DockWidgetArea.LeftDockWidgetArea),
            (Qt.Corner.BottomRightCorner, Qt.DockWidgetArea.RightDockWidgetArea),
        ):
            self.setCorner(corner, side)
        self.area = EditorArea(self.open_files, theme, self)
        self.editor = self.area.editor
        self.files = FileVerbs(self)
        self.edit_verbs = EditVerbs(self)
        self.timing_verbs = TimingVerbs(self)
        self.setCentralWidget(self.area)
        self.docks = Docks(self, document, theme)
        self.compiler_verbs = CompilerVerbs(self)
        self.coverage_verbs = CoverageVerbs(self)
        self.debug_verbs = DebugVerbs(self)
        self.sweep_verbs = SweepVerbs(self)
        self.actions_table = Actions(self, theme, self.settings.shortcuts())
        table = self.actions_table
        self.drivers = self.area.add_drivers_bar(table["run"], table["driver.edit"])
        self.menus = Menus(self)
        self._build_tool_bar()
        self.status_bar = StatusBar(document, theme, self.editor, self)
        self.status_bar.telemetryWanted.connect(lambda: self.docks.show("telemetry"))
        self.setStatusBar(self.status_bar)
        self._connect()
        self._attention = Attention(self)
        self.resize(DEFAULT_SIZE)
        self._restore()
        self._show_title()
        self.refresh_actions()

    # Parts that the window does not need to start with.

    @cached_property
    def sharing(self) -> SharingVerbs:
        """What the window hands on of a launch."""
        from playground.ui.sharing_verbs import SharingVerbs

        return SharingVerbs(self)

    @cached_property
    def export_check(self) -> ExportCheck:
        """What has exported files prove themselves."""
        from playground.ui.export_check import ExportCheck

        return ExportCheck(self, self.document)

    @cached_property
    def tour(self) -> Tour:
        """The tour through the window."""
        from playground.ui.tour import Tour

        return Tour(self)

    @cached_property
    def figure_help(self) -> FigureHelp:
        """What figures mean."""
        from playground.ui.figure_help import FigureHelp

        return FigureHelp(self)

    # ------------------------------------------------------------------------ building

    def _build_tool_bar(self) -> None:
        bar = QToolBar("Toolbar", self)
        bar.setObjectName("toolbar")
        bar.setAccessibleName("Toolbar")
        bar.setMovable(False)
        side = round(self.fontMetrics().height() * 1.25)
        bar.setIconSize(QSize(side, side))
        bar.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self.actions_table.fill_tool_bar(bar)
        self.addToolBar(bar)

    def _connect(self) -> None:
        document = self.document
        self.open_files.changed.connect(self._show_title)
        self.open_files.changed.connect(self._name_busy)
        for changed in (
            document.launchesChanged, document.measuredChanged, document.baselineChanged,
            document.engineStateChanged, document.progressChanged, document.dirtyChanged,
            document.outlineChanged, document.knob_history.indexChanged,
        ):  # fmt: skip
            changed.connect(self.refresh_actions)
        for each in self.open_files.documents:
            self._follow(each)
        self.open_files.added.connect(self._follow)
        self.open_files.shown.connect(lambda _document: self.docks.cover())
        self.open_files.told.connect(self.docks.uncover)
        document.runOptionsChanged.connect(self._show_run_options)
        self.drivers.typedChanged.connect(
            lambda code: self.settings.set_typed_driver(self.document.path, code)
        )
        self.area.tabs.closeWanted.connect(self.files.close_documents)
        self.area.tabs.copyWanted.connect(self.files.copy_path)
        self.area.tabs.revealWanted.connect(self.files.reveal)
        self.area.fileChosen.connect(self.files.open_path)
        self.area.openWanted.connect(self.files.open)
        self.files.recentChanged.connect(lambda: self.area.show_recent(self.settings.recent))
        self.area.show_recent(self.settings.recent)
        self.editor.filesDropped.connect(self.files.open_dropped)
        self.docks.filled.connect(self._on_filled)

    def _on_filled(self, _name: str, view: QWidget) -> None:
        for signal, slot in (
            ("sourceLineRequested", self.area.go_to), ("placeRequested", self.area.go_to),
            ("driverPlaceRequested", self.area.go_to_driver),
        ):  # fmt: skip
            if hasattr(view, signal):
                getattr(view, signal).connect(slot)

    def load_views(self) -> None:
        """Fill the panels and colour the text: what need not be there at the first paint."""
        self.area.start_colours()
        self.area.add_completion()
        self.area.show_gallery()
        self.docks.fill_later()

    # ------------------------------------------------------------------------- showing

    def _name_busy(self) -> None:
        files = self.open_files
        busy = files.busy() if len(files.documents) > 1 else None
        self.status_bar.name_busy(files.names()[busy] if busy is not None else "")

    def _show_title(self, _what: object = None) -> None:
        path = self.document.path
        name = self.open_files.names()[self.open_files.current]
        self.setWindowTitle(f"{name}[*] - Triton Playground")
        self.setWindowModified(self.document.dirty)
        self.setWindowFilePath(path)

    def refresh_actions(self, *_what: object) -> None:
        """Enable the actions that have what they need."""
        document = self.document
        have: dict[Needs, bool] = {
            "": True,
            "text": bool(document.text.strip()) and document.engine_state != "dead",
            "launch": document.launch is not None,
            "busy": document.engine_state == "busy",
            "measurement": document.measurement is not None,
            "baseline": document.baseline is not None,
            "file": bool(document.path),
            "open": not self.open_files.is_blank,
            "several": len(self.open_files.documents) > 1,
            "ran": self.files.last_run is not None,
            "undo": document.knob_history.can_undo,
            "redo": document.knob_history.can_redo,
            "debugged": document.is_debugging,
            "exported": "export_check" in vars(self) and bool(self.export_check.path),
            "stopped": document.is_debugging and document.debugging.stop is not None,
        }
        self.actions_table.refresh(have)

    def _follow(self, document: Document) -> None:
        """Give every file that is opened in a document the drivers that it had before."""
        document.pathChanged.connect(OfFile(self, document, self._take_drivers).take)
        document.driverFound.connect(OfFile(self, document, self._keep_found).take)

    def _keep_found(self, document: Document) -> None:
        self.settings.set_found_drivers(document.path, document.found_drivers)

    def _take_drivers(self, document: Document, path: str) -> None:
        document.found_drivers = self.settings.found_drivers(path) if path else {}
        document.typed_driver = code = self.settings.typed_driver(path) if path else ""
        document.driver_seen = None
        if code:
            document.set_driver(Driver("typed", TYPED, code))

    def _show_run_options(self) -> None:
        self.actions_table["run.benchmarks"].setChecked(self.document.run_benchmarks)
        self.actions_table["run.tuning"].setChecked(self.document.run_tuning)

    # --------------------------------------------------------------------------- verbs

    def toggle_theme(self) -> None:
        """Change between the light and the dark theme, and remember the choice."""
        self.theme.toggle()
        self.settings.theme = self.theme.name

    def sweep(self) -> None:
        """Sweep around the config shown, or with the ranges set in the sweep panel."""
        self.docks["sweep"].show()
        self.docks["sweep"].raise_()
        self.document.sweep.start()

    def draw_curve(self) -> None:
        """Draw the curve that the panel describes, or bring it to the front where it can't."""
        self.docks.show("curves")
        self.document.curves.start()

    def show_roofline(self) -> None:
        """Bring the roofline to the front."""
        self.docks.show("roofline")

    def measure_ceilings(self) -> None:
        """Measure the ceilings of the machine's GPU anew."""
        self.docks.show("roofline")
        self.document.roofline.measure_again()

    def advise(self) -> None:
        """Ask what an expert would change about the launch shown."""
        self.docks.show("advisor")
        self.document.advice.ask()

    def profile(self) -> None:
        """Run Nsight Compute on the selected launch under the config shown."""
        self.docks.show("nsight")
        self.document.nsight.profile()

    def reset_layout(self) -> None:
        """Put all panels back to where they were at first."""
        self.settings.forget_layout()
        self.docks.arrange()

    def preferences(self) -> None:
        """Open the preferences."""
        self._open_preferences(0)

    def preferences_shortcuts(self) -> None:
        """Open the preferences at the shortcuts."""
        self._open_preferences(1)

    def _open_preferences(self, page: int) -> None:
        from playground.ui.preferences import Preferences

        Preferences(self, page).open()

    def choose_place(self) -> None:
        """Ask where the engine is to run, and move it there."""
        from playground.ui.place_dialog import PlaceDialog

        dialog = PlaceDialog(self.settings, self.engine.place, self)
        dialog.chosen.connect(self.document.move_engine)
        dialog.open()

    def copy_diagnostics(self) -> None:
        """Put what a bug report needs on the clipboard."""
        from PySide6.QtGui import QGuiApplication

        from playground.ui.diagnostics import diagnostics

        QGuiApplication.clipboard().setText(diagnostics(self.document))
        self.statusBar().showMessage("Diagnostics are on the clipboard", 4000)

    def about(self) -> None:
        """Tell the versions of what runs here."""
        from PySide6.QtWidgets import QMessageBox

        import playground

        device = self.document.device
        lines = [f"Triton Playground {playground.__version__}"]
        if device is not None:
            lines.append(f"{device.name}, target {device.target}")
            lines.append(f"torch {device.torch}, triton {device.triton}, Python {device.python}")
        box = QMessageBox(self)
        box.setObjectName("about")
        box.setWindowTitle("About Triton Playground")
        box.setIconPixmap(app_icon().pixmap(64, 64))
        box.setText(lines[0])
        box.setInformativeText("\n".join(lines[1:]) or "The engine is still starting.")
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.open()

    def show_gallery(self) -> None:
        """Show the bundled kernels with their pictures, over whatever is open."""
        from playground.ui.gallery import GalleryDialog

        dialog = GalleryDialog(
            self.theme, self, recent=self.settings.recent, target=self.area.gpu_target()
        )
        dialog.gallery.fileChosen.connect(self.files.open_path)
        dialog.gallery.openWanted.connect(self.files.open)
        dialog.open()

    def show_palette(self) -> None:
        """Open the command palette."""
        from playground.ui.commands import all_commands
        from playground.ui.palette import Palette

        Palette(all_commands(self), self).open_over(self)

    # ---------------------------------------------------------------- layout and closing

    def _restore(self) -> None:
        settings = self.settings
        if settings.editor_points:
            font = self.editor.font()
            font.setPointSizeF(settings.editor_points)
            self.editor.set_font(font)
        self.theme.paper_points = settings.paper_points or self.theme.paper_points
        self.actions_table["view.wrap"].setChecked(settings.wrap)
        fits = not settings.geometry.isEmpty() and self.restoreGeometry(settings.geometry)
        if not fits:
            available = self.screen().availableSize()
            # A smaller screen gets a window that fits it.
            self.resize(DEFAULT_SIZE.boundedTo(available))
        self.docks.arrange()
        if not settings.layout.isEmpty():
            self.restoreState(settings.layout, LAYOUT_VERSION)

    def showEvent(self, event: QShowEvent) -> None:
        """Give the editor the keyboard."""
        super().showEvent(event)
        self.editor.setFocus()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Tell of the first paint."""
        super().paintEvent(event)
        if not self._painted:
            self._painted = True
            self.painted_at = time.perf_counter()
            self.firstPainted.emit()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take files dropped anywhere on the window."""
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open a dropped file."""
        self.files.open_dropped([url.toLocalFile() for url in event.mimeData().urls()])

    def close_without_asking(self) -> None:
        """Close at once; unsaved text is lost and the layout is not remembered."""
        self._ask_before_closing = False
        self.close()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask about unsaved text, remember the layout, end the engine."""
        if self._ask_before_closing:
            if not self.files.may_discard(self.open_files.unsaved):
                event.ignore()
                return
            self.settings.save_layout(self.saveGeometry(), self.saveState(LAYOUT_VERSION))
            self.settings.flush()
        self.area.close_helpers()
        self.open_files.close_all()
        self.engine.shutdown()
        event.accept()
        self.closed.emit()
