"""Folding, formatting and the fitting-in of a whole new text."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from playground.ui.editor import edits
from playground.ui.editor.code_editor import CodeEditor
from playground.ui.editor.folding import regions
from playground.ui.editor.formatting import FormatProblem, formatted
from playground.ui.theme import Theme

TEXT = """import triton

def outer(
    x,
):
    if x:
        y = 1
        z = 2

    return y


def other():
    pass
"""


@pytest.fixture
def editor(qtbot):
    widget = CodeEditor(Theme("light"))
    qtbot.addWidget(widget)
    widget.resize(600, 500)
    widget.load(TEXT)
    widget.show()
    yield widget
    widget._typing.stop()


def visible(editor):
    return [block.blockNumber() for block, _ in editor.visible_blocks()]


def test_parts_are_what_is_indented():
    assert regions(TEXT.split("\n")) == {2: 3, 4: 9, 5: 7, 12: 13}
    assert regions(["", "a", "b"]) == {}


def test_a_part_folds_and_unfolds(editor):
    editor.folds.toggle(6)
    assert editor.folds.folded == (5,)
    assert visible(editor) == [n for n in range(15) if n not in (6, 7)]
    editor.folds.toggle(5)
    assert visible(editor) == list(range(15))


def test_what_is_gone_to_unfolds(editor):
    editor.folds.fold_all()
    assert 6 not in visible(editor)
    editor.go_to(7)
    assert 6 in visible(editor)
    assert 13 not in visible(editor)
    editor.folds.unfold_all()
    assert visible(editor) == list(range(15))


def test_folds_move_with_the_text(editor):
    editor.folds.toggle(5)
    editor.go_to(1)
    QTest.keyClick(editor, Qt.Key.Key_Return)
    assert editor.folds.folded == (6,)
    assert 7 not in visible(editor)
    assert 9 in visible(editor)
    editor.load("a\n    b\n")
    assert editor.folds.folded == ()
    assert visible(editor) == [0, 1, 2]


def test_the_cursor_leaves_what_is_folded(editor):
    editor.go_to(8, 3)
    editor.folds.toggle(5)
    assert editor.textCursor().blockNumber() == 5
    assert editor.folds.folded == (5,)


def test_a_click_in_the_margin_folds(editor):
    x = editor.gutter._fold_x() + 3
    line = editor.fontMetrics().lineSpacing()
    tops = {block.blockNumber(): top for block, top in editor.visible_blocks()}
    at = QPoint(x, tops[12] + line // 2)
    QTest.mouseClick(editor.gutter, Qt.MouseButton.LeftButton, pos=at)
    assert editor.folds.folded == (12,)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a\nb\nc", "a\nB\nc"), ("a\nb\nc", "a\nc"), ("a\nb\nc", "a\nb"),
        ("a\nb", "a\nx\ny\nb"), ("a", "a\nb\n"), ("a\nb\n", "b"), ("x\ny", "p\nq\nr"),
        ("é\n𝄞a\n", "é\n𝄞b\nc\n"),
    ],
)  # fmt: skip
def test_only_lines_that_differ_are_edited_and_undo_brings_them_back(editor, old, new):
    editor.load(old)
    edits.replace_lines(editor, new)
    assert editor.text() == new
    editor.undo()
    assert editor.text() == old


def test_the_cursor_stays_on_its_line(editor):
    editor.load("x=1\ny = 2\nz = 3\n")
    editor.go_to(3, 2)
    edits.replace_lines(editor, "x = 1\n\n\ny = 2\nz = 3\n")
    cursor = editor.textCursor()
    assert (cursor.block().text(), cursor.positionInBlock()) == ("z = 3", 2)


def test_ruff_formats_by_the_settings_of_the_project(tmp_path):
    (tmp_path / "ruff.toml").write_text('[format]\nquote-style = "single"\n')
    assert formatted('x=["a"]\n', str(tmp_path / "k.py")) == "x = ['a']\n"
    assert formatted('x=["a"]\n') == 'x = ["a"]\n'


def test_what_ruff_refuses_is_told():
    with pytest.raises(FormatProblem, match="ruff did not format"):
        formatted("def (:\n")


def test_a_missing_ruff_is_told(monkeypatch):
    monkeypatch.setattr("playground.ui.editor.formatting._ruff", lambda: None)
    with pytest.raises(FormatProblem, match="pip install ruff"):
        formatted("x = 1\n")
