"""The command palette and the preferences."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QKeySequenceEdit, QLabel

from playground.model.resources import kernels_dir
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


def test_disabled_actions_are_not_offered(window):
    texts = [command.text for command in all_commands(window)]
    assert "Sweep" not in texts
    assert "Run" in texts


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
