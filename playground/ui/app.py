"""Starting the window: the editor first, everything heavy after it is on screen."""

from __future__ import annotations

import gc
import logging
import os
import sys
import traceback
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from playground.model.finding import Finding
from playground.ui.collector import Collector
from playground.ui.deferred import defer, load
from playground.ui.icons import app_icon
from playground.ui.quick_imports import spare_looks
from playground.ui.settings import Settings
from playground.ui.theme import Theme

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from playground.ui.document import Document
    from playground.ui.engine_port import EnginePort
    from playground.ui.kernel_remote import RemotePlace
    from playground.ui.settings import ThemeChoice
    from playground.ui.theme import ThemeName
    from playground.ui.window import MainWindow

_log = logging.getLogger(__name__)
_SLOT_ERRORS_KEPT = 5
_LATER = ("html", "numpy", "playground.protocol.timing", "playground.protocol.messages")
"""What the window names from the start and uses from the first request on: a hundred classes, and
the arrays in them; and a table of every name that HTML has."""


def application(arguments: list[str] | None = None) -> QApplication:
    """Return the running application, or a fresh one with the program's names."""
    running = QApplication.instance()
    if isinstance(running, QApplication):
        return running
    app = QApplication(arguments if arguments is not None else sys.argv[:1])
    app.setApplicationName("triton-playground")
    app.setApplicationDisplayName("Triton Playground")
    app.setDesktopFileName("triton-playground")
    app.setWindowIcon(app_icon())
    return app


def theme_name(choice: ThemeChoice) -> ThemeName:
    """Return the theme for a choice; `system` asks the desktop."""
    if choice == "system":
        scheme = QGuiApplication.styleHints().colorScheme()
        return "dark" if scheme == Qt.ColorScheme.Dark else "light"
    return choice


def build_window(
    document: Document, theme: Theme, engine: EnginePort, *, settings: Settings | None = None
) -> MainWindow:
    """Return the window of `document`, not shown yet; the theme is applied to the application."""
    from playground.ui.window import MainWindow

    theme.apply(application())
    return MainWindow(document, theme, engine, settings=settings)


def main(paths: Sequence[str] = (), place: RemotePlace | None = None) -> int:
    """Open the window, with a tab for each of `paths`; return the exit status when it closes.

    Without any it shows the files that the last window had open. `place` is where the engine runs,
    if not here.
    """
    # Collecting garbage among a few hundred thousand fresh objects that all stay only costs time.
    gc.disable()
    spare_looks()
    app = application()
    settings = Settings()
    guided = settings.is_fresh or bool(settings.tour)
    theme = Theme(theme_name(settings.theme))
    for name in _LATER:
        defer(name)
    from playground.ui.document import Document
    from playground.ui.late_engine import LateEngine
    from playground.ui.trust import Trust

    engine = LateEngine(place)
    document = Document(engine)
    window = build_window(document, theme, engine, settings=settings)
    Trust(window)
    report = ErrorsToFindings(document)
    report.install()
    collector = Collector(app)
    chosen = [os.path.abspath(path) for path in paths] or _last_open(settings)
    last = settings.last_open
    front = last if not paths and last in chosen else next(iter(chosen), None)
    if front is not None:
        document.open_file(front)

    def painted() -> None:
        _after_first_paint(window, engine, collector, guided=guided)
        window.open_files.open_later(chosen)

    window.firstPainted.connect(lambda: QTimer.singleShot(0, window, painted))
    window.show()
    try:
        return app.exec()
    finally:
        report.remove()
        collector.stop()
        engine.shutdown()
        # Views first, while the document they listen to still lives.
        window.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def _after_first_paint(
    window: MainWindow, engine: EnginePort, collector: Collector, *, guided: bool
) -> None:
    # Before the engine's thread begins: a deferred module must not be read by two threads at once.
    for name in _LATER:
        load(name)
    engine.start()
    if guided and window.settings.tour not in ("finished", "dismissed"):
        window.docks.allFilled.connect(lambda: window.tour.resume())
    window.load_views()
    from playground.ui.log_file import LogFile
    from playground.ui.memory import Memory

    log = LogFile(window.document)
    window.closed.connect(log.close)
    Memory(window).start()
    collector.start()


def _last_open(settings: Settings) -> list[str]:
    """Return the files that the last window had open and that are still there."""
    return [path for path in settings.open_files if os.path.isfile(path)]


class ErrorsToFindings:
    """Shows errors in slots as findings of the engine's stage instead of ending the program."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._kept: list[Finding] = []
        self._before = sys.excepthook

    def install(self) -> None:
        """Take over `sys.excepthook`."""
        self._before = sys.excepthook
        sys.excepthook = self._on_error

    def remove(self) -> None:
        """Put the hook that was there back."""
        sys.excepthook = self._before

    def _on_error(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        if issubclass(kind, KeyboardInterrupt):
            QApplication.quit()
            return
        self._before(kind, error, trace)
        _log.error("an error in the window", exc_info=(kind, error, trace))
        found = Finding(
            "error", "engine", f"the window could not do that: {kind.__name__}: {error}",
            "your text is untouched; please report this with the detail below",
            detail="".join(traceback.format_exception(kind, error, trace)),
        )  # fmt: skip
        if found not in self._kept:
            self._kept = [*self._kept, found][-_SLOT_ERRORS_KEPT:]
            self._document.set_findings("window", tuple(self._kept))
