"""The log and the diagnostics: what a report needs, and none of the user's code."""

import logging
import sys

import pytest
from PySide6.QtGui import QGuiApplication

from playground.model.finding import Finding
from playground.model.resources import kernels_dir
from playground.ui import log_file
from playground.ui.app import ErrorsToFindings
from playground.ui.document import Document
from playground.ui.log_file import LogFile, log_path
from tests.full_disks import full_disk
from tests.ui.fake_engine import FakeEngine
from tests.ui.windows import open_window

KERNEL = kernels_dir() / "vector_add.py"


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PLAYGROUND_CONFIG_DIR", str(tmp_path))


@pytest.fixture
def log(document: Document):
    made = LogFile(document)
    yield made
    made.close()
    assert not logging.getLogger("playground").handlers


def test_starts_deaths_and_restarts_are_logged(log, document, engine: FakeEngine, qtbot):
    engine.crash("the engine process was ended by SIGSEGV\nFile user.py: secret_code()")
    qtbot.waitUntil(lambda: engine.state == "ready")
    log.close()
    text = log_path().read_text()
    for said in ("triton-playground 0.1", "ended by SIGSEGV", "the engine is restarting",
                 "triton 3.9.0", "the window was closed"):  # fmt: skip
        assert said in text
    assert "secret_code" not in text


def test_errors_are_logged_by_type_and_place_in_this_program(log, document, monkeypatch):
    monkeypatch.setattr(sys, "excepthook", lambda *_: None)
    report = ErrorsToFindings(document)
    report.install()
    try:
        document.set_knob("no = 'secret_code'", 1)
    except Exception as error:
        sys.excepthook(type(error), error, error.__traceback__)
    report.remove()
    text = log_path().read_text()
    assert "KnobError" in text
    assert "ui/document.py:" in text
    assert "secret_code" not in text


def test_the_log_is_one_file_and_the_one_before(log, monkeypatch):
    for _ in range(3 * log_file.MOST_BYTES // 1000):
        logging.getLogger("playground").info("x" * 1000)
    log.close()
    files = sorted(each.name for each in log_path().parent.glob("*.log*"))
    assert files == ["triton-playground.log", "triton-playground.log.1"]
    assert all(
        each.stat().st_size <= log_file.MOST_BYTES for each in log_path().parent.glob("*.log*")
    )


def test_a_full_disk_stops_the_log_and_nothing_else(document, tmp_path, monkeypatch, capfd):
    with full_disk(tmp_path, 64 * 1024) as disk:
        monkeypatch.setenv("PLAYGROUND_CONFIG_DIR", str(disk))
        made = LogFile(document)
        (disk / "filler").write_bytes(b"x" * 48 * 1024)
        for _ in range(100):
            logging.getLogger("playground").info("x" * 1000)
        (disk / "filler").unlink()
        made.close()
    assert capfd.readouterr().err == ""


def test_a_folder_that_cannot_be_made_means_no_log(document, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("PLAYGROUND_CONFIG_DIR", str(tmp_path / "file"))
    LogFile(document).close()


def test_diagnostics_are_on_the_clipboard(qtbot, qapp, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(kernels_dir().parent))
    with open_window(tmp_path, qapp, path=KERNEL) as window:
        log = LogFile(window.document)
        qtbot.waitUntil(lambda: window.document.engine_state == "ready")
        window.document.set_findings(
            "run", (Finding("error", "driver", "it broke", file=str(KERNEL), line=3),)
        )
        window.actions_table["help.diagnostics"].trigger()
        text = QGuiApplication.clipboard().text()
        log.close()
    for said in ("triton-playground 0.1", "Qt 6.", "NVIDIA H200, target cuda:90", "driver 580.82",
                 "vector_add.py:3: error (driver): it broke", "INFO playground"):  # fmt: skip
        assert said in text
    assert str(kernels_dir().parent) + "/" not in text
