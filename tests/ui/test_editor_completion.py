"""Completion: real jedi in its real helper process, which never runs the user's file."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from playground.ui.document import Document
from playground.ui.editor.code_editor import CodeEditor
from playground.ui.editor.completer import complete
from playground.ui.editor.completion import Completion
from playground.ui.theme import Theme
from tests.ui.fake_engine import FakeEngine


@pytest.fixture
def editor(qtbot, tmp_path):
    engine = FakeEngine()
    document = Document(engine)
    path = tmp_path / "kernel.py"
    path.write_text("import sys\nopen(__file__ + '.ran', 'w')\nalphabet = 1\nalpine = 2\n\n")
    document.open_file(str(path))
    widget = CodeEditor(Theme("light"))
    qtbot.addWidget(widget)
    widget.load(document.text)
    widget.highlighter.start()
    widget.show()
    widget.setFocus()
    widget.completion = Completion(widget, document)
    widget.path = path
    yield widget
    widget.completion.close()
    widget.highlighter._timer.stop()
    document.file.close()
    engine.shutdown()


def test_offers_and_inserts_names(editor, qtbot):
    editor.go_to(5)
    QTest.keyClicks(editor, "alp")
    popup = editor.completion.completer.popup()
    qtbot.waitUntil(popup.isVisible, timeout=20_000)
    model = editor.completion.completer.completionModel()
    names = [model.data(model.index(row, 0)) for row in range(model.rowCount())]
    assert names == ["alphabet", "alpine"]
    QTest.keyClicks(popup, "i")
    assert model.rowCount() == 1
    QTest.keyClick(popup, Qt.Key.Key_Return)
    assert editor.textCursor().block().text() == "alpine"
    assert not editor.path.with_name("kernel.py.ran").exists()


def test_a_dead_helper_is_started_anew(editor, qtbot):
    editor.go_to(5)
    editor.completionWanted.emit(True)
    process = editor.completion._process
    qtbot.waitUntil(lambda: process.processId() > 0)
    process.kill()
    qtbot.waitUntil(lambda: editor.completion._process is None)
    QTest.keyClicks(editor, "alp")
    qtbot.waitUntil(editor.completion.completer.popup().isVisible, timeout=20_000)


def test_jedi_knows_members():
    request = {
        "text": "import math\nmath.sq", "path": "", "folder": "", "line": 2, "column": 7,
        "word": "sq",
    }  # fmt: skip
    assert "sqrt" in [item["name"] for item in complete(request)]
