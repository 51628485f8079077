"""The editor in its window by the keys that people press, once each."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QInputDialog, QMenu, QSpinBox

from playground.ui.actions import ACTIONS, plain_text
from playground.ui.editor.code_editor import CodeEditor
from tests.ui.windows import open_window

TEXT = """\
import math


def area(radius):
    \"\"\"Return the area of a circle.\"\"\"
    if radius:
        return math.pi * radius**2
    return 0


total = area(2) + area(3)
"""


@pytest.fixture
def window(qapp, tmp_path):
    (tmp_path / "circle.py").write_text(TEXT)
    with open_window(tmp_path, qapp, path=tmp_path / "circle.py", size=(1280, 800)) as made:
        made.area.start_colours()
        made.editor.setFocus()
        yield made


def press(window, keys, into=None):
    combination = QKeySequence(keys)[0]
    QTest.keyClick(
        into or window.editor, combination.key(), combination.keyboardModifiers()
    )  # fmt: skip


def lines(window):
    return window.editor.text().split("\n")


def test_comment_duplicate_and_move(window):
    editor = window.editor
    editor.go_to(7)
    press(window, "Ctrl+/")
    assert lines(window)[6] == "        # return math.pi * radius**2"
    press(window, "Ctrl+/")
    assert editor.text() == TEXT
    press(window, "Ctrl+Shift+D")
    assert lines(window)[6] == lines(window)[7] == "        return math.pi * radius**2"
    press(window, "Ctrl+Z")
    assert editor.text() == TEXT
    editor.go_to(7)
    press(window, "Alt+Up")
    assert lines(window)[5:7] == ["        return math.pi * radius**2", "    if radius:"]
    press(window, "Alt+Down")
    assert editor.text() == TEXT


def test_indenting_lines_and_new_ones(window):
    editor = window.editor
    editor.go_to(6)
    press(window, "Shift+Down")
    press(window, "Shift+Down")
    press(window, "Tab")
    assert lines(window)[5:7] == ["        if radius:", "            return math.pi * radius**2"]
    press(window, "Shift+Backtab")  # what a keyboard sends for Shift and Tab
    assert editor.text() == TEXT
    editor.go_to(6)
    press(window, "End")
    press(window, "Return")
    assert lines(window)[6] == "        "


def test_a_bracket_shows_its_partner(window):
    window.editor.go_to(11, len("total = area"))
    marked = {each.cursor.selectionStart() for each in window.editor.extraSelections()}
    start = TEXT.index("area(2)")
    assert {start + 4, start + 6} <= marked


def test_find_and_replace_with_expressions(window):
    press(window, "Ctrl+H")
    bar = window.area.find_bar
    assert bar.query.hasFocus()
    bar.query.clear()
    bar.regex.setChecked(True)
    QTest.keyClicks(bar.query, r"area\((\d)\)")
    assert bar.count.text().endswith("of 2")
    bar.replacement.clear()
    QTest.keyClicks(bar.replacement, r"disk(\1.0)")
    bar.replace_all()
    assert lines(window)[10] == "total = disk(2.0) + disk(3.0)"
    press(window, "Esc", bar.query)
    assert not bar.isVisible()
    press(window, "Ctrl+Z")
    assert window.editor.text() == TEXT


def test_go_to_a_line(window, qtbot):
    def answer():
        dialog = QApplication.activeModalWidget()
        assert isinstance(dialog, QInputDialog)
        field = dialog.findChild(QSpinBox)
        field.selectAll()
        QTest.keyClicks(field, "7")
        press(window, "Return", field)

    QTimer.singleShot(50, answer)
    press(window, "Ctrl+G")
    assert window.editor.textCursor().blockNumber() == 6


def test_wrap_zoom_and_fold(window):
    editor, size = window.editor, window.editor.font().pointSizeF()
    press(window, "Ctrl+=")
    assert editor.font().pointSizeF() > size
    press(window, "Ctrl+-")
    press(window, "Ctrl+-")
    assert editor.font().pointSizeF() < size
    press(window, "Ctrl+0")
    press(window, "Alt+Z")
    assert editor.lineWrapMode() == CodeEditor.LineWrapMode.WidgetWidth
    press(window, "Alt+Z")
    assert editor.lineWrapMode() == CodeEditor.LineWrapMode.NoWrap
    editor.go_to(4)
    press(window, "Ctrl+Shift+[")
    assert not editor.document().findBlockByNumber(5).isVisible()
    press(window, "Ctrl+Shift+[")
    assert editor.document().findBlockByNumber(5).isVisible()
    press(window, "Ctrl+Alt+[")
    assert not editor.document().findBlockByNumber(6).isVisible()
    press(window, "Ctrl+Alt+]")
    assert editor.document().findBlockByNumber(6).isVisible()


def test_format(window):
    pytest.importorskip("ruff")
    window.editor.setPlainText("x  =  {  'a':1 }\n")
    press(window, "Ctrl+Alt+Shift+F")
    assert window.editor.text() == 'x = {"a": 1}\n'


def test_names_are_completed_explained_and_followed(window, qtbot):
    editor = window.editor
    window.area.add_completion()
    editor.go_to(11, len("total = ar"))
    press(window, "F12")
    qtbot.waitUntil(lambda: editor.textCursor().blockNumber() == 3, timeout=20_000)
    press(window, "Alt+Left")
    assert editor.textCursor().blockNumber() == 10
    press(window, "F1")
    hints = window.area.completion.hints
    qtbot.waitUntil(lambda: hints.shown, timeout=20_000)
    assert "Return the area of a circle." in hints._doc.label.text()
    press(window, "Esc")
    assert not hints.shown
    editor.go_to(12)
    QTest.keyClicks(editor, "tot")
    press(window, "Ctrl+Space")
    popup = window.area.completion.completer.popup()
    qtbot.waitUntil(popup.isVisible, timeout=20_000)
    press(window, "Return", popup)
    assert lines(window)[11] == "total"
    QTest.keyClicks(editor, " = area(")
    press(window, "Ctrl+Shift+Space")
    qtbot.waitUntil(lambda: hints.shown, timeout=20_000)
    assert "radius" in hints._call.label.text()


def test_every_action_has_a_name_a_tip_and_stands_in_its_menu(window):
    menus = {menu.objectName(): menu for menu in window.menuBar().findChildren(QMenu)}
    standing = {
        action: name for name, menu in menus.items() for action in menu.actions()
    }  # fmt: skip
    names = [plain_text(window.actions_table[spec.id]) for spec in ACTIONS]
    assert len(set(names)) == len(names)
    for spec in ACTIONS:
        action = window.actions_table[spec.id]
        assert plain_text(action).strip()
        assert spec.tip in action.toolTip()
        assert action in standing, spec.id
