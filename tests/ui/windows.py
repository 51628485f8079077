"""A window on the scripted engine, closed without a trace."""

from contextlib import contextmanager

from PySide6.QtCore import QCoreApplication, QEvent

from playground.ui.app import build_window
from playground.ui.document import Document
from playground.ui.settings import Settings
from playground.ui.theme import Theme
from tests.ui.fake_engine import FakeEngine


@contextmanager
def open_window(folder, qapp, mode="gpu", path=None, size=(1600, 1000), views=False, settings=None):
    engine = FakeEngine(mode)
    document = Document(engine)
    window = build_window(
        document, Theme("light"), engine, settings=settings or Settings(folder / "window.ini")
    )
    try:
        window.resize(*size)
        window.show()
        window.docks.arrange()
        # Shortcuts belong to the active window.
        window.activateWindow()
        while not window.isActiveWindow():
            qapp.processEvents()
        engine.start()
        if views:
            window.area.start_colours()
            window.docks.fill_now()
        if path is not None:
            document.open_file(str(path))
        yield window
    finally:
        window.close_without_asking()
        window.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        window.theme._app = None
        qapp.setStyleSheet("")
