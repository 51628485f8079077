"""Telemetry: asked for once a second while it can be seen, drawn, and hidden without a GPU."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from playground.model.measurement import ClockState
from playground.protocol import messages
from playground.ui import document_telemetry
from playground.ui.document import Document
from playground.ui.theme import Theme
from playground.ui.views.telemetry import TelemetryView
from playground.ui.views.telemetry_series import QUANTITIES, span
from playground.ui.views.telemetry_strip import TelemetryStrip
from tests.ui.fake_engine import FakeEngine
from tests.ui.windows import open_window

HELD = ClockState(1755, 3201, 61, 699.6, "power cap", 100)
FREE = ClockState(1980, 3201, 41, 118.0, "", 3)


def test_it_asks_while_the_window_is_seen_and_one_at_a_time(
    gpu_document: Document, gpu_engine: FakeEngine, qtbot: QtBot
) -> None:
    telemetry = gpu_document.telemetry
    telemetry._timer.setInterval(10)
    telemetry.watch(True)
    gpu_engine.hold = True
    qtbot.waitUntil(lambda: len(gpu_engine.requests(messages.GetClocks)) == 1)
    qtbot.wait(60)
    assert len(gpu_engine.requests(messages.GetClocks)) == 1
    gpu_engine.hold = False
    gpu_engine.release()
    qtbot.waitUntil(lambda: len(telemetry.moments) > 2)
    assert telemetry.latest == gpu_engine.clocks()
    # Asking is no work: the engine is not called busy, and nobody waits.
    assert gpu_document.engine_state == "ready"
    assert not gpu_document.work.user_waits()
    telemetry.watch(False)
    assert not telemetry._timer.isActive()


def test_without_a_gpu_nothing_is_asked(document: Document, qtbot: QtBot) -> None:
    document.telemetry.watch(True)
    assert not document.telemetry._timer.isActive()
    view = TelemetryView(document, Theme())
    qtbot.addWidget(view)
    view.show()
    assert view.findChild(QWidget, "telemetry.empty").isVisible()


def test_minutes_are_kept_and_no_more(gpu_document: Document) -> None:
    telemetry = gpu_document.telemetry
    for second in range(1000):
        telemetry.add(float(second), FREE)
    kept = document_telemetry.KEPT_S
    assert telemetry.moments[0].at_s == 999 - kept
    assert len(telemetry.moments) == kept + 1


def test_a_dead_engine_is_asked_again_when_it_is_back(
    gpu_document: Document, gpu_engine: FakeEngine, qtbot: QtBot
) -> None:
    telemetry = gpu_document.telemetry
    telemetry._timer.setInterval(10)
    gpu_engine.hold = True
    telemetry.watch(True)
    qtbot.waitUntil(lambda: telemetry._waiting)
    gpu_engine.hold = False
    gpu_engine.crash()
    qtbot.waitUntil(lambda: bool(telemetry.moments))
    telemetry.watch(False)


def test_rows_tell_of_throttling_and_of_a_moment(gpu_document: Document, qtbot: QtBot) -> None:
    view = TelemetryView(gpu_document, Theme())
    qtbot.addWidget(view)
    view.resize(620, 300)
    view.show()
    qtbot.waitExposed(view)
    assert view.rows.moment_at(QPointF(300, 20)) is None
    for second in range(200):
        gpu_document.telemetry.add(float(second), HELD if 100 <= second < 120 else FREE)
    throttle = view.findChild(QLabel, "telemetry.throttle")
    assert throttle.text() == "Hatched: the clock was held back"
    gpu_document.telemetry.add(200.0, HELD)
    assert throttle.text() == "Clock held back by: power cap"
    curves = view.rows._curves()
    at = curves.right() - (200 - 110) / document_telemetry.KEPT_S * curves.width()
    assert view.rows.moment_at(QPointF(at, 30)).state == HELD
    assert view.rows.moment_at(QPointF(curves.left() + 1, 30)) is None
    view.rows.grab()
    view._theme = Theme("dark")


def test_the_table_is_as_of_when_it_was_opened(gpu_document: Document, qtbot: QtBot) -> None:
    view = TelemetryView(gpu_document, Theme())
    qtbot.addWidget(view)
    for second in range(3):
        gpu_document.telemetry.add(float(second), FREE)
    view._show_page(1)
    gpu_document.telemetry.add(3.0, HELD)
    table = view.findChild(QWidget, "telemetry.table")
    assert table.model().rowCount() == 3
    lines = view._as_csv().splitlines()
    assert lines[0] == (
        "Seconds before,SM clock (MHz),Power (W),Temperature (°C),Utilisation (%),"
        "Memory clock (MHz),Held back by"
    )
    assert lines[1] == "0.0,1755,699.6,61,100,3201,power cap"
    assert lines[4] == "3.0,1980,118.0,41,3,3201,"


def test_the_strip_fits_the_window_and_opens_the_panel(qtbot, qapp, tmp_path) -> None:
    with open_window(tmp_path, qapp, views=True) as window:
        qtbot.waitUntil(lambda: window.findChild(TelemetryStrip) is not None)
        strip = window.findChild(TelemetryStrip)
        assert strip.isVisible()
        assert window.document.telemetry._timer.isActive()
        assert not window.docks["telemetry"].isVisible()
        window.document.telemetry.add(1.0, HELD)
        assert "Held back by: power cap" in strip.accessibleDescription()
        assert "SM clock: 1755 MHz" in strip.toolTip()
        wide = strip.shown
        width = strip.width()
        window.document.telemetry.add(2.0, FREE)
        assert strip.width() == width
        window.resize(1280, 800)
        qtbot.waitUntil(lambda: len(strip.shown) < len(wide))
        assert strip.shown[0] == "sm"
        strip.grab()
        QTest.mouseClick(strip, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda: window.docks["telemetry"].isVisible())
        window.hide()
        assert not window.document.telemetry._timer.isActive()


def test_no_strip_without_a_gpu(qtbot, qapp, tmp_path) -> None:
    with open_window(tmp_path, qapp, mode="interpreter") as window:
        qtbot.waitUntil(lambda: window.document.device is not None)
        assert window.findChild(TelemetryStrip) is None


@pytest.mark.parametrize(
    ("values", "least", "ends"),
    [([3201.0], 200.0, (3100.0, 3300.0)), ([1755.0, 1980.0], 200.0, (1700.0, 2000.0)),
     ([1.0], 10.0, (0.0, 10.0)), ([118.0, 560.0], 50.0, (100.0, 575.0))],
)  # fmt: skip
def test_axes_have_round_ends(values: list[float], least: float, ends: tuple[float, float]) -> None:
    assert span(values, least) == ends


def test_a_value_that_nvml_does_not_give_is_a_dash() -> None:
    assert [quantity.text(ClockState()) for quantity in QUANTITIES][:2] == ["– MHz", "– W"]
