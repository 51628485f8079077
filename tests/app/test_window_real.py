"""The real window on the real engine: the whole loop by keys, mouse and console."""

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QLabel, QWidget

from playground.model.resources import kernels_dir
from playground.ui.app import build_window
from playground.ui.docks import DOCKS
from playground.ui.document import Document
from playground.ui.late_engine import LateEngine
from playground.ui.settings import Settings
from playground.ui.theme import Theme
from tests.app.conftest import kernels, wait_for

START_S = 60.0


@pytest.fixture
def window(qapp, tmp_path):
    engine = LateEngine()
    document = Document(engine)
    made = build_window(document, Theme("light"), engine, settings=Settings(tmp_path / "w.ini"))
    path = tmp_path / "vector_add.py"
    path.write_text((kernels_dir() / "vector_add.py").read_text())
    document.open_file(str(path))
    made.resize(1600, 1000)
    made.show()
    made.docks.arrange()
    made.activateWindow()
    wait_for(made.isActiveWindow, 5, "the active window")
    engine.start()
    made.load_views()
    wait_for(lambda: len(made.docks.views) == len(DOCKS), 30, "the views")
    wait_for(lambda: document.engine_state in ("ready", "dead"), START_S, "the engine")
    assert document.engine_state == "ready"
    yield made
    made.close_without_asking()
    made.deleteLater()
    # pyqtgraph's menus and qtconsole's popups have no parent; they would go with the garbage later.
    for widget in QApplication.topLevelWidgets():
        if widget.parent() is None:
            widget.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    qapp.setStyleSheet("")
    assert not kernels()


def done(document):
    return document.is_current(document.coverage) and document.is_current(document.measurement)


def test_the_main_job(window, tmp_path):
    document = window.document
    assert document.launch is None  # opening ran nothing
    QTest.keyClick(window, Qt.Key.Key_F5)
    wait_for(lambda: done(document), 60, "the first results")
    assert document.launch.kernel == "add_kernel"
    assert document.check.status == "correct"
    assert document.compile_report.target == document.target
    covered = document.coverage.tensor("out_ptr")
    assert (covered.elements, covered.stores.total, covered.unwritten) == (98432, 98432, 0)

    knob = window.findChild(QWidget, "knob:BLOCK_SIZE")
    field = knob if isinstance(knob, QAbstractSpinBox) else knob.findChild(QAbstractSpinBox)
    field.setFocus()
    QTest.keyClick(field, Qt.Key.Key_Down)
    wait_for(lambda: document.config["BLOCK_SIZE"] == 512, 5, "the knob")
    wait_for(lambda: done(document), 60, "the results of the knob's value")
    assert document.coverage.grid == (193, 1, 1)  # ceil(98432 / 512)

    badge = window.findChild(QLabel, "deviceBadge")
    assert badge.isVisible()
    # The file chose "cuda", which is simulated for the run, and that is said as well.
    assert badge.text() == f"{document.device.badge()} (GPU simulated)"

    # An edit that is not saved is what runs next.
    window.editor.go_to(23)
    QTest.keyClick(window.editor, Qt.Key.Key_End)
    QTest.keyClick(window.editor, Qt.Key.Key_Return)
    QTest.keyClicks(window.editor, "tl.store(out_ptr + offsets, nothing, mask=mask)")
    document.run()
    wait_for(lambda: any(f.severity == "error" for f in document.findings), 60, "the error")
    assert any(f.line == 24 for f in document.findings if f.severity == "error")
    assert window.editor.severity_at(24) == "error"
    assert window.engine.state in ("ready", "busy")


def test_console_and_window_share_objects(window):
    document = window.document
    document.run()
    wait_for(lambda: done(document), 60, "the results")
    console = window.docks.views["console"]
    wait_for(lambda: console._widget is not None, 20, "the console")
    console._widget.execute("'shared %d' % len(play.launches)")
    text = console._widget._control
    wait_for(lambda: "'shared 1'" in text.toPlainText(), 20, "the console's answer")


def test_restart_keeps_text_and_knobs_and_says_what_is_lost(window):
    document = window.document
    document.run()
    wait_for(lambda: done(document), 60, "the results")
    QTest.keyClicks(window.editor, "#")
    text = window.editor.text()
    document.set_knob("BLOCK_SIZE", 512)
    wait_for(lambda: done(document), 60, "the knob's results")
    window.actions_table["restart"].trigger()
    assert document.launches == ()
    wait_for(lambda: done(document), START_S, "the results of the fresh engine")
    assert window.editor.text() == text
    assert document.config["BLOCK_SIZE"] == 512
    assert any("console are lost" in finding.hint for finding in document.findings)
