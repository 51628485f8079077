"""Curves: choosing sizes and lines, rows as they come, drawing, continuing, and what is told."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QCheckBox,
    QComboBox,
    QLineEdit,
    QPushButton,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from playground.model.curve import AxisError, CurveRow
from playground.model.problem_sizes import SizeError
from playground.protocol import timing
from playground.ui.curves_choice import AxisChoice, labels_short
from playground.ui.document import Document
from playground.ui.theme import Theme
from playground.ui.views.curve_series import point, row_text
from playground.ui.views.curves import CurvesView
from playground.ui.views.elided import ElidedLabel
from playground.ui.views.table_twin import RecordTable
from tests.ui.conftest import run_vector_add
from tests.ui.fake_curves import OWN
from tests.ui.fake_engine import FakeEngine

CONFIG = "BLOCK_SIZE=1024 num_warps=4 num_stages=3"


def show(document: Document, qtbot: QtBot) -> CurvesView:
    view = CurvesView(document, Theme())
    qtbot.addWidget(view)
    view.resize(620, 520)
    view.show()
    qtbot.waitExposed(view)
    return view


def draw(document: Document, qtbot: QtBot) -> None:
    document.curves.set_first(AxisChoice("size", "2^12", "2^20"))
    document.curves.start()
    qtbot.waitUntil(lambda: not document.curves.running)


def summary(view: CurvesView) -> str:
    return view.findChild(ElidedLabel, "curves.summary").text()


def shown(view: CurvesView, name: str) -> bool:
    return view.findChild(QWidget, name).isVisible()


def test_before_a_run_it_says_what_to_do(gpu_document: Document, qtbot: QtBot) -> None:
    view = show(gpu_document, qtbot)
    assert shown(view, "curves.empty")


def test_the_interpreter_draws_no_curve_and_says_why(ran: Document, qtbot: QtBot) -> None:
    view = show(ran, qtbot)
    empty = view.findChild(QWidget, "curves.empty")
    assert empty.isVisible()
    assert "says nothing about a GPU" in empty.accessibleName()
    ran.curves.start()
    assert not ran.engine.requests(timing.Trace)  # type: ignore[attr-defined]


def test_a_driver_without_sizes_is_told(gpu_document: Document, qtbot: QtBot) -> None:
    run_vector_add(gpu_document, qtbot)
    gpu_document.set_driver(replace(gpu_document.driver, sizes=()))
    view = show(gpu_document, qtbot)
    assert "no problem size" in view.findChild(QWidget, "curves.empty").accessibleName()


def test_a_range_round_the_size_is_suggested(gpu_ran: Document, qtbot: QtBot) -> None:
    show(gpu_ran, qtbot)
    assert gpu_ran.curves.first == AxisChoice("size", "1024", "2^20")
    assert gpu_ran.curves.points() == 11 * 2


@pytest.mark.parametrize(
    ("low", "high", "told"),
    [("64k", "4k", "larger"), ("a", "9", "no size"), ("9", "15", "no power")],
)
def test_what_makes_no_range_is_told(
    gpu_ran: Document, qtbot: QtBot, low: str, high: str, told: str
) -> None:
    view = show(gpu_ran, qtbot)
    gpu_ran.curves.set_first(AxisChoice("size", low, high))
    with pytest.raises((SizeError, AxisError)):
        gpu_ran.curves.axes()
    assert told in summary(view)
    assert not view.findChild(QPushButton, "curves.start").isEnabled()
    assert view.findChild(QLineEdit, "curves.first.low").property("invalid") == "true"


def test_typing_a_range_and_a_spacing(gpu_ran: Document, qtbot: QtBot) -> None:
    view = show(gpu_ran, qtbot)
    low = view.findChild(QLineEdit, "curves.first.low")
    low.setFocus()
    low.selectAll()
    qtbot.keyClicks(low, "2**14")
    low.editingFinished.emit()
    spacing = view.findChild(QComboBox, "curves.first.spacing")
    spacing.setCurrentIndex(spacing.findData("ragged"))
    spacing.activated.emit(spacing.currentIndex())
    values = gpu_ran.curves.axes()[0].values
    assert values[:4] == (16383, 16384, 16385, 32767)
    assert not view.findChild(QWidget, "curves.first.count").isEnabled()


def test_lines_come_from_config_baseline_preset_reference_and_expression(
    gpu_ran: Document, qtbot: QtBot
) -> None:
    curves = gpu_ran.curves
    gpu_ran.pin_baseline()
    gpu_ran.set_knob("BLOCK_SIZE", 256)
    curves.add_expression(" torch.add(x_ptr, y_ptr) ")
    assert [offer.title for offer in curves.offers()] == [
        "This config", "Baseline", "reference", "Preset BLOCK_SIZE=4096 num_warps=8",
        "torch.add(x_ptr, y_ptr)",
    ]  # fmt: skip
    curves.choose_line("baseline", True)
    lines = curves.chosen_lines()
    assert [bool(line.config) for line in lines] == [True, True, False, False]
    assert labels_short(lines)[lines[0].label] == "BLOCK_SIZE=256"
    assert labels_short(lines)["torch.add(x_ptr, y_ptr)"] == "torch.add(x_ptr, y_ptr)"


def test_rows_are_drawn_as_they_come(
    gpu_engine: FakeEngine, gpu_ran: Document, qtbot: QtBot
) -> None:
    view = show(gpu_ran, qtbot)
    curves = gpu_ran.curves
    curves.set_first(AxisChoice("size", "2^12", "2^20"))
    gpu_engine.hold = True
    view.findChild(QPushButton, "curves.start").click()
    gpu_engine.release(10)
    assert (curves.done, curves.total, curves.running) == (5, 18, True)
    assert summary(view) == "5 of 18 points"
    assert shown(view, "curves.progress")
    assert view.findChild(QPushButton, "curves.start").text() == "Cancel"
    qtbot.waitUntil(lambda: sum(len(series.points) for series in view.plot._series) == 5)
    before = view.plot.item.viewRange()[0]
    gpu_engine.release()
    assert not curves.running
    assert view.plot.item.viewRange()[0] == before
    assert [len(series.points) for series in view.plot._series] == [9, 9]


def test_cancelling_keeps_the_rows_and_continuing_times_the_rest(
    gpu_engine: FakeEngine, gpu_ran: Document, qtbot: QtBot
) -> None:
    view = show(gpu_ran, qtbot)
    curves = gpu_ran.curves
    curves.set_first(AxisChoice("size", "2^12", "2^20"))
    gpu_engine.hold = True
    curves.start()
    gpu_engine.release(12)
    view.findChild(QPushButton, "curves.start").click()
    gpu_engine.hold = False
    gpu_engine.release()
    qtbot.waitUntil(lambda: not curves.running)
    assert curves.curve.cancelled
    kept = curves.curve.rows
    assert len(kept) == 6
    assert "stopped after 6 of 18" in summary(view)
    resume = view.findChild(QPushButton, "curves.resume")
    assert resume.isEnabled()
    resume.click()
    qtbot.waitUntil(lambda: not curves.running)
    assert curves.curve.rows[:6] == kept
    assert len(curves.curve.rows) == 18
    request = gpu_engine.requests(timing.Trace)[-1]
    assert request.before.rows == kept
    assert not resume.isEnabled()


def test_rows_of_another_cache_mode_or_text_are_not_continued(
    gpu_ran: Document, qtbot: QtBot
) -> None:
    draw(gpu_ran, qtbot)
    curves = gpu_ran.curves
    curves.set_first(AxisChoice("size", "2^12", "2^22"))
    assert len(curves.kept()) == 18
    gpu_ran.set_cache("warm")
    assert curves.kept() == ()
    gpu_ran.set_cache("cold")
    gpu_ran.set_text(gpu_ran.text + "\n")
    gpu_ran.run()
    qtbot.waitUntil(lambda: gpu_ran.work.queue.job is None and bool(gpu_ran.launches))
    assert curves.kept() == ()
    assert curves.is_outdated()


def test_figures_of_a_point(gpu_ran: Document, qtbot: QtBot) -> None:
    draw(gpu_ran, qtbot)
    curve = gpu_ran.curves.curve
    row = curve.row(CONFIG, (("size", 1 << 20),))
    assert point(curve, row, "GB/s").value == pytest.approx(12 * (1 << 20) / (row.median_ms * 1e6))
    other = curve.row("reference", row.sizes)
    faster = point(curve, row, "speed-up:reference")
    assert faster.value == pytest.approx(other.median_ms / row.median_ms)
    assert faster.low == pytest.approx(other.low_ms / row.high_ms)
    assert faster.high == pytest.approx(other.high_ms / row.low_ms)
    text = row_text(curve, row, "ms")
    for part in (
        "size = 2^20 (1\u2009048\u2009576)",
        CONFIG,
        "48 samples",
        "CUPTI",
        "cold L2",
        "GB/s",
    ):
        assert part in text, part


def test_every_quantity_draws_and_is_offered(gpu_ran: Document, qtbot: QtBot) -> None:
    view = show(gpu_ran, qtbot)
    draw(gpu_ran, qtbot)
    box = view.findChild(QComboBox, "curves.quantity")
    keys = [box.itemData(i) for i in range(box.count())]
    assert keys == ["ms", "GB/s", f"speed-up:{CONFIG}", "speed-up:reference"]
    for key in keys:
        for log_y in (True, False):
            gpu_ran.curves.set_look(quantity=key, log_y=log_y)
            assert box.currentData() == key
            assert view.plot._series[0].points
    assert "speed-up" in view.plot.item.getAxis("left").labelText


def test_a_click_on_a_point_sets_the_lines_config(gpu_ran: Document, qtbot: QtBot) -> None:
    view = show(gpu_ran, qtbot)
    gpu_ran.curves.choose_line("preset:BLOCK_SIZE=4096 num_warps=8", True)
    draw(gpu_ran, qtbot)
    scatter = view.plot.scatters[2]
    scatter.sigClicked.emit(scatter, [scatter.points()[0]], None)
    assert gpu_ran.config["BLOCK_SIZE"] == 4096
    assert not gpu_ran.curves.apply("reference")


def test_points_that_failed_say_why(
    gpu_engine: FakeEngine, gpu_ran: Document, qtbot: QtBot
) -> None:
    view = show(gpu_ran, qtbot)
    gpu_engine.curve_memory = 1 << 18
    draw(gpu_ran, qtbot)
    assert "4 failed (CUDA out of memory" in summary(view)
    assert len(view.plot._series[0].failed) == 2
    row = view.plot._series[0].failed[0]
    assert "not timed: CUDA out of memory" in row_text(gpu_ran.curves.curve, row, "ms")


def test_the_table_twin_and_csv_hold_every_row(gpu_ran: Document, qtbot: QtBot) -> None:
    view = show(gpu_ran, qtbot)
    draw(gpu_ran, qtbot)
    view.findChild(QToolButton, "curves.showTable").click()
    table = view.findChild(RecordTable, "curves.table")
    assert table.isVisible()
    assert table.model().rowCount() == 18
    rows = list(csv.DictReader(io.StringIO(view._as_csv())))
    assert len(rows) == 18
    assert {row["cache"] for row in rows} == {"cold"}
    assert float(rows[0]["gbps"]) == pytest.approx(12 * 4096 / (float(rows[0]["median_ms"]) * 1e6))


def test_a_row_of_two_sizes_is_a_cell_and_a_line(gpu_ran: Document, qtbot: QtBot) -> None:
    view = show(gpu_ran, qtbot)
    sizes = gpu_ran.driver.sizes
    gpu_ran.set_driver(replace(gpu_ran.driver, sizes=(*sizes, replace(sizes[0], name="rows"))))
    curves = gpu_ran.curves
    two = view.findChild(QToolButton, "curves.two")
    two.click()
    assert curves.second.name == "rows"
    curves.set_first(AxisChoice("size", "256", "1024"))
    curves.set_second(AxisChoice("rows", "512", "1024"))
    curves.start()
    qtbot.waitUntil(lambda: not curves.running)
    assert len(curves.curve.rows) == 3 * 2 * 2
    assert [series.title for series in view.plot._series] == ["rows = 512", "rows = 1024"]
    view.findChild(QCheckBox, "curves.heatMap").click()
    assert shown(view, "curves.heat")
    heat = view.heat
    spot = heat.item.vb.mapViewToScene(QPoint(0, 0).toPointF() + heat.item.vb.viewRect().center())
    assert isinstance(heat.row_at(spot), CurveRow)
    assert dict(heat.row_at(spot).sizes)["size"] == 512
    two.click()
    assert curves.second is None


def test_the_files_own_benchmark_is_offered_and_drawn(
    gpu_engine: FakeEngine, gpu_document: Document, qtbot: QtBot
) -> None:
    gpu_engine.own_benchmarks = (OWN,)
    view = show(gpu_document, qtbot)
    run_vector_add(gpu_document, qtbot)
    assert not gpu_engine.requests(timing.GetOwnBenchmarks)  # nothing in the text looks like one
    gpu_document.set_text(gpu_document.text + "\n# triton.testing.Benchmark\n")
    gpu_document.run()
    curves = gpu_document.curves
    qtbot.waitUntil(lambda: curves.own == (OWN,))
    what = view.findChild(QComboBox, "curves.what")
    assert what.isVisible()
    what.setCurrentIndex(1)
    what.activated.emit(1)
    assert not shown(view, "curves.first")
    curves.start()
    qtbot.waitUntil(lambda: not curves.running)
    request = gpu_engine.requests(timing.Trace)[-1]
    assert (request.own, request.axes, request.lines) == ("benchmark", (), ())
    assert view.findChild(QComboBox, "curves.quantity").currentText() == "GB/s"
    assert [series.title for series in view.plot._series] == ["Triton", "Torch"]


def test_an_engine_that_ends_leaves_the_rows(
    gpu_engine: FakeEngine, gpu_ran: Document, qtbot: QtBot
) -> None:
    view = show(gpu_ran, qtbot)
    gpu_engine.hold = True
    gpu_ran.curves.start()
    gpu_engine.release(8)
    gpu_engine.crash()
    gpu_engine.hold = False
    gpu_engine._schedule()
    assert not gpu_ran.curves.running
    assert len(gpu_ran.curves.curve.rows) == 4
    assert "the engine ended" in summary(view)


def test_knobs_moved_meanwhile_are_replayed_afterwards(
    gpu_engine: FakeEngine, gpu_ran: Document, qtbot: QtBot
) -> None:
    gpu_engine.hold = True
    gpu_ran.curves.start()
    gpu_ran.set_knob("BLOCK_SIZE", 256)
    gpu_engine.release(6)
    assert gpu_ran.work.queue.job is None
    gpu_engine.hold = False
    gpu_engine._schedule()
    qtbot.waitUntil(lambda: gpu_ran.is_current(gpu_ran.measurement))
    assert not gpu_ran.curves.running


def test_both_themes_draw(gpu_ran: Document, qtbot: QtBot) -> None:
    view = show(gpu_ran, qtbot)
    draw(gpu_ran, qtbot)
    light = view.grab().toImage()
    view._theme.set_name("dark")
    assert view.grab().toImage() != light


def test_every_widget_is_named(gpu_ran: Document, qtbot: QtBot) -> None:
    view = show(gpu_ran, qtbot)
    draw(gpu_ran, qtbot)
    for kind in (QPushButton, QToolButton, QComboBox, QCheckBox):
        for widget in view.findChildren(kind):
            assert widget.objectName(), widget
            assert widget.accessibleName(), widget.objectName()


def test_a_low_panel_folds_the_choice_away_when_it_draws(gpu_ran: Document, qtbot: QtBot) -> None:
    view = show(gpu_ran, qtbot)
    view.resize(480, 300)
    fold = view.findChild(QToolButton, "curves.fold")
    assert shown(view, "curves.setup")
    draw(gpu_ran, qtbot)
    assert not shown(view, "curves.setup")
    fold.click()
    assert shown(view, "curves.setup")


def with_sizes(document: Document, *names: str) -> None:
    sizes = document.driver.sizes
    more = (replace(sizes[0], name=name) for name in names)
    document.set_driver(replace(document.driver, sizes=(*sizes, *more)))


def test_sizes_can_move_together(gpu_ran: Document, gpu_engine: FakeEngine, qtbot: QtBot) -> None:
    with_sizes(gpu_ran, "rows")
    view = show(gpu_ran, qtbot)
    name = view.findChild(QComboBox, "curves.first.name")
    assert [name.itemText(i) for i in range(name.count())] == ["size", "rows", "size = rows"]
    name.setCurrentText("size = rows")
    name.activated.emit(2)
    curves = gpu_ran.curves
    assert curves.axes()[0].names == ("size", "rows")
    assert not view.findChild(QToolButton, "curves.two").isEnabled()  # nothing is left to it
    view.findChild(QPushButton, "curves.start").click()
    qtbot.waitUntil(lambda: not curves.running)
    assert gpu_engine.requests(timing.Trace)[-1].axes[0].name == "size = rows"
    assert view.plot.item.getAxis("bottom").labelText == "size = rows"


def test_many_sizes_are_offered_one_by_one_and_all_together(
    gpu_ran: Document, qtbot: QtBot
) -> None:
    with_sizes(gpu_ran, "b", "c", "d", "e")
    names = gpu_ran.curves.axis_names()
    assert names == ("size", "b", "c", "d", "e", "size = b = c = d = e")


def test_a_second_size_is_none_of_those_that_move_together(gpu_ran: Document, qtbot: QtBot) -> None:
    with_sizes(gpu_ran, "rows", "deep")
    curves = gpu_ran.curves
    curves.add_second()
    assert curves.second.name == "rows"
    curves.set_first(AxisChoice("size = rows", "64", "128"))
    assert curves.second.name == "deep"
    view = show(gpu_ran, qtbot)
    name = view.findChild(QComboBox, "curves.second.name")
    assert [name.itemText(i) for i in range(name.count())] == ["deep"]


class Store(dict):
    """What a window keeps, in memory."""

    def curve_setup(self, path: str) -> str:
        return self.get(path, "")

    def set_curve_setup(self, path: str, text: str) -> None:
        self[path] = text


def test_what_was_chosen_comes_back_with_the_file(
    gpu_engine: FakeEngine, gpu_document: Document, qtbot: QtBot
) -> None:
    store = gpu_document.setup_store = Store()
    run_vector_add(gpu_document, qtbot)
    curves = gpu_document.curves
    assert not store  # nothing was chosen by hand
    view = show(gpu_document, qtbot)
    curves.set_first(AxisChoice("size", "2^12", "2^20", "ragged"))
    curves.add_expression("torch.add(x_ptr, y_ptr)")
    curves.choose_line("reference", False)
    budget = view.findChild(QComboBox, "curves.budget")
    budget.setCurrentIndex(budget.findText("200 ms a point"))
    budget.activated.emit(budget.currentIndex())
    curves.start()
    qtbot.waitUntil(lambda: not curves.running)
    assert gpu_engine.requests(timing.Trace)[-1].budget_ms == 200

    other = Document(gpu_engine)
    other.setup_store = store
    run_vector_add(other, qtbot)
    again = other.curves
    assert again.first == AxisChoice("size", "2^12", "2^20", "ragged")
    assert again.budget_ms == 200
    assert {line.label for line in again.chosen_lines()} == {CONFIG, "torch.add(x_ptr, y_ptr)"}
    other.close()


@pytest.mark.parametrize("kept", ["", "no json", "[1]", '{"first": 3, "budget_ms": "x"}'])
def test_a_damaged_entry_counts_as_absent(gpu_document: Document, qtbot: QtBot, kept: str) -> None:
    gpu_document.setup_store = Store({})
    gpu_document.setup_store.curve_setup = lambda path: kept
    run_vector_add(gpu_document, qtbot)
    curves = gpu_document.curves
    assert curves.first == AxisChoice("size", "1024", "2^20")
    assert (curves.budget_ms, curves.chosen) == (50.0, {"config", "reference"})


def test_the_legend_hides_a_line_and_shows_it_again(gpu_ran: Document, qtbot: QtBot) -> None:
    view = show(gpu_ran, qtbot)
    gpu_ran.curves.set_first(AxisChoice("size", "2^12", "2^16"))
    gpu_ran.curves.start()
    qtbot.waitUntil(lambda: not gpu_ran.curves.running)
    qtbot.waitUntil(lambda: len(view.plot.scatters) == 2)
    entries = view.legend.findChildren(QAbstractButton)
    first = view.plot._series[0].title
    assert [each.title for each in entries] == [each.title for each in view.plot._series]
    entries[0].setFocus()
    QTest.keyClick(entries[0], Qt.Key.Key_Space)
    assert view.legend.hidden == {first}
    assert len(view.plot.scatters) == 1
    # It stays away when the curve is drawn anew, and the other keeps its look.
    view.plot.recolour()
    assert len(view.plot.scatters) == 1
    QTest.mouseClick(entries[0], Qt.MouseButton.LeftButton)
    assert len(view.plot.scatters) == 2
