"""The editor by keyboard: indentation, lines, comments, brackets, undo, outside text."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest

from playground.model.finding import Finding
from playground.ui.editor import brackets, edits
from playground.ui.editor.code_editor import CodeEditor
from playground.ui.theme import Theme


@pytest.fixture
def editor(qtbot):
    widget = CodeEditor(Theme("light"))
    qtbot.addWidget(widget)
    widget.resize(600, 400)
    widget.show()
    widget.highlighter.start()
    yield widget
    widget.highlighter._timer.stop()


def press(editor, key, held=Qt.KeyboardModifier.NoModifier):
    QTest.keyClick(editor, key, held)


def select(editor, start, end):
    cursor = editor.textCursor()
    cursor.setPosition(start)
    cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
    editor.setTextCursor(cursor)


def test_typing_reaches_the_document_once_per_key(editor, qtbot):
    seen = []
    editor.edited.connect(seen.append)
    QTest.keyClicks(editor, "ab")
    assert seen == ["a", "ab"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def f(x):", "    "),
        ("    if x:  # comment:", "        "),
        ("    return 3", ""),
        ("        pass", "    "),
        ("x = f(", "    "),
        ("x = f(1,", "    "),
        ("    y = '#:'", "    "),
        ("plain", ""),
    ],
)
def test_enter_indents_as_python_wants(editor, before, after):
    editor.load(before)
    editor.moveCursor(QTextCursor.MoveOperation.End)
    press(editor, Qt.Key.Key_Return)
    assert editor.text() == f"{before}\n{after}"


def test_enter_between_brackets_opens_them(editor):
    editor.load("f()")
    select(editor, 2, 2)
    press(editor, Qt.Key.Key_Return)
    assert editor.text() == "f(\n    \n)"
    assert editor.textCursor().position() == 7


def test_tab_and_backspace_go_by_stops(editor):
    QTest.keyClicks(editor, "x")
    press(editor, Qt.Key.Key_Tab)
    assert editor.text() == "x   "
    editor.load("        y")
    select(editor, 8, 8)
    press(editor, Qt.Key.Key_Backspace)
    assert editor.text() == "    y"
    select(editor, 5, 5)
    press(editor, Qt.Key.Key_Backspace)
    assert editor.text() == "    "


def test_selection_is_indented_and_dedented(editor):
    editor.load("a\n\nb\nc")
    select(editor, 0, 4)
    press(editor, Qt.Key.Key_Tab)
    assert editor.text() == "    a\n\n    b\nc"
    press(editor, Qt.Key.Key_Backtab)
    assert editor.text() == "a\n\nb\nc"


def test_comments_toggle(editor):
    editor.load("    a\n        b\n")
    select(editor, 0, 12)
    edits.toggle_comment(editor)
    assert editor.text() == "    # a\n    #     b\n"
    edits.toggle_comment(editor)
    assert editor.text() == "    a\n        b\n"


def test_lines_move_and_double(editor):
    editor.load("a\nb\nc")
    select(editor, 2, 3)
    edits.move_lines(editor, -1)
    assert editor.text() == "b\na\nc"
    edits.move_lines(editor, 1)
    edits.move_lines(editor, 1)
    assert editor.text() == "a\nc\nb"
    edits.move_lines(editor, 1)  # there is nothing below
    assert editor.text() == "a\nc\nb"
    edits.duplicate_lines(editor)
    assert editor.text() == "a\nc\nb\nb"
    assert editor.textCursor().blockNumber() == 3


def test_home_goes_to_the_first_letter_then_to_the_margin(editor):
    editor.load("    abc")
    select(editor, 7, 7)
    press(editor, Qt.Key.Key_Home)
    assert editor.textCursor().position() == 4
    press(editor, Qt.Key.Key_Home)
    assert editor.textCursor().position() == 0


def test_reloaded_text_can_be_undone_and_keeps_the_cursor(editor):
    editor.load("one\ntwo\nthree\n")
    editor.go_to(3, 2)
    seen = []
    editor.edited.connect(seen.append)
    editor.replace("one\n2\nthree\n")
    assert editor.text() == "one\n2\nthree\n"
    assert editor.textCursor().block().text() == "three"
    assert seen == []  # the document knows already
    editor.undo()
    assert editor.text() == "one\ntwo\nthree\n"
    assert seen == ["one\ntwo\nthree\n"]


def test_unusual_letters_survive(editor):
    text = "a = 'non\u00a0breaking \U0001f600'\nb = 1\n"
    editor.load(text)
    assert editor.text() == text
    editor.replace(text.replace("b = 1", "b = 22"))
    assert editor.text().endswith("\U0001f600'\nb = 22\n")


def test_brackets_find_their_partner_but_not_in_strings(editor):
    editor.load("f(a, ')', [1])")
    editor.highlighter.refresh()
    select(editor, 1, 1)
    assert brackets.pair_at(editor) == (1, 13)
    select(editor, 14, 14)
    assert brackets.pair_at(editor) == (13, 1)
    select(editor, 7, 7)
    assert brackets.pair_at(editor) == ()


def test_findings_are_marked_and_explained(editor):
    editor.load("x = 1\ny = tl.foo(2)\n")
    editor.set_findings(
        [
            Finding("hint", "compile", "small", line=2),
            Finding("error", "compile", "no foo", "use bar", line=2, column=4),
        ]
    )
    assert editor.severity_at(2) == "error"
    assert editor.severity_at(1) is None
    waves = [
        mark
        for mark in editor.extraSelections()
        if mark.format.underlineStyle() == mark.format.UnderlineStyle.WaveUnderline
    ]
    assert len(waves) == 1
    assert editor.findings_at(2)[1].hint == "use bar"
    assert "no foo" in editor.gutter.tip(2, 3)
    assert "use bar" in editor.gutter.tip(2, 3)
    assert editor.gutter.tip(2, editor.gutter.width() - 2) == ""
    # A line without findings says what a click there does; above the first line there is nothing.
    assert editor.gutter.tip(1, 3).startswith("Click to stop here")
    assert editor.gutter.tip(0, 3) == ""


def test_the_whole_expression_that_is_refused_is_underlined(editor):
    editor.load("größe = 𝛼 + (x + y * 2)\nfor i in range(3):\n    pass\n")
    editor.set_findings(
        [
            Finding("error", "compile", "no sum", line=1, column=13),
            Finding("error", "syntax", "𝛼 is not defined", line=1, column=8),
            Finding("error", "compile", "no loop", line=2, column=0),
        ]
    )
    texts = [
        mark.cursor.selectedText()
        for mark in editor.extraSelections()
        if mark.format.underlineStyle() == mark.format.UnderlineStyle.WaveUnderline
    ]
    assert texts == ["x + y * 2", "𝛼", "for"]


def test_go_to_clamps_to_the_text(editor):
    editor.load("a\nbcd\n")
    editor.go_to(99)
    assert editor.textCursor().blockNumber() == 2
    editor.go_to(2, 50)
    assert editor.textCursor().positionInBlock() == 3


def test_zoom_and_wrap(editor):
    size = editor.font().pointSizeF()
    editor.zoom(3)
    assert editor.font().pointSizeF() == size + 3
    editor.zoom(0)
    assert editor.font().pointSizeF() == size
    editor.set_wrap(True)
    assert editor.lineWrapMode() == CodeEditor.LineWrapMode.WidgetWidth


def test_a_click_on_a_number_selects_the_line(editor, qtbot):
    editor.load("a\nbb\nc")
    height = editor.fontMetrics().height()
    from PySide6.QtCore import QPoint

    QTest.mouseClick(
        editor.gutter, Qt.MouseButton.LeftButton, pos=QPoint(height + 4, round(height * 1.5) + 4)
    )
    assert editor.textCursor().selectedText() == "bb\u2029"


def test_the_lines_of_findings_and_matches_are_known_for_the_overview(editor):
    editor.load("x = 1\ny = 2\nz = 3\n")
    told = []
    editor.marksChanged.connect(lambda: told.append(editor.marked_lines()))
    editor.set_matches([(0, 1), (12, 13)])
    editor.set_findings(
        [Finding("error", "compile", "no", line=3), Finding("hint", "x", "h", line=2)]
    )
    assert told == [{1: "accent", 3: "accent"}, {1: "accent", 2: "accent_link", 3: "bad"}]
