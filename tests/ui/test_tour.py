"""The tour: it follows what is done, points at the real control, and never comes back unasked."""

import itertools

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QPushButton, QWidget

from playground.model.resources import kernels_dir
from playground.protocol.messages import Exported
from playground.ui.settings import Settings
from playground.ui.tour_steps import STEPS
from playground.ui.views.callout import Callout
from tests.ui.windows import open_window

KERNEL = kernels_dir() / "vector_add.py"
NAMES = [step.id for step in STEPS]


@pytest.fixture
def window(qtbot, qapp, tmp_path):
    with open_window(tmp_path, qapp, mode="interpreter") as made:
        fill(made)
        made.area.show_gallery()
        qtbot.waitUntil(lambda: made.document.engine_state == "ready")
        made.tour.resume()
        settle(made, qtbot)
        yield made
    # Menus of plots have no parent, and pytest holds on to the window a little longer.
    for widget in QApplication.topLevelWidgets():
        if isinstance(widget, QMenu) and widget.parent() is None:
            widget.deleteLater()


def fill(window):
    """Fill the panels that the tour points at; the others would only cost time."""
    for name in ("knobs", "coverage", "sweep"):
        window.docks._fill(name)


def settle(window, qtbot):
    """Wait until the card stands where it belongs."""
    qtbot.waitUntil(lambda: not window.tour._soon.isActive())


def at(window):
    return window.tour.step.id if window.tour.step else ""


def outlined(window):
    """Return the middle of what is outlined, in the window's coordinates."""
    return window.tour.outline.geometry().center()


def run(window, qtbot):
    window.document.open_file(str(KERNEL))
    window.document.run()
    qtbot.waitUntil(lambda: window.document.is_current(window.document.coverage))
    settle(window, qtbot)


def test_every_step_goes_on_when_it_is_done_in_the_window(window, qtbot, tmp_path):
    document = window.document
    assert at(window) == "open"
    QTest.mouseClick(window.findChild(QPushButton, "gallery:vector_add"), Qt.MouseButton.LeftButton)
    assert at(window) == "run"
    assert document.launch is None  # nothing runs by itself
    QTest.keyClick(window, Qt.Key.Key_F5)
    qtbot.waitUntil(lambda: at(window) == "knob")
    document.set_knob("BLOCK_SIZE", 512)
    qtbot.waitUntil(lambda: at(window) == "coverage")
    document.programs.choose((5,))
    assert at(window) == "sweep"
    document.sweep.start_values({"BLOCK_SIZE": (256, 512)})
    qtbot.waitUntil(lambda: at(window) == "export", timeout=10000)
    path = tmp_path / "tuned.py"
    window.files.write_export(str(path), Exported("print('agrees')\n", "tuned.py"))
    assert at(window) == "check"
    assert window.settings.tour == "check"
    QTest.mouseClick(
        window.findChild(QPushButton, "notice.exported.check"), Qt.MouseButton.LeftButton
    )
    qtbot.waitUntil(lambda: at(window) == "", timeout=20000)
    assert window.settings.tour == "finished"
    settle(window, qtbot)
    assert "has proved itself" in window.tour.card.accessibleDescription()
    window.tour.card.do.click()
    assert not window.tour.active
    window.tour.resume()
    assert not window.tour.active


def test_each_step_is_done_by_the_card_when_it_is_asked_to(window, qtbot, monkeypatch):
    asked = []
    monkeypatch.setattr(window.document, "export", lambda config=None: asked.append(config))
    for name, after in itertools.pairwise(NAMES[:6]):
        qtbot.waitUntil(lambda name=name: at(window) == name)
        qtbot.waitUntil(window.tour.card.do.isEnabled)
        assert window.tour.card.do.text()
        window.tour.card.do.click()
        qtbot.waitUntil(lambda after=after: at(window) == after, timeout=10000)
    settle(window, qtbot)
    window.tour.card.do.click()
    assert asked == [None]  # untimed: the sliders' config
    assert "not timed" in window.tour.card.accessibleDescription()


def test_a_failed_check_does_not_go_on_and_says_so(window, qtbot, tmp_path):
    run(window, qtbot)
    for _ in range(4):
        window.tour.skip()
    assert at(window) == "check"
    path = tmp_path / "tuned.py"
    window.files.write_export(str(path), Exported("raise SystemExit('wrong at 3')\n", "tuned.py"))
    window.actions_table["export.check"].trigger()
    qtbot.waitUntil(lambda: not window.export_check.running, timeout=20000)
    settle(window, qtbot)
    assert at(window) == "check"
    assert "wrong at 3" in window.tour.card.accessibleDescription()
    assert any("did not pass" in f.message for f in window.document.findings)


