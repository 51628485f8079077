"""Roofline: ceilings measured or expected, the launch under them, the floor, what is told."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QComboBox, QLabel, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from playground.model.roofline import Ceilings
from playground.model.targets import facts_for
from playground.protocol import timing
from playground.ui.document import Document
from playground.ui.document_roofline import RoofPoint
from playground.ui.theme import Theme
from playground.ui.views.chips import Chip
from playground.ui.views.elided import ElidedLabel
from playground.ui.views.roof_lines import picture
from playground.ui.views.roofline import RooflineView
from playground.ui.views.roofline_plot import point_text, source_text
from playground.ui.views.table_twin import RecordTable
from tests.ui.conftest import run_vector_add
from tests.ui.fake_curves import H200
from tests.ui.fake_engine import FakeEngine
from tests.ui.matmul_engine import MatmulEngine

BYTES = 12 * 98432


def show(document: Document, qtbot: QtBot) -> RooflineView:
    view = RooflineView(document, Theme())
    qtbot.addWidget(view)
    view.resize(620, 520)
    view.show()
    qtbot.waitExposed(view)
    qtbot.waitUntil(lambda: not document.roofline.running)
    return view


@pytest.fixture
def matmul(qtbot: QtBot, qapp):
    engine = MatmulEngine("gpu", hole=False, size=4096)
    engine.start()
    document = Document(engine)
    qtbot.waitUntil(lambda: engine.state == "ready")
    yield run_vector_add(document, qtbot)
    document.close()
    engine.shutdown()
    document.deleteLater()


def text(view: RooflineView, name: str) -> str:
    return view.findChild((QLabel, ElidedLabel)[name != "roofline.share"], name).text()


def test_nothing_is_measured_before_somebody_looks(
    gpu_engine: FakeEngine, gpu_ran: Document, qtbot: QtBot
) -> None:
    assert gpu_ran.roofline.ceilings().measured is False
    assert not gpu_engine.requests(timing.GetRoofline)
    show(gpu_ran, qtbot)
    assert gpu_ran.roofline.ceilings() == H200
    gpu_ran.set_knob("BLOCK_SIZE", 256)
    qtbot.waitUntil(lambda: gpu_ran.is_current(gpu_ran.coverage))
    assert len(gpu_engine.requests(timing.GetRoofline)) == 1


def test_a_short_launch_is_bound_by_the_launch_itself(gpu_ran: Document, qtbot: QtBot) -> None:
    view = show(gpu_ran, qtbot)
    standing = gpu_ran.roofline.standing()
    assert standing.bound == "launch"
    assert standing.floor_ms == H200.launch_ms
    share = H200.launch_ms / gpu_ran.measurement.median_ms
    assert text(view, "roofline.share") == f"{share * 100:.0f} % of the roof"
    detail = text(view, "roofline.detail")
    assert detail == "bound by the launch itself · floor 1.120 µs"
    timed = text(view, "roofline.config")
    assert timed.startswith("measured ")
    assert "CUPTI kernel records, cold L2" in timed
    assert view.findChild(Chip, "roofline.known").text == "measured here"
    assert view.plot._picture.over == "bytes"
    assert "only operations of tl.dot are counted" in text(view, "roofline.notes")


def test_a_matmul_stands_on_operations_per_byte(matmul: Document, qtbot: QtBot) -> None:
    view = show(matmul, qtbot)
    standing, roof = matmul.roofline.standing(), view.plot._picture
    assert roof.over == "intensity"
    assert roof.x == pytest.approx(4096**3 / (5 * 4096**2))
    assert roof.top(roof.x) == 712.0
    assert standing.bound == "arithmetic"
    assert standing.floor_ms == pytest.approx(4096**3 / 712e9)
    assert "matrix products (fp16)" in text(view, "roofline.detail")
    # Under the ridge memory bounds: its height is intensity times bandwidth.
    assert roof.top(roof.x_range[0]) == pytest.approx(roof.x_range[0] * 4.255)
    assert {line.kind for line in roof.lines} == {"memory", "l2", "arithmetic"}
    assert [line.text for line in roof.lines if line.kind == "arithmetic"] == [
        "fp16 712 TFLOP/s", "fp32 fma 59.6 TFLOP/s",
    ]  # fmt: skip


def test_without_a_gpu_ceilings_are_expected_and_dashed(ran: Document, qtbot: QtBot) -> None:
    view = show(ran, qtbot)
    gpu = facts_for("cuda:90")
    assert not ran.engine.requests(timing.GetRoofline)  # type: ignore[attr-defined]
    assert view.findChild(Chip, "roofline.known").text == "expected, not measured"
    floor_ms = BYTES / (gpu.bandwidth_gbps * 1e6)
    assert ran.roofline.standing().floor_ms == pytest.approx(floor_ms)
    assert text(view, "roofline.share").startswith("at least ")
    assert "not timed: there is no GPU here" in text(view, "roofline.config")
    assert gpu.source in view.findChild(Chip, "roofline.known").toolTip()
    assert not view.findChild(QToolButton, "roofline.again").isVisible()
    assert view.plot.item.listDataItems()[0].opts["pen"].dashPattern()
    assert ran.roofline.points() == ()


def test_another_gpu_can_be_chosen(gpu_ran: Document, qtbot: QtBot) -> None:
    view = show(gpu_ran, qtbot)
    box = view.findChild(QComboBox, "roofline.gpu")
    assert box.itemText(0) == "NVIDIA H200"
    place = next(i for i in range(box.count()) if "A100" in box.itemText(i))
    box.setCurrentIndex(place)
    box.activated.emit(place)
    assert not gpu_ran.roofline.ceilings().measured
    assert gpu_ran.roofline.standing().measured_ms is None
    assert not view.findChild(QToolButton, "roofline.again").isEnabled()
    gpu_ran.roofline.choose_gpu("")
    assert gpu_ran.roofline.ceilings() == H200


def test_a_target_follows_in_the_interpreter(ran: Document, qtbot: QtBot) -> None:
    view = show(ran, qtbot)
    ran.set_target("hip:gfx942")
    assert "MI300X" in ran.roofline.ceilings().device
    assert "MI300X" in view.findChild(QComboBox, "roofline.gpu").currentText()


def test_configs_tried_and_the_baseline_stand_there_too(gpu_ran: Document, qtbot: QtBot) -> None:
    view = show(gpu_ran, qtbot)
    gpu_ran.pin_baseline()
    for block in (256, 512):
        gpu_ran.set_knob("BLOCK_SIZE", block)
        qtbot.waitUntil(lambda: gpu_ran.is_current(gpu_ran.coverage))
    assert [point.role for point in gpu_ran.roofline.points()] == ["history", "baseline", "current"]
    point: RoofPoint = gpu_ran.roofline.points()[-1]
    assert point.gbps == pytest.approx(BYTES / (point.measurement.median_ms * 1e6))
    assert "cold L2" in point_text(point)
    spot = view.plot.scatter.points()[0]
    view.plot.scatter.sigClicked.emit(view.plot.scatter, [spot], None)
    assert gpu_ran.config["BLOCK_SIZE"] == 256


def test_cold_and_warm_are_never_mixed(gpu_ran: Document, qtbot: QtBot) -> None:
    show(gpu_ran, qtbot)
    gpu_ran.set_cache("warm")
    qtbot.waitUntil(lambda: gpu_ran.measurement.cache == "warm")
    assert {point.measurement.cache for point in gpu_ran.roofline.points()} <= {"warm"}


def test_a_place_above_the_roof_is_explained(gpu_ran: Document, qtbot: QtBot) -> None:
    view = show(gpu_ran, qtbot)
    slow = replace(H200, copy_gbps=10.0, launch_ms=None)
    gpu_ran.roofline._measured = slow
    gpu_ran.roofline.changed.emit()
    assert "faster than the roof allows" in text(view, "roofline.notes")


def test_measuring_again_asks_anew(gpu_engine: FakeEngine, gpu_ran: Document, qtbot: QtBot) -> None:
    view = show(gpu_ran, qtbot)
    gpu_engine.hold = True
    again = view.findChild(QToolButton, "roofline.again")
    again.click()
    assert gpu_engine.requests(timing.GetRoofline)[-1].again
    assert again.accessibleName().startswith("Cancel")
    assert "measuring the ceilings" in text(view, "roofline.notes")
    again.click()
    gpu_engine.hold = False
    gpu_engine.release()
    assert again.accessibleName().startswith("Measure again")
    assert "cancelled" in text(view, "roofline.notes")
    assert gpu_ran.roofline.ceilings() == H200


def test_kinds_without_a_ceiling_are_noted(matmul: Document, qtbot: QtBot) -> None:
    view = show(matmul, qtbot)
    matmul.roofline._measured = replace(H200, tflops=(("bf16", 694.0),))
    matmul.roofline.changed.emit()
    assert "no ceiling for fp16 products" in text(view, "roofline.notes")
    assert view.plot._picture.over == "bytes"


def test_the_table_twin_has_ceilings_floor_and_configs(gpu_ran: Document, qtbot: QtBot) -> None:
    view = show(gpu_ran, qtbot)
    view.findChild(QToolButton, "roofline.showTable").click()
    table = view.findChild(RecordTable, "roofline.table")
    assert table.isVisible()
    csv = view._as_csv()
    assert "device memory,4255.0,GB/s" in csv
    assert "bound by the launch itself" in csv
    assert "this config,BLOCK_SIZE=1024 num_warps=4 num_stages=3" in csv
    assert H200.source in csv


def test_before_a_run_it_says_what_to_do(gpu_document: Document, qtbot: QtBot) -> None:
    view = show(gpu_document, qtbot)
    assert view.findChild(QWidget, "roofline.empty").isVisible()
    run_vector_add(gpu_document, qtbot)
    qtbot.waitUntil(lambda: gpu_document.roofline.ceilings() == H200)


def test_a_roof_from_a_data_sheet_without_launch_time_is_flat(gpu_ran: Document) -> None:
    sheet = Ceilings("sheet", 1000.0, (), False, "a sheet")
    roof = picture(sheet, gpu_ran.coverage, ())
    assert roof.over == "bytes"
    assert roof.top(roof.x) == 1000.0
    assert source_text(sheet) == "sheet, expected, not measured: a sheet"


def test_both_themes_draw(matmul: Document, qtbot: QtBot) -> None:
    view = show(matmul, qtbot)
    light = view.grab().toImage()
    view._theme.set_name("dark")
    assert view.grab().toImage() != light
