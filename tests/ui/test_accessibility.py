"""The window as a screen reader and a keyboard meet it: every control has a name and is reached."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QHeaderView,
    QLineEdit,
    QPlainTextEdit,
    QScrollBar,
    QTabBar,
    QTextEdit,
    QWidget,
)

from playground.model.resources import kernels_dir
from playground.ui.action_spec import MENU_TITLES
from playground.ui.actions import ACTIONS
from playground.ui.commands import all_commands
from playground.ui.docks import DOCKS
from playground.ui.figure_help import FigureList
from playground.ui.palette import Palette
from playground.ui.place_dialog import PlaceDialog
from playground.ui.preferences import Preferences
from tests.ui.windows import open_window

CONTROLS = (
    QAbstractButton, QAbstractItemView, QAbstractSlider, QAbstractSpinBox, QComboBox, QLineEdit,
    QPlainTextEdit, QTabBar, QTextEdit,
)  # fmt: skip


KERNEL = kernels_dir() / "vector_add.py"
ONLY_SAYS = {"coverage.programs.title"}
"""Buttons for the look of it, which nothing happens on."""


def controls(window):
    """Return every control of the window, also those on pages that are not in front."""
    for widget in window.findChildren(QWidget):
        inner = widget.parentWidget()
        if isinstance(widget, QScrollBar) or not isinstance(widget, CONTROLS):
            continue
        # What a control is made of (the list of a combo box, the cross in a field) is told by it;
        # Qt keeps empty tab bars for panels that may come together later.
        if widget.objectName().startswith("qt_") or isinstance(widget, QHeaderView):
            continue
        if _is_part(inner) or (isinstance(widget, QTabBar) and not widget.count()):
            continue
        yield widget


def _is_part(inner):
    while inner is not None:
        if isinstance(inner, QAbstractSpinBox | QComboBox | QLineEdit):
            return True
        inner = inner.parentWidget()
    return False


def place(widget):
    names, inner = [], widget
    while inner is not None and len(names) < 4:
        names.append(f"{type(inner).__name__}({inner.objectName()})")
        inner = inner.parentWidget()
    return " < ".join(names)


def test_every_control_has_a_name_and_is_reached_by_the_keyboard(qtbot, qapp, tmp_path):
    """By Tab, or by an action's keys, menu and palette where a toolbar's button is one of those."""
    from_actions = {f"toolbar.{spec.id}" for spec in ACTIONS}
    nameless, unreached = [], []
    with open_window(tmp_path, qapp, path=KERNEL, views=True) as window:
        window.document.run()
        qtbot.waitUntil(lambda: window.document.is_current(window.document.coverage))
        for widget in controls(window):
            found = QAccessible.queryAccessibleInterface(widget)
            if found is not None and not found.text(QAccessible.Text.Name).strip():
                nameless.append(place(widget))
            by_tab = widget.focusPolicy() & Qt.FocusPolicy.TabFocus
            other = widget.objectName() in from_actions | ONLY_SAYS or widget.focusProxy()
            # A tab's own button: Ctrl+W, or Delete on the tab, does the same.
            other = other or widget.objectName().startswith("fileTabs.close.")
            if not by_tab and not other:
                unreached.append(place(widget))
    assert not nameless, "\n".join(nameless)
    assert not unreached, "\n".join(unreached)


def test_every_action_is_in_a_menu_and_every_panel_has_keys():
    assert {spec.menu for spec in ACTIONS} == set(MENU_TITLES)
    keys = [dock.keys for dock in DOCKS]
    assert all(keys)
    taken = [spec.keys for spec in ACTIONS if spec.keys] + keys
    assert len(taken) == len(set(taken)), sorted(k for k in taken if taken.count(k) > 1)


def test_the_systems_font_size_is_that_of_the_window(qapp, tmp_path):
    before = qapp.font()
    larger = qapp.font()
    larger.setPointSizeF(before.pointSizeF() * 1.6)
    with open_window(tmp_path, qapp) as window:
        status = window.statusBar().state
        height = status.sizeHint().height()
        try:
            qapp.setFont(larger)
            window.theme.apply(qapp)
            assert status.sizeHint().height() > 1.3 * height
        finally:
            qapp.setFont(before)
            window.theme.apply(qapp)


def test_every_control_of_the_dialogs_has_a_name_and_is_reached(qtbot, qapp, tmp_path):
    nameless, unreached = [], []
    with open_window(tmp_path, qapp, path=KERNEL) as window:
        dialogs = [
            Preferences(window, 0), PlaceDialog(window.settings, window.engine.place, window),
            FigureList(window), Palette(all_commands(window), window),
        ]  # fmt: skip
        for dialog in dialogs:
            for widget in controls(dialog):
                found = QAccessible.queryAccessibleInterface(widget)
                if found is not None and not found.text(QAccessible.Text.Name).strip():
                    nameless.append(place(widget))
                if not widget.focusPolicy() & Qt.FocusPolicy.TabFocus and not widget.focusProxy():
                    unreached.append(place(widget))
    assert not nameless, "\n".join(nameless)
    assert not unreached, "\n".join(unreached)