def test_skipping_leads_to_the_end_and_asks_for_what_is_missing(window, qtbot):
    card = window.tour.card
    QTest.mouseClick(card.skip, Qt.MouseButton.LeftButton)
    QTest.mouseClick(card.skip, Qt.MouseButton.LeftButton)
    settle(window, qtbot)
    # Without a launch there is no knob: what comes before it is shown, and what for.
    assert at(window) == "knob"
    assert card.accessibleName() == "Tour, 3 of 7: Open a kernel"
    assert "Needed for “Move a knob”" in card.accessibleDescription()
    while window.tour.step is not None:
        window.tour.skip()
    settle(window, qtbot)
    assert card.accessibleName() == "Tour: That was the tour"
    assert "proved" not in card.accessibleDescription()


def test_ended_it_never_comes_back_unasked_but_from_help(window, qtbot, qapp, tmp_path):
    QTest.mouseClick(window.tour.card.end, Qt.MouseButton.LeftButton)
    assert not window.tour.active
    assert window.findChild(Callout) is None or not window.findChild(Callout).isVisible()
    assert window.settings.tour == "dismissed"
    window.tour.resume()
    assert not window.tour.active
    window.actions_table["help.tour"].trigger()
    assert at(window) == "open"


def test_the_next_window_goes_on_where_this_one_left_off(qtbot, qapp, tmp_path):
    settings = Settings(tmp_path / "w.ini")
    assert settings.is_fresh
    settings.tour = "sweep"
    with open_window(tmp_path, qapp, path=KERNEL, settings=settings) as window:
        fill(window)
        qtbot.waitUntil(lambda: window.document.engine_state == "ready")
        window.tour.resume()
        settle(window, qtbot)
        assert (at(window), window.tour.card.accessibleName()) == (
            "sweep", "Tour, 5 of 7: Run it")  # fmt: skip
        run(window, qtbot)
        assert window.tour.card.accessibleName() == "Tour, 5 of 7: Sweep"
    assert not settings.is_fresh


def test_the_card_follows_and_never_hides_the_control(window, qtbot):
    run(window, qtbot)
    row = window.findChild(QWidget, "knob-row:BLOCK_SIZE")
    for size in ((1600, 1000), (1280, 800)):
        window.resize(*size)
        qtbot.waitUntil(lambda: window.tour.card.geometry().right() < window.width())
        settle(window, qtbot)
        place = QRect(row.mapTo(window, row.rect().topLeft()), row.size())
        assert place.contains(outlined(window))
        assert not window.tour.card.geometry().intersects(place)
        assert window.rect().contains(window.tour.card.geometry())


def test_hidden_and_moved_panels_are_followed(window, qtbot):
    run(window, qtbot)
    dock, tour = window.docks["knobs"], window.tour
    dock.hide()
    qtbot.waitUntil(lambda: not tour.outline.isVisible())
    assert "is hidden" in tour.card.accessibleDescription()
    assert window.rect().contains(tour.card.geometry())
    dock.show()
    qtbot.waitUntil(tour.outline.isVisible)
    dock.setFloating(True)
    qtbot.waitUntil(lambda: tour.outline.window() is dock)
    dock.setFloating(False)
    qtbot.waitUntil(lambda: tour.outline.window() is window)
    dock.hide()
    tour.card.do.click()  # shows the panel again as well
    assert dock.isVisible()


def test_it_outlives_the_engine(window, qtbot):
    run(window, qtbot)
    window.document.set_knob("BLOCK_SIZE", 512)
    qtbot.waitUntil(lambda: at(window) == "coverage")
    window.document.restart()
    assert at(window) == "coverage"
    qtbot.waitUntil(lambda: window.document.launch is not None)
    qtbot.waitUntil(lambda: window.document.is_current(window.document.coverage))
    settle(window, qtbot)
    assert window.tour.card.accessibleName() == "Tour, 4 of 7: Read the coverage"


def test_it_takes_no_keyboard_but_is_reached_by_it(window, qtbot):
    card = window.tour.card
    window.editor.setFocus()
    window.document.open_file(str(KERNEL))
    settle(window, qtbot)
    assert window.focusWidget() is window.editor
    window.actions_table["help.tour"].trigger()
    assert window.focusWidget() is card.do
    QTest.keyClick(card.do, Qt.Key.Key_Tab)
    assert window.focusWidget() is card.skip
    QTest.keyClick(card.skip, Qt.Key.Key_Tab)
    assert window.focusWidget() is card.end
    QTest.keyClick(card.end, Qt.Key.Key_Escape)
    assert window.focusWidget() is window.editor
    assert window.tour.active


def test_screen_readers_are_told_step_text_and_buttons(window, qtbot):
    card = window.tour.card
    told = QAccessible.queryAccessibleInterface(card)
    assert told.text(QAccessible.Text.Name) == "Tour, 1 of 7: Open a kernel"
    assert "runs nothing" in told.text(QAccessible.Text.Description)
    names = [
        QAccessible.queryAccessibleInterface(button).text(QAccessible.Text.Name)
        for button in (card.do, card.skip, card.end)
    ]
    assert names == [
        "Open it for me: Open a kernel", "Skip this step of the tour", "End the tour",
    ]  # fmt: skip
