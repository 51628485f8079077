"""Completion: real jedi in its real helper process, which never runs the user's file."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from playground.ui.document import Document
from playground.ui.editor.code_editor import CodeEditor
from playground.ui.editor.completer import Reader
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
    process = editor.completion.reader.process
    qtbot.waitUntil(lambda: process.processId() > 0)
    process.kill()
    qtbot.waitUntil(lambda: editor.completion.reader.process is None)
    QTest.keyClicks(editor, "alp")
    qtbot.waitUntil(editor.completion.completer.popup().isVisible, timeout=20_000)


TEXT = '''import math
import triton
import triton.language as tl
from beside import halve

@triton.jit
def twice(x, *, scale=2):
    """Doubles."""
    return x * scale

@triton.jit
def kernel(x_ptr, N: tl.constexpr):
    offs = tl.arange(0, N)
    x = tl.load(x_ptr + offs, mask=offs < N)
    y = twice(tl.sum(x, axis=0), scale=3)
    halve(tl.exp(y))
math.sq
'''


@pytest.fixture(scope="module")
def reader():
    made = Reader()
    yield made
    made.close()


@pytest.fixture
def ask(reader, tmp_path):
    (tmp_path / "beside.py").write_text(
        "import triton\nraise SystemExit\n@triton.jit\ndef halve(v):\n    'Halves.'\n"
    )

    def answer(kind, line, word, after=0):
        column = TEXT.split("\n")[line - 1].index(word) + after
        request = {
            "kind": kind, "text": TEXT, "path": str(tmp_path / "own.py"),
            "folder": str(tmp_path), "line": line, "column": column, "word": "",
        }  # fmt: skip
        return reader.answer(request)

    return answer


def test_jedi_knows_members(ask, reader):
    names = [item["name"] for item in ask("complete", 17, "sq", 2)["names"]]
    assert "sqrt" in names
    told = reader.answer({"kind": "item", "number": names.index("sqrt")})["description"]
    assert "square root" in told["doc"]


def test_tritons_own_words_are_told(ask):
    """`tl.sum`'s documentation is made when triton is imported: no text has it."""
    told = ask("describe", 15, "sum", 1)["description"]
    assert told["signature"].startswith("sum(input, axis=None, keep_dims=False")
    assert "sum of all elements" in told["doc"]
    assert told["where"] == "triton.language.standard"
    told = ask("describe", 14, "load", 1)["description"]
    assert told["signature"].startswith("load(pointer, mask=None, other=None")
    assert "_semantic" not in told["signature"]


def test_jitted_functions_keep_their_signature(ask):
    told = ask("describe", 15, "twice", 1)["description"]
    assert told == {
        "name": "twice", "signature": "twice(x, *, scale=2)", "doc": "Doubles.", "where": "",
    }  # fmt: skip
    told = ask("describe", 16, "halve", 1)["description"]
    assert (told["signature"], told["doc"], told["where"]) == ("halve(v)", "Halves.", "beside")


def test_the_call_around_a_place_and_its_argument(ask):
    inner = ask("call", 15, "axis=", 5)
    assert inner["description"]["name"] == "sum"
    assert (inner["number"], inner["keyword"]) == (1, "axis")
    outer = ask("call", 15, "scale=", 6)
    assert outer["description"]["name"] == "twice"
    assert outer["keyword"] == "scale"
    assert ask("call", 13, "offs", 2)["description"] is None


def test_definitions_are_found_in_this_and_other_files(ask, tmp_path):
    own = {"path": str(tmp_path / "own.py"), "line": 7, "column": 4}
    assert ask("define", 15, "twice", 2)["place"] == own
    assert ask("define", 16, "halve", 2)["place"]["path"] == str(tmp_path / "beside.py")
    place = ask("define", 14, "load", 2)["place"]
    text = Path(place["path"]).read_text().split("\n")
    assert text[place["line"] - 1].startswith("def load(")


def test_only_the_newest_of_waiting_questions_is_answered():
    waiting = [
        {"id": number, "kind": "describe", "text": "import math\n", "path": "", "folder": "",
         "line": 1, "column": 8}
        for number in (1, 2, 3)
    ]  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "playground.ui.editor.completer"], capture_output=True, text=True,
        input="".join(json.dumps(request) + "\n" for request in waiting), timeout=60, check=True,
    )  # fmt: skip
    ids = [json.loads(line)["id"] for line in done.stdout.splitlines()]
    assert ids[-1] == 3
    assert done.stderr == ""


def test_the_arguments_of_a_call_are_shown_while_it_is_written(editor, qtbot):
    editor.load("def add(first, second=1):\n    'Adds.'\n\n")
    editor.go_to(3)
    QTest.keyClicks(editor, "add(1, ")
    hints = editor.completion.hints
    qtbot.waitUntil(lambda: hints.shown, timeout=20_000)
    qtbot.waitUntil(lambda: "<u>second=1</u>" in hints._call.label.text(), timeout=5_000)
    QTest.keyClick(editor, Qt.Key.Key_Escape)
    assert not hints.shown


def test_documentation_is_shown_and_goes_with_the_cursor(editor, qtbot):
    editor.load("def add(first, second=1):\n    'Adds.'\n\nadd\n")
    editor.go_to(4, 1)
    hints = editor.completion.hints
    hints.show_doc()
    qtbot.waitUntil(lambda: hints.shown, timeout=20_000)
    assert "Adds." in hints._doc.label.text()
    QTest.keyClick(editor, Qt.Key.Key_Up)
    assert not hints.shown
