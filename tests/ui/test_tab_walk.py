"""Tab goes through the window: every control that can be used is reached with the keyboard."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QPlainTextEdit, QWidget

from playground.model.resources import kernels_dir
from playground.ui.docks import DOCKS
from tests.ui.test_accessibility import controls, place
from tests.ui.windows import open_window

MOST_PRESSES = 400


def wanted(window):
    """Return the controls in sight that can be used, by what Tab stops at."""
    for widget in controls(window):
        usable = widget.isVisibleTo(window) and widget.isEnabled()
        if usable and widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
            yield widget


def walked(window, here_to):
    """Press Tab until all of `here_to` were met, or it comes round; return where it stopped."""
    start = QApplication.focusWidget()
    seen: list[QWidget] = [start]
    left = set(here_to)
    for _ in range(MOST_PRESSES):
        here = QApplication.focusWidget()
        QTest.keyClick(here, Qt.Key.Key_Tab)
        there = QApplication.focusWidget()
        if there is here:
            # A text keeps Tab for itself: Ctrl+Tab leaves a plain one, a panel's keys all of them.
            assert isinstance(there, QPlainTextEdit), place(there)
            assert not there.isReadOnly(), place(there)
            there.nextInFocusChain().setFocus()
            while not QApplication.focusWidget() or QApplication.focusWidget() is here:
                here = here.nextInFocusChain()
                if here.focusPolicy() & Qt.FocusPolicy.TabFocus and here.isVisibleTo(window):
                    here.setFocus()
            there = QApplication.focusWidget()
        if there is start:
            break
        seen.append(there)
        left.discard(there)
        if not left:
            break
    return seen


def test_tab_reaches_every_control_of_every_panel(qtbot, qapp, tmp_path):
    missed = {}
    kernel = kernels_dir() / "vector_add.py"
    with open_window(tmp_path, qapp, path=kernel, views=True) as window:
        window.document.run()
        qtbot.waitUntil(lambda: window.document.is_current(window.document.coverage))
        reached: set[QWidget] = set()
        for spec in DOCKS:
            window.docks.show(spec.id)
            qtbot.wait(1)
            panel = window.docks[spec.id]
            here = [each for each in wanted(panel) if each not in reached]
            if not here:
                continue
            window.drivers.run.setFocus()
            reached.update(walked(window, here))
            lost = [each for each in here if each not in reached and not beside(each, reached)]
            if lost:
                missed[spec.id] = [place(each) for each in lost]
    assert not missed, missed
    assert len(reached) > 100  # it walked, and through more than one panel


def beside(widget, reached):
    """Tell whether arrows lead here from a button that Tab stops at: one of a group."""
    group = widget.group() if isinstance(widget, QAbstractButton) else None
    return group is not None and any(each in reached for each in group.buttons())
