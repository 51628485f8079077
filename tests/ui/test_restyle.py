"""Another theme for a window that is on screen: what is seen at once, the rest when it is seen."""

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, Qt
from PySide6.QtWidgets import (
    QDockWidget,
    QLabel,
    QMainWindow,
    QMenu,
    QMessageBox,
    QPushButton,
    QTabBar,
    QWidget,
)

from playground.model.resources import kernels_dir
from playground.ui.docks import DOCKS
from playground.ui.panel_theme import PanelTheme
from playground.ui.restyle import Restyling
from playground.ui.sight import FirstSight, on_screen
from playground.ui.theme import Theme
from tests.ui.windows import open_window

KERNEL = kernels_dir() / "vector_add.py"
DIRECTLY = Qt.FindChildOption.FindDirectChildrenOnly


@pytest.fixture
def main(qtbot):
    """A window with a panel that is seen and one behind it."""
    made = QMainWindow()
    qtbot.addWidget(made)
    docks = []
    for name in ("front", "back"):
        dock = QDockWidget(name, made)
        dock.setObjectName(name)
        dock.setWidget(QLabel(name, dock))
        made.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, dock)
        docks.append(dock)
    made.tabifyDockWidget(*docks)
    docks[0].raise_()
    made.resize(400, 300)
    made.show()
    qtbot.waitUntil(lambda: not on_screen(docks[1]))
    return made, *docks


def delete_what_is_to_go():
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def ground(view):
    """Return the colour that most of a panel's edge has."""
    image = view.grab().toImage()
    seen = [image.pixelColor(x, image.height() - 1).name() for x in range(1, image.width() - 1, 3)]
    return max(set(seen), key=seen.count)


def seen_of(window):
    """Return the colours of parts of the window, and what they are to be."""
    image = window.grab().toImage()
    ratio = image.devicePixelRatio()

    def at(widget, x, y):
        place = widget.mapTo(window, QPoint(x % widget.width(), y % widget.height()))
        return image.pixelColor(round(place.x() * ratio), round(place.y() * ratio)).name()

    named = {token: window.theme.color(token).name() for token in ("window", "surface")}
    # Between two panels it is the window itself that shows.
    upper = window.docks["launches"].geometry()
    return (
        (at(window.menuBar(), -3, 3), named["window"]),
        (at(window.findChild(QWidget, "toolbar"), -2, 2), named["window"]),
        (at(window.editor, -30, -30), named["surface"]),
        (at(window.docks.views["knobs"], 2, -2), named["surface"]),
        (at(window.statusBar(), 1, -2), named["window"]),
        (at(window, upper.center().x(), upper.bottom() + 2), named["window"]),
    )


def test_a_whole_window_changes_at_once_and_each_panel_when_shown(qtbot, qapp, tmp_path):
    with open_window(tmp_path, qapp, path=KERNEL, views=True) as window:
        bars = window.findChildren(QTabBar, options=DIRECTLY)
        first = qapp.styleSheet()
        for name in ("dark", "light"):
            window.theme.set_name(name)
            for found, wanted in seen_of(window):
                assert found == wanted
            raised = window.theme.color("raised").name()
            for bar in filter(on_screen, bars):
                assert (raised in bar.styleSheet()) == (name == "dark")
            surface = window.theme.color("surface").name()
            hidden = [spec.id for spec in DOCKS if not on_screen(window.docks[spec.id])]
            assert len(hidden) > 5
            for panel in hidden:
                window.docks.show(panel)
                assert on_screen(window.docks[panel]), panel
                assert ground(window.docks.views[panel]) == surface, panel
            window.docks.arrange()
        assert qapp.styleSheet() == first


def test_a_panel_out_of_sight_costs_nothing_until_it_is_seen(main, qapp):
    made, front, back = main
    restyling = Restyling(made)
    restyling.wear("QLabel { background: #123456; }")
    assert "#123456" in front.styleSheet()
    assert made.styleSheet() == ""
    assert back.styleSheet() == ""
    back.raise_()
    qapp.processEvents()
    assert "#123456" in back.styleSheet()
    assert ground(back.widget()) == "#123456"
    restyling.wear("")
    assert back.styleSheet() == ""
    front.raise_()
    qapp.processEvents()
    assert front.styleSheet() == ""


def test_a_change_back_before_it_is_seen_leaves_it_as_it_was(main, qapp):
    made, _, back = main
    restyling = Restyling(made)
    restyling.wear("QLabel { background: #123456; }")
    restyling.wear("")
    back.raise_()
    qapp.processEvents()
    assert back.styleSheet() == ""
    delete_what_is_to_go()
    assert back.findChildren(FirstSight) == []


def test_what_is_made_after_the_change_wears_it_too(main, qtbot, qapp):
    made, *_ = main
    restyling = Restyling(made)
    restyling.wear("QWidget { background: #123456; }")
    box = QMessageBox(made)
    box.setText("late")
    box.open()
    menu = QMenu(made)
    menu.addAction("late")
    menu.popup(made.mapToGlobal(QPoint(5, 5)))
    assert "#123456" in box.styleSheet()
    assert "#123456" in menu.styleSheet()
    menu.close()
    restyling.wear("")
    assert box.styleSheet() == ""
    menu.popup(made.mapToGlobal(QPoint(5, 5)))
    assert menu.styleSheet() == ""
    menu.close()
    box.close()


def test_panels_that_float_together_change_with_the_others(main, qtbot, qapp):
    made, front, back = main
    restyling = Restyling(made)
    restyling.wear("QLabel { background: #123456; }")
    front.setFloating(True)
    qapp.processEvents()
    assert ground(front.widget()) == "#123456"
    assert on_screen(back)
    assert ground(back.widget()) == "#123456"
    restyling.wear("")
    front.setFloating(False)
    qapp.processEvents()
    assert front.styleSheet() == back.styleSheet() == ""


def test_a_window_of_its_own_and_one_that_is_gone(qtbot, qapp):
    restyling = Restyling()
    button, gone = QPushButton("stays"), QPushButton("goes")
    qtbot.addWidget(button)
    for each in (button, gone):
        each.show()
    restyling.wear("QPushButton { color: #123456; }")
    assert "#123456" in button.styleSheet()
    gone.close()
    gone.deleteLater()
    delete_what_is_to_go()
    restyling.wear("")
    assert button.styleSheet() == ""


def test_a_panel_hears_of_the_theme_when_it_is_seen(main, qapp):
    made, front, back = main
    theme = Theme("light", made)
    told = []
    themes = [PanelTheme(theme, dock) for dock in (front, back)]
    for each, dock in zip(themes, (front, back), strict=True):
        each.changed.connect(lambda dock=dock: told.append(dock.objectName()))
    theme.toggle()
    assert told == ["front"]
    assert [each.name for each in themes] == ["dark", "dark"]
    assert themes[1].color("surface") == theme.color("surface")
    theme.toggle()
    theme.toggle()
    told.clear()
    back.raise_()
    qapp.processEvents()
    assert told == ["back"]
    front.raise_()
    back.raise_()
    qapp.processEvents()
    assert told == ["back"]


def test_a_panel_changes_the_theme_of_the_window(main):
    made, front, _ = main
    theme = Theme("light", made)
    own = PanelTheme(theme, front)
    theme.paper_points = 12.0
    assert own.paper_points == 12.0
    own.toggle()
    assert (theme.name, own.name, own.is_dark) == ("dark", "dark", True)
    assert own.stylesheet(front.font()) == theme.stylesheet(front.font())
