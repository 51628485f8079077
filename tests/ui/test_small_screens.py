"""A screen of 1280x800, with small and with large letters: nothing grows out of it or is cut."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QFont
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QTabBar,
    QWidget,
)

from playground.model.resources import kernels_dir
from playground.ui.docks import DOCKS
from playground.ui.views.chips import Chip
from playground.ui.views.fitting_tabs import FittingTabs
from tests.ui.windows import open_window


def panel_tabs(window):
    found = window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
    return [tabs for tabs in found if tabs.count() and tabs.isVisible()]


def cut(tabs):
    """Return the tabs that stand outside of their bar, by what a screen reader calls them."""
    return [
        tabs.accessibleTabName(index) or tabs.tabText(index)
        for index in range(tabs.count())
        if tabs.isTabVisible(index) and tabs.tabRect(index).right() > tabs.width()
    ]


@pytest.mark.parametrize("points", [9, 16])
def test_the_window_keeps_to_the_screen_and_every_panel_to_its_tab(qtbot, qapp, tmp_path, points):
    before = qapp.font()
    font = QFont(before)
    font.setPointSizeF(points)
    qapp.setFont(font)
    try:
        with open_window(tmp_path, qapp, size=(1280, 800), views=True) as window:
            qtbot.waitUntil(lambda: window.document.engine_state == "ready")
            check_panels(window, qtbot, points)
            check_pages(window, qtbot)
            check_job(window, qtbot)
    finally:
        qapp.setFont(before)


def check_panels(window, qtbot, points):
    titles = {spec.title for spec in DOCKS}
    icons_alone = 0
    for name in ("compare", "experiments", "debugger", "advisor"):
        window.docks.show(name)
        qtbot.wait(1)
        assert (window.width(), window.height()) == (1280, 800), name
        for tabs in panel_tabs(window):
            qtbot.waitUntil(lambda tabs=tabs: not cut(tabs), timeout=3000)
            for index in range(tabs.count()):
                title = tabs.accessibleTabName(index)
                assert title in titles
                assert title == tabs.tabToolTip(index)
                told = QAccessible.queryAccessibleInterface(tabs).child(index)
                assert told.text(QAccessible.Text.Name) == title
                assert tabs.tabText(index) or not tabs.tabIcon(index).isNull()
                assert tabs.tabText(index) or index != tabs.currentIndex()
                icons_alone += not tabs.tabText(index)
    # With the usual letters there is room for every name.
    assert bool(icons_alone) == (points > 9)
    assert {window.docks[spec.id].toggleViewAction().text() for spec in DOCKS} == titles


def check_pages(window, qtbot):
    for name in ("sweep", "compiler", "debugger", "nsight"):
        window.docks.show(name)
        qtbot.wait(1)
        for tabs in window.docks.views[name].findChildren(FittingTabs):
            if not tabs.isVisible():
                continue
            bar = tabs.bar
            assert bar.isHidden() != tabs.choice.isHidden()
            if tabs.choice.isHidden():
                assert bar.sizeHint().width() <= bar.width() <= tabs.width(), name
                assert not cut(bar), name
                continue
            names = [tabs.choice.itemText(i) for i in range(tabs.choice.count())]
            assert names == [bar.tabText(i) for i in range(bar.count()) if bar.isTabVisible(i)]


def check_job(window, qtbot):
    """A job's words and its bar, in large letters, do not widen the window."""
    window.engine.hold = True
    window.document.set_text("x = 1")
    window.document.run()
    qtbot.waitUntil(lambda: window.statusBar().progress.isVisible())
    qtbot.wait(1)
    assert window.width() == 1280
    window.engine.hold = False
    window.engine.release()


def test_the_list_chooses_as_the_tabs_do(qtbot):
    tabs = FittingTabs("try", "Try")
    qtbot.addWidget(tabs)
    for name in ("The first of them", "Another", "The third of them"):
        tabs.add(name)
    tabs.set_shown(1, False)
    told = []
    tabs.currentChanged.connect(told.append)
    tabs.resize(100, 30)
    tabs.show()
    assert [tabs.choice.itemText(i) for i in range(tabs.choice.count())] == [
        "The first of them", "The third of them",
    ]  # fmt: skip
    tabs.choice.setCurrentIndex(1)
    tabs.choice.activated.emit(1)
    assert told == [2]
    tabs.choose(0)
    assert tabs.choice.currentIndex() == 0
    tabs.resize(500, 30)
    assert tabs.bar.isVisible()
    assert tabs.choice.isHidden()


def overlapping(panel):
    """Return controls and words of a panel that stand over one another."""
    kinds = QLabel | QAbstractButton | QComboBox | QLineEdit | QAbstractSpinBox | Chip
    for parent in [panel, *panel.findChildren(QWidget)]:
        if not parent.isVisible() or parent.layout() is None:
            continue
        inside = [
            child for child in parent.children()
            if isinstance(child, kinds) and child.isVisible() and child.width() > 1
        ]  # fmt: skip
        for index, one in enumerate(inside):
            for other in inside[index + 1 :]:
                common = one.geometry().intersected(other.geometry())
                if common.width() > 1 and common.height() > 1:
                    yield one.objectName(), other.objectName()


def test_nothing_on_a_panel_stands_over_anything_else(qtbot, qapp, tmp_path):
    before = qapp.font()
    font = QFont(before)
    font.setPointSizeF(15)
    qapp.setFont(font)
    kernel = kernels_dir() / "vector_add.py"
    try:
        with open_window(tmp_path, qapp, path=kernel, size=(1280, 800), views=True) as window:
            window.document.run()
            qtbot.waitUntil(lambda: window.document.is_current(window.document.coverage))
            window.document.pin_baseline()
            for spec in DOCKS:
                window.docks.show(spec.id)
                qtbot.wait(20)
                assert not list(overlapping(window.docks[spec.id])), spec.id
    finally:
        qapp.setFont(before)
