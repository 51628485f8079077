"""Reports and reproducers from the window."""

import pytest
from PySide6.QtGui import QGuiApplication

from playground.model.resources import kernels_dir
from playground.protocol import messages
from tests.ui.windows import open_window


@pytest.fixture
def window(qtbot, qapp, tmp_path):
    with open_window(tmp_path, qapp, path=kernels_dir() / "vector_add.py") as made:
        yield made


def run(window, qtbot):
    window.document.run()
    qtbot.waitUntil(lambda: window.document.is_current(window.document.coverage))


def test_without_a_launch_there_is_nothing_to_share(window):
    assert not window.actions_table["share.report"].isEnabled()
    window.sharing.report()


def test_a_reproducer_goes_to_the_clipboard(window, qtbot):
    run(window, qtbot)
    with qtbot.waitSignal(window.sharing.made) as told:
        window.actions_table["share.reproducer"].trigger()
    assert told.args[0] == "reproducer"
    assert QGuiApplication.clipboard().text() == told.args[1]
    assert "1 lines" in window.statusBar().currentMessage()


def test_a_report_is_saved_where_the_user_says(window, qtbot, tmp_path, monkeypatch):
    run(window, qtbot)
    path = tmp_path / "r.html"
    monkeypatch.setattr("PySide6.QtWidgets.QFileDialog.getSaveFileName", lambda *_: (str(path), ""))
    with qtbot.waitSignal(window.sharing.made):
        window.actions_table["share.report"].trigger()
    assert path.read_text().startswith("<p>report: BLOCK_SIZE")
    assert any("report written to" in f.message for f in window.document.findings)


def test_a_folder_that_takes_no_file_is_told(window):
    made = messages.Exported("x", "r.html")
    assert not window.sharing.write_report("/nosuch/folder/r.html", made, window.document)
    assert any("cannot save" in f.message for f in window.document.findings)
