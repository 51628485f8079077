"""The find and replace bar."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from playground.ui.editor.code_editor import CodeEditor
from playground.ui.editor.find_bar import FindBar
from playground.ui.theme import Theme


@pytest.fixture
def bar(qtbot):
    theme = Theme("light")
    editor = CodeEditor(theme)
    qtbot.addWidget(editor)
    editor.load("mask = 1\nMask = mask + masked\n")
    widget = FindBar(editor, theme, editor)
    widget.editor = editor
    editor.show()
    widget.open_bar(replace=True)
    return widget


def selected(bar):
    cursor = bar.editor.textCursor()
    return cursor.selectionStart(), cursor.selectionEnd()


def test_finds_while_typing_and_wraps(bar):
    QTest.keyClicks(bar.query, "mask")
    assert bar.count.text() == "1 of 4"
    assert selected(bar) == (0, 4)
    for expected in ((9, 13), (16, 20), (23, 27), (0, 4)):
        QTest.keyClick(bar.query, Qt.Key.Key_Return)
        assert selected(bar) == expected
    bar.previous()
    assert selected(bar) == (23, 27)


def test_case_and_whole_words(bar):
    bar.query.setText("mask")
    bar.case.setChecked(True)
    assert bar.count.text().endswith("3")
    bar.word.setChecked(True)
    assert bar.count.text().endswith("2")


def test_replace_one_and_all_with_one_undo(bar):
    bar.query.setText("mask")
    bar.replacement.setText("m")
    bar.replace_one()
    assert bar.editor.text() == "m = 1\nMask = mask + masked\n"
    assert bar.replace_all() == 3
    assert bar.editor.text() == "m = 1\nm = m + med\n"
    bar.editor.undo()
    assert bar.editor.text() == "m = 1\nMask = mask + masked\n"


def test_regular_expressions_with_groups(bar):
    bar.regex.setChecked(True)
    bar.query.setText(r"(\w+) = (\w+)")
    bar.replacement.setText(r"\2 == \1")
    assert bar.replace_all() == 2
    assert bar.editor.text() == "1 == mask\nmask == Mask + masked\n"


def test_a_broken_expression_is_said_not_raised(bar):
    bar.regex.setChecked(True)
    bar.query.setText("(")
    assert "not a regular expression" in bar.count.text()
    assert bar.query.property("invalid") == "true"
    bar.query.setText("m")
    assert bar.query.property("invalid") == "false"


def test_positions_are_right_behind_an_emoji(bar):
    bar.editor.load("'\U0001f600' mask mask")
    bar.query.setText("mask")
    bar.replacement.setText("x")
    assert bar.replace_all() == 2
    assert bar.editor.text() == "'\U0001f600' x x"


def test_escape_closes(bar):
    bar.query.setFocus()
    QTest.keyClick(bar.query, Qt.Key.Key_Escape)
    assert not bar.isVisible()
