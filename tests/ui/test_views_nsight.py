"""Nsight Compute: its figures beside ours, its advice, and the command where it is missing."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from playground.model.nsight import Metric, NsightReport
from playground.protocol import timing
from playground.ui.document import Document
from playground.ui.theme import Theme
from playground.ui.views.meter import Meter
from playground.ui.views.nsight import NsightView
from playground.ui.views.nsight_rows import duration_ms, nsight_rows
from playground.ui.views.table_twin import RecordTable
from tests.ui.fake_curves import COMMAND, NSIGHT
from tests.ui.fake_engine import FakeEngine


def show(document: Document, qtbot: QtBot) -> NsightView:
    view = NsightView(document, Theme())
    qtbot.addWidget(view)
    view.resize(620, 480)
    view.show()
    qtbot.waitExposed(view)
    return view


def profile(view: NsightView, document: Document, qtbot: QtBot) -> None:
    view.findChild(QPushButton, "nsight.start").click()
    qtbot.waitUntil(lambda: not document.nsight.running)


def shown(view: NsightView, name: str) -> bool:
    return view.findChild(QWidget, name).isVisible()


def test_before_it_says_what_it_does(gpu_document: Document, qtbot: QtBot) -> None:
    view = show(gpu_document, qtbot)
    assert "Press F5 to run first" in view.findChild(QLabel, "nsight.detail").text()
    assert not view.findChild(QPushButton, "nsight.start").isEnabled()
    assert not shown(view, "nsight.command")


def test_figures_stand_beside_ours(gpu_engine: FakeEngine, gpu_ran: Document, qtbot: QtBot) -> None:
    view = show(gpu_ran, qtbot)
    profile(view, gpu_ran, qtbot)
    request = gpu_engine.requests(timing.Profile)[-1]
    assert (request.launch, request.config) == (0, gpu_ran.config)
    assert view.findChild(Meter, "nsight.memory").text == "58.4 % of the speed of light of memory"
    assert view.findChild(Meter, "nsight.compute").text == "9.8 % of the speed of light of compute"
    rows = {row.name: row for row in view._model.records if row.ours}
    assert set(rows) == {
        "Duration", "Memory Throughput", "Theoretical Occupancy", "Block Size", "Grid Size",
        "Theoretical Active Warps per SM", "Registers Per Thread",
        "Dynamic Shared Memory Per Block",
    }  # fmt: skip
    assert rows["Duration"].apart.endswith("%")
    assert rows["Registers Per Thread"].ours == str(gpu_ran.compile_report.registers)
    assert rows["Block Size"].apart == "same"
    assert rows["Memory Throughput"].unit == "Gbyte/s"
    detail = view.findChild(QLabel, "nsight.detail").text()
    assert "Nsight Compute 2.260 µs, ours" in detail
    assert "CUPTI kernel records, cold L2" in detail
    advice = view.findChild(QPlainTextEdit, "nsight.advice").toPlainText()
    assert "too small to fill" in advice
    assert view.findChild(RecordTable, "nsight.table").model().rowCount() == len(NSIGHT.metrics)


def test_what_warps_wait_for_is_ranked_with_a_remedy(gpu_ran: Document, qtbot: QtBot) -> None:
    view = show(gpu_ran, qtbot)
    assert not shown(view, "nsight.stalls")
    profile(view, gpu_ran, qtbot)
    table = view.findChild(RecordTable, "nsight.stallTable")
    first = table.record_at(0)
    assert (first.reason, table.model().index(0, 1).data()) == ("long_scoreboard", "74.1%")
    assert "issues one in 10% of all cycles" in view.findChild(QLabel, "nsight.stallSummary").text()
    remedy = view.findChild(QLabel, "nsight.stallRemedy")
    assert "num_stages" in remedy.text()
    table.selectRow(1)
    assert "barrier" in table.record_at(1).reason
    assert "The warps of a program wait for each other" in remedy.text()


def test_a_report_without_reasons_shows_the_figures(
    gpu_engine: FakeEngine, gpu_ran: Document, qtbot: QtBot
) -> None:
    view = show(gpu_ran, qtbot)
    profile(view, gpu_ran, qtbot)
    gpu_ran.nsight.report = replace(NSIGHT, stalls=())
    gpu_ran.nsight.changed.emit()
    assert not shown(view, "nsight.stalls")
    assert shown(view, "nsight.table")


def test_where_it_is_missing_there_is_a_command_to_copy(
    gpu_engine: FakeEngine, gpu_ran: Document, qtbot: QtBot
) -> None:
    gpu_engine.has_nsight = False
    view = show(gpu_ran, qtbot)
    profile(view, gpu_ran, qtbot)
    notice = view.findChild(QWidget, "nsight.notice").text
    assert notice == (
        "Nsight Compute (ncu) is not on the PATH. The command below does the same where it is "
        "allowed."
    )
    assert view.findChild(QPlainTextEdit, "nsight.command").toPlainText() == COMMAND
    view.findChild(QPushButton, "nsight.copyCommand").click()
    assert QGuiApplication.clipboard().text() == COMMAND
    assert not shown(view, "nsight.table")


def test_without_a_gpu_the_command_is_there_all_the_same(
    engine: FakeEngine, ran: Document, qtbot: QtBot
) -> None:
    engine.has_nsight = False
    view = show(ran, qtbot)
    profile(view, ran, qtbot)
    assert shown(view, "nsight.command")
    assert ran.nsight.measurement is None


def test_another_config_than_the_one_shown_is_told(gpu_ran: Document, qtbot: QtBot) -> None:
    view = show(gpu_ran, qtbot)
    profile(view, gpu_ran, qtbot)
    gpu_ran.set_knob("BLOCK_SIZE", 256)
    assert "of another config than the one shown now" in (
        view.findChild(QLabel, "nsight.detail").text()
    )


def test_it_can_be_cancelled(gpu_engine: FakeEngine, gpu_ran: Document, qtbot: QtBot) -> None:
    view = show(gpu_ran, qtbot)
    gpu_engine.hold = True
    start = view.findChild(QPushButton, "nsight.start")
    start.click()
    assert start.text() == "Cancel"
    start.click()
    gpu_engine.hold = False
    gpu_engine.release()
    assert not gpu_ran.nsight.running
    assert "cancelled" in view.findChild(QWidget, "nsight.notice").text


def test_an_unsaved_text_is_warned_of(gpu_ran: Document, qtbot: QtBot) -> None:
    view = show(gpu_ran, qtbot)
    assert not shown(view, "nsight.notice")
    gpu_ran.set_text(gpu_ran.text + "\n")
    assert "save it first" in view.findChild(QWidget, "nsight.notice").text


@pytest.mark.parametrize(
    ("value", "unit", "expected_ms"),
    [
        ("2.26", "us", 0.00226),
        ("1,250", "nsecond", 0.00125),
        ("3", "ms", 3.0),
        ("1", "cycle", None),
    ],
)
def test_durations_in_any_unit(value: str, unit: str, expected_ms: float | None) -> None:
    report = NsightReport("k", (Metric("s", "Duration", value, unit),))
    found = duration_ms(report)
    assert found == (pytest.approx(expected_ms) if expected_ms else None)


def test_figures_without_ours_stand_alone() -> None:
    rows = nsight_rows(NSIGHT, None, None, None)
    assert len(rows) == len(NSIGHT.metrics)
    assert not any(row.ours or row.apart for row in rows)
