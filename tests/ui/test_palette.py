"""The command palette and the preferences."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QKeySequenceEdit, QLabel, QToolButton

from playground.model.resources import kernels_dir
from playground.ui.actions import ACTIONS, plain_text
from playground.ui.commands import all_commands
from playground.ui.palette import score
from playground.ui.preferences import Preferences
from tests.ui.windows import open_window


@pytest.fixture
def window(qtbot, qapp, tmp_path):
    with open_window(tmp_path, qapp, path=kernels_dir() / "vector_add.py") as made:
        yield made


def best(query, *texts):
    return max((t for t in texts if score(query, t) is not None), key=lambda t: score(query, t))


def test_scores():
    assert score("xyz", "Run") is None
    assert score("", "Run") is not None
    assert best("run", "Run", "Reset knobs, undo now", "Interrupt running") == "Run"
    assert best("pb", "Pin baseline", "Paste backwards here now") == "Pin baseline"
    assert best("find", "Find next", "File under index") == "Find next"


def test_letters_and_enter_run_a_command(window):
    QTest.keyClick(
        window,
        Qt.Key.Key_P,
        Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier,
    )
    palette = window.findChild(QDialog, "palette")
    assert palette.list.count() > 40
    QTest.keyClicks(palette.field, "softmax")
    assert palette.list.item(0).text().startswith("Open kernel: Fused softmax")
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    assert window.document.path.endswith("softmax.py")


def test_arrows_move_and_no_match_does_nothing(window):
    window.show_palette()
    palette = window.findChild(QDialog, "palette")
    QTest.keyClick(palette.field, Qt.Key.Key_Down)
    assert palette.list.currentRow() == 1
    QTest.keyClick(palette.field, Qt.Key.Key_Up)
    QTest.keyClick(palette.field, Qt.Key.Key_Up)
    assert palette.list.currentRow() == 0
    QTest.keyClicks(palette.field, "qqqqzzzz")
    assert palette.list.count() == 0
    palette.run_current()
    palette.close()


def test_what_cannot_be_done_says_why_and_stands_below(window, qtbot):
    qtbot.waitUntil(lambda: window.document.engine_state == "ready")
    missing = {command.text: command.why_not for command in all_commands(window)}
    assert missing["Run"] == ""
    assert missing["Sweep"] == "needs a run (F5)"
    assert all(missing[plain_text(action)] for action in window.actions_table
               if not action.isEnabled())  # fmt: skip
    window.show_palette()
    palette = window.findChild(QDialog, "palette")
    QTest.keyClicks(palette.field, "Sweep")
    rows = [palette.list.item(row) for row in range(palette.list.count())]
    off = [bool(row.data(Qt.ItemDataRole.UserRole).why_not) for row in rows]
    assert off == sorted(off)
    index = next(i for i, row in enumerate(rows) if row.text() == "Sweep")
    assert palette.list.itemWidget(rows[index]).text() == "needs a run (F5)"
    assert "needs a run" in rows[index].data(Qt.ItemDataRole.AccessibleTextRole)
    palette.list.setCurrentRow(index)
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    assert palette.isVisible()  # it does nothing, and stays to say so
    assert window.document.launch is None
    palette.close()


def test_every_action_and_its_keys_are_in_the_palette(window):
    commands = {command.text: command.keys for command in all_commands(window)}
    for spec in ACTIONS:
        shown = QKeySequence(spec.keys).toString(QKeySequence.SequenceFormat.NativeText)
        assert commands[spec.text.replace("&", "")] == shown


def test_preferences_change_theme_size_and_keys(window):
    dialog = Preferences(window)
    dialog._theme.setCurrentIndex(2)
    dialog._points.setValue(15)
    dialog._wrap.setChecked(True)
    field = dialog.findChild(QKeySequenceEdit, "shortcut:run")
    field.setKeySequence("F4")
    dialog.accept()
    assert window.theme.name == "dark"
    assert window.editor.font().pointSizeF() == 15
    assert window.settings.wrap
    assert window.actions_table["run"].shortcut().toString() == "F4"
    assert window.settings.shortcuts() == {"run": "F4"}
    assert "(F4)" in window.actions_table["run"].toolTip()


def test_two_actions_cannot_share_keys(window):
    dialog = Preferences(window, 1)
    dialog.findChild(QKeySequenceEdit, "shortcut:run").setKeySequence("Ctrl+S")
    dialog.accept()
    assert "Ctrl+S is used by" in dialog.findChild(QLabel, "preferences.problem").text()
    assert window.actions_table["run"].shortcut().toString() == "F5"
    dialog._restore_defaults()
    dialog.accept()
    assert window.settings.shortcuts() == {}


def test_actions_are_found_by_words_and_keys_and_clashes_told_at_once(window):
    dialog = Preferences(window, 1)

    def shown():
        return [s.id for row, (s, _) in enumerate(dialog._fields) if not table.isRowHidden(row)]

    table = dialog._table
    dialog._search.setText("ruff format")
    assert shown() == ["edit.format"]
    dialog._search.setText("f12")
    assert shown() == ["edit.definition"]
    dialog._search.setText("")
    assert len(shown()) == len(dialog._fields)
    problem = dialog.findChild(QLabel, "preferences.problem")
    dialog.findChild(QKeySequenceEdit, "shortcut:run").setKeySequence("Ctrl+S")
    assert not problem.isHidden()
    assert "Ctrl+S is used by" in problem.text()
    dialog.findChild(QKeySequenceEdit, "shortcut:run").setKeySequence("F5")
    assert problem.isHidden()
    dialog.reject()


def test_preferences_are_found_by_words_on_both_pages(window):
    dialog = Preferences(window)
    dialog.show()
    QTest.keyClicks(dialog._search, "papers size")
    assert dialog.pages.currentIndex() == 0
    assert [dialog._form.isRowVisible(row) for row in range(dialog._form.rowCount())].count(
        True) == 1  # fmt: skip
    dialog._search.setText("ctrl+shift+p")
    assert dialog.pages.currentIndex() == 1  # only a shortcut has these words
    dialog._search.setText("dark")
    assert dialog.pages.currentIndex() == 1  # the action that changes the theme
    dialog._search.setText("")
    assert all(dialog._form.isRowVisible(row) for row in range(dialog._form.rowCount()))
    dialog.reject()


def test_defaults_bring_everything_back(window):
    dialog = Preferences(window)
    before = (dialog._points.value(), dialog._paper.value(), dialog.shortcuts())
    dialog._points.setValue(20)
    dialog._paper.setValue(20)
    dialog._theme.setCurrentIndex(2)
    dialog.findChild(QKeySequenceEdit, "shortcut:run").setKeySequence("F4")
    dialog._restore_defaults()
    assert (dialog._points.value(), dialog._paper.value(), dialog.shortcuts()) == before
    assert dialog._theme.currentIndex() == 0
    dialog.reject()


def test_one_shortcut_goes_back_alone(window):
    dialog = Preferences(window, 1)
    field = dialog.findChild(QKeySequenceEdit, "shortcut:run")
    other = dialog.findChild(QKeySequenceEdit, "shortcut:export")
    back = dialog.findChild(QToolButton, "shortcut-reset:run")
    assert not back.isEnabled()
    field.setKeySequence(QKeySequence("F9"))
    other.setKeySequence(QKeySequence("Ctrl+Alt+E"))
    assert back.isEnabled()
    back.click()
    assert dialog.shortcuts()["run"] == "F5"
    assert dialog.shortcuts()["export"] == "Ctrl+Alt+E"
    assert not back.isEnabled()
    dialog.close()
