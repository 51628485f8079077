"""Timings: numbers with their method, the baseline, the history, the interpreter's notice."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QPushButton,
    QScrollArea,
    QSplitter,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from playground.model.check import CheckResult
from playground.model.config import Config
from playground.model.measurement import Measurement
from playground.protocol import messages
from playground.protocol.timing import GetEnergy, GetFloor, GetHostCost
from playground.ui.document import Document
from playground.ui.history import History
from playground.ui.theme import Theme
from playground.ui.views.baseline_delta import comparable
from playground.ui.views.chips import Chip
from playground.ui.views.formatting import (
    change_text,
    floor_text,
    interval_text,
    ratio_text,
    stopped_text,
    time_text,
)
from playground.ui.views.plot_actions import PlotActions
from playground.ui.views.plot_style import names_above
from playground.ui.views.timing_tables import history_columns
from playground.ui.views.timings import TimingsView
from tests.ui.fake_engine import FakeEngine


def show(document: Document, qtbot: QtBot) -> TimingsView:
    view = TimingsView(document, Theme())
    qtbot.addWidget(view)
    view.resize(560, 680)
    view.show()
    qtbot.waitExposed(view)
    return view


def settle(document: Document, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: document.is_current(document.coverage))
    qtbot.waitUntil(lambda: document.work.queue.job is None)


def text(view: TimingsView, name: str) -> str:
    return view.findChild(QLabel, name).text()


def test_empty_says_what_to_do(gpu_document: Document, qtbot: QtBot) -> None:
    view = show(gpu_document, qtbot)
    assert view.findChild(QWidget, "timings.empty").isVisible()


def test_numbers_carry_interval_spread_clock_and_cache(gpu_ran: Document, qtbot: QtBot) -> None:
    view = show(gpu_ran, qtbot)
    measurement = gpu_ran.measurement
    assert text(view, "timings.median") == time_text(measurement.median_ms)
    detail = text(view, "timings.detail")
    assert f"95 % interval {interval_text(*measurement.interval_ms)}" in detail
    assert f"spread {measurement.spread * 100:.1f} %" in detail
    assert "median of 60 samples" in detail
    method = text(view, "timings.method")
    assert method == (
        "CUPTI kernel records, cold L2 · stopped when the median was settled, within 200 ms"
    )
    spent = replace(measurement, stopped="budget")
    assert stopped_text(spent) == "stopped when 200 ms were spent"
    assert view.findChild(Chip, "timings.host").text == "host 15.0 µs"
    assert text(view, "timings.config") == measurement.config.label()


def test_bandwidth_is_a_share_of_the_measured_ceiling(gpu_ran: Document, qtbot: QtBot) -> None:
    view = show(gpu_ran, qtbot)
    meter = view.findChild(QWidget, "timings.bandwidth")
    rate = 12 * 98432 / (gpu_ran.measurement.median_ms * 1e6)
    assert meter.isVisible()
    assert meter.text.startswith(
        f"{rate:.4g} GB/s (cold L2), {rate / 4249 * 100:.0f} % of the measured"
    )


def test_the_interpreter_draws_no_bandwidth(ran: Document, qtbot: QtBot) -> None:
    view = show(ran, qtbot)
    notice = view.findChild(QWidget, "timings.notice")
    assert notice.isVisible()
    assert "no GPU timings" in notice.text
    assert not view.findChild(QWidget, "timings.bandwidth").isVisible()
    assert not view.findChild(QWidget, "timings.cache").isVisible()
    assert not view.findChild(QToolButton, "timings.more.toggle").isVisible()
    assert "interpreter, CPU wall time" in text(view, "timings.method")


def test_baseline_is_ghosted_with_its_change(gpu_ran: Document, qtbot: QtBot) -> None:
    view = show(gpu_ran, qtbot)
    pin = view.findChild(QPushButton, "timings.pin")
    QTest.mouseClick(pin, Qt.MouseButton.LeftButton)
    first = gpu_ran.baseline
    assert pin.text() == "Unpin"
    gpu_ran.set_knob("BLOCK_SIZE", 64)
    settle(gpu_ran, qtbot)
    chip = view.findChild(Chip, "timings.delta")
    change = change_text(gpu_ran.measurement.median_ms, first.median_ms)
    assert chip.text == f"{change}, slower"
    assert view.samples_plot._baseline is first
    QTest.mouseClick(pin, Qt.MouseButton.LeftButton)
    assert gpu_ran.baseline is None
    assert not chip.isVisible()


def test_a_baseline_of_another_cache_mode_is_not_compared(
    gpu_ran: Document, gpu_engine: FakeEngine, qtbot: QtBot
) -> None:
    view = show(gpu_ran, qtbot)
    gpu_ran.pin_baseline()
    cold = gpu_ran.measurement
    gpu_engine.hold = True
    view.findChild(QToolButton, "timings.cache.warm").click()
    # Nothing of the cold measurement is shown under the other mode, not for a moment.
    assert text(view, "timings.median") == "measuring …"
    assert gpu_ran.measurement is cold
    assert view.history_plot.points is None
    gpu_engine.hold = False
    gpu_engine.release()
    qtbot.waitUntil(lambda: gpu_ran.measurement.cache == "warm")
    assert "warm L2" in text(view, "timings.method")
    assert view.findChild(Chip, "timings.delta").text == "the baseline is cold L2: not compared"
    assert view.samples_plot._baseline is None
    assert {item.cache for item in view._mine()} == {"warm"}


def test_history_click_goes_back_to_a_config(gpu_ran: Document, qtbot: QtBot) -> None:
    view = show(gpu_ran, qtbot)
    first = gpu_ran.config
    for value in (256, 4096):
        gpu_ran.set_knob("BLOCK_SIZE", value)
        settle(gpu_ran, qtbot)
    plot = view.history_plot
    assert len(plot.points.data) == 3
    assert "3 configs tried; fastest" in plot.accessibleDescription()
    point = plot.points.points()[0]
    spot = plot.item.vb.mapViewToScene(QPointF(point.pos()))
    position = plot.mapFromScene(spot)
    QTest.mouseMove(plot.viewport(), position)
    QTest.mouseClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=position)
    assert gpu_ran.config == first


def test_table_twins(gpu_ran: Document, qtbot: QtBot, qapp: QApplication) -> None:
    view = show(gpu_ran, qtbot)
    gpu_ran.set_knob("BLOCK_SIZE", 256)
    settle(gpu_ran, qtbot)
    QTest.mouseClick(view.findChild(QToolButton, "timings.showTable"), Qt.MouseButton.LeftButton)
    samples = view.findChild(QWidget, "timings.samplesTable")
    history = view.findChild(QWidget, "timings.historyTable")
    assert samples.isVisible()
    assert samples.model().rowCount() == 60
    assert history.model().rowCount() == 2
    assert history.model().index(0, 0).data() == "BLOCK_SIZE=1024"
    history.setFocus()
    history.selectRow(0)
    QTest.keyClick(history, Qt.Key.Key_Return)
    assert gpu_ran.config["BLOCK_SIZE"] == 1024
    QTest.keyClick(history, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert "CUPTI kernel records, cold L2" in qapp.clipboard().text()


def test_csv_names_the_clock(gpu_ran: Document, qtbot: QtBot) -> None:
    lines = show(gpu_ran, qtbot)._as_csv().splitlines()
    assert lines[0] == "config,BLOCK_SIZE=1024 num_warps=4 num_stages=3"
    assert lines[1] == 'clock source,"CUPTI kernel records, cold L2"'
    assert lines[2] == 'sampling,"stopped when the median was settled, within 200 ms"'
    assert lines[3] == "Sample,Time (ms)"
    assert float(lines[4].split(",")[1]) == gpu_ran.measurement.samples_ms[0]


def test_late_samples_do_not_squeeze_the_rest(gpu_ran: Document, qtbot: QtBot) -> None:
    view = show(gpu_ran, qtbot)
    base = gpu_ran.measurement
    late = replace(base, samples_ms=(*base.samples_ms, base.median_ms * 50))
    view.samples_plot.show_samples(late, None)
    assert view.samples_plot.beyond == 1
    assert "1 slower ▲" in view.samples_plot.item.getAxis("bottom").labelText
    assert "1 slower samples lie beyond" in view.samples_plot.accessibleDescription()
    view.samples_plot.show_samples(replace(base, samples_ms=(0.002,)), None)
    view.samples_plot.show_samples(replace(base, samples_ms=(0.002,) * 20), base)


def test_a_theme_change_recolours_plots(gpu_ran: Document, qtbot: QtBot) -> None:
    view = show(gpu_ran, qtbot)
    view._theme.set_name("dark")
    background = view.samples_plot.backgroundBrush().color()
    assert background == view._theme.color("plot_background")


@pytest.mark.parametrize(
    ("value", "before", "text"), [(1.1, 1.0, "+10.0 %"), (0.5, 1.0, "−50.0 %"), (1, 1, "±0.0 %")]
)
def test_changes(value: float, before: float, text: str) -> None:
    assert change_text(value, before) == text


def test_history_names_only_knobs_that_differ() -> None:
    configs = [Config.of({"A": 1, "B": 2}), Config.of({"A": 1, "B": 4})]
    column = history_columns(configs)[0]
    item = Measurement(0, configs[1], (1.0,), "cupti", "cold")
    assert column.text(item) == "B=4"
    assert history_columns(configs[:1])[0].text(item) == "A=1 B=4"


def test_few_samples_are_points_and_claim_nothing(gpu_ran: Document, qtbot: QtBot) -> None:
    view = show(gpu_ran, qtbot)
    gpu_ran.pin_baseline()
    gpu_ran.set_knob("num_warps", 8)
    settle(gpu_ran, qtbot)
    gpu_ran.measurement = replace(gpu_ran.measurement, samples_ms=(0.5,))
    gpu_ran.measuredChanged.emit()
    kinds = [type(item).__name__ for item in view.samples_plot.item.items]
    assert "BarGraphItem" not in kinds
    assert kinds.count("ScatterPlotItem") == 1
    assert "one sample: its spread is unknown" in text(view, "timings.detail")
    assert "too few samples to tell" in view.findChild(Chip, "timings.delta").text


def test_a_wrong_config_is_crossed_and_never_the_fastest(gpu_ran: Document, qtbot: QtBot) -> None:
    view = show(gpu_ran, qtbot)
    right = gpu_ran.measurement
    wrong = replace(
        right, config=right.config.with_value("num_warps", 1), samples_ms=(right.median_ms / 2,) * 9
    )
    gpu_ran.take_measured(messages.Measured(gpu_ran.revision, wrong), current=False)
    verdict = CheckResult("wrong", "reference", "out_ptr", mismatches=3, elements=10)
    gpu_ran.take_checked(messages.Checked(gpu_ran.revision, wrong.config, verdict))
    points = view.history_plot.points.points()
    assert [point.symbol() for point in points] == ["star", "x"]
    assert right.config.label() in view.history_plot.accessibleDescription()


def test_the_time_of_a_wrong_result_is_struck_through(gpu_ran: Document, qtbot: QtBot) -> None:
    view = show(gpu_ran, qtbot)
    median = view.findChild(QLabel, "timings.median")
    assert not median.font().strikeOut()
    time = median.text()
    verdict = CheckResult("wrong", "reference", "out_ptr", mismatches=3, elements=10)
    gpu_ran.take_checked(messages.Checked(gpu_ran.revision, gpu_ran.config, verdict))
    assert median.font().strikeOut()
    assert median.text() == time  # marked, and still there to read
    assert "of a wrong result" in text(view, "timings.config")
    assert median.accessibleDescription() == "of a wrong result"
    right = CheckResult("correct", "reference")
    gpu_ran.take_checked(messages.Checked(gpu_ran.revision, gpu_ran.config, right))
    assert not median.font().strikeOut()
    assert "wrong" not in text(view, "timings.config")


def test_plots_stand_side_by_side_where_the_panel_is_low(gpu_ran: Document, qtbot: QtBot) -> None:
    view = show(gpu_ran, qtbot)
    line = view.fontMetrics().height()
    view.resize(560, 50 * line)
    plots = view.findChild(QSplitter, "timings.plots")
    qtbot.waitUntil(lambda: plots.orientation() == Qt.Orientation.Vertical)
    view.resize(560, 24 * line)
    qtbot.waitUntil(lambda: plots.orientation() == Qt.Orientation.Horizontal)
    assert min(plots.sizes()) > 10 * line


def test_waiting_for_a_timing_is_not_called_a_failure(
    gpu_ran: Document, gpu_engine: FakeEngine, qtbot: QtBot
) -> None:
    view = show(gpu_ran, qtbot)
    gpu_engine.hold = True
    gpu_ran.run()
    gpu_engine.release(3)  # the run with its launches, and nothing of the replay
    qtbot.waitUntil(lambda: gpu_ran.measurement is None)
    assert text(view, "timings.median") == "measuring …"
    gpu_engine.hold = False
    gpu_engine.release()
    settle(gpu_ran, qtbot)
    assert text(view, "timings.median") == time_text(gpu_ran.measurement.median_ms)


def test_the_history_forgets_a_launch_that_became_another_kernel() -> None:
    history = History()
    history.take_kernels(("scale", "cube"))
    for launch in (0, 1):
        history.add(Measurement(launch, Config(), (1.0,), "cupti", "cold"))
    assert history.take_kernels(("cube",)) == {0, 1}
    assert not history.items
    history.add(Measurement(0, Config(), (1.0,), "cupti", "cold"))
    assert history.take_kernels(("cube", "scale")) == set()
    assert len(history.items) == 1


def test_the_noise_floor_is_a_band_and_a_change_under_it_means_nothing(
    gpu_ran: Document, gpu_engine: FakeEngine, qtbot: QtBot
) -> None:
    view = show(gpu_ran, qtbot)
    qtbot.waitUntil(lambda: gpu_ran.timing.floor(0, "cold") is not None)
    assert len(gpu_engine.requests(GetFloor)) == 1
    assert "differences under ±0.4 % mean nothing" in view.history_plot.accessibleDescription()
    base = gpu_ran.measurement
    gpu_ran.pin_baseline()
    for factor, words in ((1.003, "under the noise floor"), (1.05, "slower"), (0.9, "faster")):
        gpu_ran.measurement = replace(
            base,
            config=base.config.with_value("num_warps", 8),
            samples_ms=tuple(factor * sample for sample in base.samples_ms),
        )
        gpu_ran.measuredChanged.emit()
        assert words in view.findChild(Chip, "timings.delta").text
    gauge = view.findChild(QWidget, "timings.gauge")
    assert gauge.isVisible()
    assert gauge.accessibleName().startswith("time −10.0 % of baseline, 95 % interval −")
    bands = [item for item in view.history_plot.item.items if "LinearRegion" in type(item).__name__]
    low, high = bands[0].getRegion()
    assert high / low == pytest.approx(1.004**2)
    assert high / 1.004 == pytest.approx(base.median_ms * 1e3)


def test_the_noise_floor_is_asked_for_once_a_launch_and_mode(
    gpu_ran: Document, gpu_engine: FakeEngine, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: gpu_ran.timing.floor(0, "cold") is not None)
    gpu_ran.set_knob("BLOCK_SIZE", 512)
    settle(gpu_ran, qtbot)
    gpu_ran.set_cache("warm")
    qtbot.waitUntil(lambda: gpu_ran.timing.floor(0, "warm") is not None)
    asked = [request.cache for request in gpu_engine.requests(GetFloor)]
    assert asked == ["cold", "warm"]


def test_host_cost_and_energy_come_when_asked_for(
    gpu_ran: Document, gpu_engine: FakeEngine, qtbot: QtBot
) -> None:
    view = show(gpu_ran, qtbot)
    assert not view.findChild(QWidget, "timings.more").isVisible()
    view.findChild(QToolButton, "timings.more.toggle").click()
    assert text(view, "timings.hostCost") == "not measured"
    assert not gpu_engine.requests(GetHostCost)
    view.findChild(QPushButton, "timings.hostCost.measure").click()
    assert text(view, "timings.hostCost") == "measuring …"
    view.findChild(QPushButton, "timings.energy.measure").click()
    qtbot.waitUntil(lambda: not gpu_ran.timing.is_asked(GetEnergy))
    assert text(view, "timings.hostCost") == (
        "first call 312 ms · cold start 1.94 ms · cached call 15.2 µs (CPU clock)"
    )
    assert "26.8 mJ a launch · 541 W mean over 20\u2009184 launches" in text(view, "timings.energy")
    gpu_ran.set_knob("BLOCK_SIZE", 512)
    assert text(view, "timings.energy") == "not measured"


@pytest.mark.parametrize(
    ("ratio", "text"),
    [
        (1.0193, "+1.93 %"),
        (0.5, "−50.0 %"),
        (1.0, "±0.00 %"),
        (3.0, "+200 %"),
        (0.99999, "±0.00 %"),
    ],
)
def test_ratios(ratio: float, text: str) -> None:
    assert ratio_text(ratio) == text


def test_floors() -> None:
    assert floor_text(0.00417) == "±0.42 %"


def test_a_baseline_of_another_launch_is_not_compared(gpu_ran: Document) -> None:
    mine = gpu_ran.measurement
    assert comparable(mine, mine)
    assert not comparable(mine, replace(mine, launch=1))
    assert not comparable(mine, replace(mine, cache="warm"))
    assert not comparable(mine, replace(mine, source="interpreter"))
    assert comparable(mine, replace(mine, source="graph"))


@pytest.mark.parametrize(
    ("one", "other", "above"),
    [(5.0, None, (True, True)), (9.9, None, (False, True)), (5.0, 5.5, (False, True)),
     (5.5, 5.0, (True, False)), (9.0, 1.0, (False, True)), (1.0, 9.5, (True, False))],
)  # fmt: skip
def test_names_of_lines_are_not_cut_and_do_not_meet(
    one: float, other: float | None, above: tuple[bool, bool]
) -> None:
    assert names_above(one, other, 0.0, 10.0) == above


def test_a_low_panel_scrolls_and_nothing_overlaps(gpu_ran: Document, qtbot: QtBot) -> None:
    view = show(gpu_ran, qtbot)
    gpu_ran.pin_baseline()
    view.ask_more()
    page = view.findChild(QScrollArea, "timings.page")
    line = view.fontMetrics().height()
    view.resize(560, 14 * line)
    qtbot.waitUntil(lambda: page.verticalScrollBar().maximum() > 0)
    assert view.findChild(QLabel, "timings.detail").height() == line
    assert view.samples_plot.height() >= 7 * line
    view.resize(560, 48 * line)
    qtbot.waitUntil(lambda: page.verticalScrollBar().maximum() == 0)


def test_plots_are_saved_as_drawings(gpu_ran: Document, qtbot: QtBot, tmp_path) -> None:
    view = show(gpu_ran, qtbot)
    actions = view.findChild(PlotActions)
    assert actions.save_svg(str(tmp_path / "timings.svg"))
    text = (tmp_path / "timings.svg").read_text()
    # Lines and words, not a picture of them.
    assert "samples in order" in text
    assert "<path" in text
    assert not actions.save_svg(str(tmp_path / "no" / "timings.svg"))
