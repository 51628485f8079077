"""The tour on the real engine, by clicks on its card: from an empty window to a proved file."""

import os

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog

from playground.ui.app import build_window
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
    made.resize(1600, 1000)
    made.show()
    engine.start()
    for name in ("knobs", "coverage", "sweep"):
        made.docks._fill(name)
    made.area.show_gallery()
    wait_for(lambda: document.engine_state in ("ready", "dead"), START_S, "the engine")
    yield made
    made.close_without_asking()
    made.deleteLater()
    for widget in QApplication.topLevelWidgets():
        if widget.parent() is None:
            widget.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    qapp.setStyleSheet("")
    assert not kernels()


def test_to_the_end(window, tmp_path, monkeypatch):
    document, tour = window.document, window.tour
    path = tmp_path / "vector_add_tuned.py"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_given: (str(path), ""))
    monkeypatch.chdir(tmp_path)
    tour.resume()
    names = ["open", "run", "knob", "coverage", "sweep", "export", "check"]
    for name, after in zip(names, [*names[1:], None], strict=True):
        wait_for(lambda name=name: tour.step.id == name, 5, name)
        wait_for(lambda: tour.card.do.isEnabled() and not tour._soon.isActive(), 60, f"{name} on")
        ran_before = document.launch is not None
        QTest.mouseClick(tour.card.do, Qt.MouseButton.LeftButton)
        if name == "open":
            assert not ran_before
            assert document.launch is None  # opening runs nothing
        wait_for(lambda after=after: (tour.step and tour.step.id) == after, 120, f"after {name}")
    assert document.config["BLOCK_SIZE"] == 512
    sweep = document.sweep.result
    assert {row.status for row in sweep.rows} == {"correct"}
    wait_for(lambda: not tour._soon.isActive(), 5, "the last card")
    assert "vector_add_tuned.py runs alone and has proved itself" in (
        tour.card.accessibleDescription()
    )
    assert "BLOCK_SIZE" in path.read_text()
    assert os.listdir(tmp_path).count(path.name) == 1
