"""Maps side by side, the grid of programs, and choosing programs in either of them."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect, QRectF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QSlider, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from playground.protocol import messages
from playground.ui.document import Document
from playground.ui.theme import Theme
from playground.ui.views.coverage import CoverageView
from playground.ui.views.map_grid import best_columns
from playground.ui.views.plane_footprint import LOADED, STORED, step_shape
from tests.ui.coverage_views import shown
from tests.ui.fake_engine import FakeEngine
from tests.ui.fake_programs import RESIDENT, SMS
from tests.ui.matmul_engine import STEP_K, MatmulEngine


def show(document: Document, qtbot: QtBot) -> CoverageView:
    return shown(document, qtbot, 900, 760)


@pytest.fixture
def view(matmul_document: Document, qtbot: QtBot) -> CoverageView:
    return show(matmul_document, qtbot)


def press(view: CoverageView, name: str) -> None:
    QTest.mouseClick(view.findChild(QToolButton, name), Qt.MouseButton.LeftButton)


def spot(canvas: QWidget, row: float, column: float) -> QPoint:
    return canvas.to_widget(row + 0.5, column + 0.5).toPoint()


def map_of(view: CoverageView, name: str) -> QWidget:
    return next(each for each in view.maps if each.tensor.name == name)


def test_all_tensors_stand_side_by_side_and_one_is_large(view: CoverageView) -> None:
    maps = [*view.maps, view.program_map]
    assert [each.tensor.name for each in view.maps] == ["a_ptr", "b_ptr", "c_ptr", "batch_ptr"]
    assert all(each.isVisible() for each in maps)
    areas = {each: each.width() * each.height() for each in maps}
    assert max(areas, key=areas.get) is view.chosen
    whole = QRect(view.grid.rect())
    for each in maps:
        assert whole.contains(each.geometry())
        assert not any(each.geometry().intersects(o.geometry()) for o in maps if o is not each)


def test_arrangements_are_told_and_kept(view: CoverageView, qtbot: QtBot) -> None:
    with qtbot.waitSignal(view.arrangementChanged) as told:
        press(view, "coverage.arrange.all")
    assert told.args == ["all"]
    rows = {}
    for each in view.maps:
        rows.setdefault(each.y(), []).append(each.width())
    assert all(max(sizes) - min(sizes) <= 60 for sizes in rows.values())
    press(view, "coverage.arrange.one")
    assert [each.isVisible() for each in view.maps] == [False, False, True, False]
    press(view, "coverage.arrange.large")
    QTest.mouseClick(map_of(view, "a_ptr").title, Qt.MouseButton.LeftButton)
    assert view.findChild(QComboBox, "coverage.tensor").currentText() == "a_ptr"
    assert view.chosen.tensor.name == "a_ptr"
    assert map_of(view, "a_ptr").width() > map_of(view, "c_ptr").width()
    press(view, "coverage.showPrograms")
    assert not view.program_map.isVisible()


def test_hidden_maps_ask_for_nothing(
    view: CoverageView, matmul_engine: MatmulEngine, qtbot: QtBot
) -> None:
    press(view, "coverage.arrange.one")
    matmul_engine.sent.clear()
    view._document.set_knob("BLOCK", 64)
    qtbot.waitUntil(lambda: view._document.is_current(view._document.coverage) and view.idle)
    view.show_program(5)
    qtbot.waitUntil(lambda: view.idle)
    for kind in (messages.GetPlane, messages.GetProgram):
        assert {request.tensor for request in matmul_engine.requests(kind)} == {"c_ptr"}
    press(view, "coverage.arrange.all")
    qtbot.waitUntil(lambda: view.idle and bool(map_of(view, "a_ptr").canvas.footprints))
    assert map_of(view, "a_ptr").canvas.footprints[0].loads == (QRectF(0, 0, 512, 64),)
    assert map_of(view, "a_ptr").canvas.overview is not None


def test_hovering_an_element_outlines_its_program_everywhere(
    view: CoverageView, qtbot: QtBot
) -> None:
    canvas = map_of(view, "c_ptr").canvas
    QTest.mouseMove(canvas, spot(canvas, 300, 700))
    row, column = canvas.hover
    y, x = row // 128, column // 128
    qtbot.waitUntil(lambda: view._programs.hovered == y * 8 + x)
    qtbot.waitUntil(lambda: view.idle and bool(map_of(view, "a_ptr").canvas.footprints))
    assert map_of(view, "a_ptr").canvas.footprints[0].loads == (QRectF(0, 128 * y, 512, 128),)
    assert map_of(view, "b_ptr").canvas.footprints[0].loads == (QRectF(128 * x, 0, 128, 512),)
    assert canvas.footprints[0].stores == (QRectF(128 * x, 128 * y, 128, 128),)
    # It only follows the cursor: nothing is dimmed, nothing chosen.
    assert canvas.preview
    assert view._programs.chosen == ()
    assert (QRectF(x, y, 1, 1), "accent") in view.program_map.canvas.outlines
    canvas.leaveEvent(None)
    qtbot.waitUntil(lambda: canvas.footprints == ())


def test_a_program_in_the_grid_shows_its_footprint_in_every_map(
    view: CoverageView, qtbot: QtBot
) -> None:
    grid = view.program_map.canvas
    assert (grid.rows, grid.columns) == (8, 8)
    QTest.mouseMove(grid, spot(grid, 2, 5))
    assert view._programs.hovered == 21
    assert view.status == "program 21 (x 5, y 2)"
    QTest.mouseClick(grid, Qt.MouseButton.LeftButton, pos=spot(grid, 2, 5))
    assert view._programs.chosen == (21,)
    qtbot.waitUntil(lambda: view.idle and bool(map_of(view, "b_ptr").canvas.footprints))
    assert map_of(view, "c_ptr").canvas.footprints[0].stores == (QRectF(640, 256, 128, 128),)
    assert not map_of(view, "c_ptr").canvas.preview
    assert (QRectF(5, 2, 1, 1), "text") in grid.outlines
    text = view.findChild(QLabel, "coverage.footprint").text()
    assert text == "21 (x 5, y 2) · loads 0 · stores 16\u2009384 elements of c_ptr"


def test_dragging_in_the_grid_chooses_a_rectangle_and_shows_the_union(
    view: CoverageView, qtbot: QtBot
) -> None:
    grid = view.program_map.canvas
    QTest.mousePress(grid, Qt.MouseButton.LeftButton, pos=spot(grid, 1, 1))
    QTest.mouseMove(grid, spot(grid, 2, 3))
    QTest.mouseRelease(grid, Qt.MouseButton.LeftButton, pos=spot(grid, 2, 3))
    assert sorted(view._programs.chosen) == [9, 10, 11, 17, 18, 19]
    assert view._programs.current == 19
    qtbot.waitUntil(lambda: view.idle and bool(map_of(view, "b_ptr").canvas.footprints))
    assert map_of(view, "c_ptr").canvas.footprints[0].stores == (QRectF(128, 128, 384, 256),)
    assert map_of(view, "a_ptr").canvas.footprints[0].loads == (QRectF(0, 128, 512, 256),)
    assert "6 programs" in view.findChild(QLabel, "coverage.footprint").text()
    assert grid.outlines[0] == (QRectF(1, 1, 3, 2), "text")
    control = Qt.KeyboardModifier.ControlModifier
    QTest.mouseClick(grid, Qt.MouseButton.LeftButton, control, spot(grid, 1, 1))
    assert 9 not in view._programs.chosen


def test_more_programs_than_can_be_joined_show_the_last_and_say_so(
    view: CoverageView, qtbot: QtBot
) -> None:
    view._programs.choose(range(64))
    qtbot.waitUntil(lambda: view.idle and bool(map_of(view, "b_ptr").canvas.footprints))
    # The last tile row is a hole, but the program there still loads.
    assert map_of(view, "a_ptr").canvas.footprints[0].loads == (QRectF(0, 896, 512, 128),)
    text = view.findChild(QLabel, "coverage.footprint").text()
    assert text.startswith("64 programs, drawn: the last one")


def test_footprints_are_asked_once_and_kept(
    view: CoverageView, matmul_engine: MatmulEngine, qtbot: QtBot
) -> None:
    view.show_program(5)
    qtbot.waitUntil(lambda: view.idle)
    view.show_program(6)
    qtbot.waitUntil(lambda: view.idle)
    matmul_engine.sent.clear()
    view.show_program(5)
    assert view.idle
    assert map_of(view, "c_ptr").canvas.footprints[0].stores == (QRectF(640, 0, 128, 128),)
    assert not matmul_engine.requests(messages.GetProgram)


def test_a_program_that_cannot_be_run_is_told_and_the_next_one_drawn(
    view: CoverageView, matmul_engine: MatmulEngine, qtbot: QtBot, monkeypatch
) -> None:
    from playground.model.finding import Finding

    good = matmul_engine._answer_getprogram

    def answer(request: messages.GetProgram) -> list[messages.Reply]:
        if request.program != 3:
            return good(request)
        finding = Finding("error", "coverage", "out of memory")
        return [messages.Finished(findings=(finding,))]

    monkeypatch.setattr(matmul_engine, "_answer_getprogram", answer)
    view.show_program(3)
    qtbot.waitUntil(lambda: view.idle)
    assert "out of memory" in [finding.message for finding in view._document.findings]
    assert map_of(view, "c_ptr").canvas.footprints == ()
    view.show_program(4)
    qtbot.waitUntil(lambda: view.idle)
    assert map_of(view, "c_ptr").canvas.footprints[0].stores == (QRectF(512, 0, 128, 128),)


# ------------------------------------------------------------------------------ steps


def test_steps_of_a_program_light_up_exactly_their_elements(
    view: CoverageView, qtbot: QtBot
) -> None:
    view.show_program(21)
    press(view, "coverage.steps")
    slider = view.findChild(QSlider, "coverage.step")
    qtbot.waitUntil(lambda: slider.maximum() == 2 * 512 // STEP_K + 1)
    text = view.findChild(QLabel, "coverage.step.text")
    assert text.text() == "18 steps: all of them"
    slider.setFocus()
    QTest.keyClick(slider, Qt.Key.Key_Right)
    assert text.text() == "step 1 of 18: load a_ptr, line 52 · 8\u2009192 elements"
    assert map_of(view, "a_ptr").canvas.step.loads == (QRectF(0, 256, 64, 128),)
    assert map_of(view, "b_ptr").canvas.step.loads == ()
    press(view, "coverage.step.next")
    assert map_of(view, "b_ptr").canvas.step.loads == (QRectF(640, 0, 128, 64),)
    slider.setValue(16)
    assert text.text().startswith("step 17 of 18: store c_ptr, line 60")
    assert map_of(view, "c_ptr").canvas.step.stores == (QRectF(640, 256, 128, 128),)
    with qtbot.waitSignal(view.sourceLineRequested) as told:
        press(view, "coverage.step.line")
    assert told.args == [60]
    # Another program has steps of its own, from its beginning.
    view.show_program(22)
    qtbot.waitUntil(lambda: view._programs.steps.count == 18 and view._programs.steps.at == -1)
    assert map_of(view, "c_ptr").canvas.step is None
    press(view, "coverage.steps")
    assert not view.step_row.isVisible()


def test_a_program_is_shown_in_the_slice_that_it_touches(view: CoverageView, qtbot: QtBot) -> None:
    batch = map_of(view, "batch_ptr")
    assert batch.slice_values() == (0,)
    view.show_program(22)
    qtbot.waitUntil(lambda: batch.slice_values() == (2,) and view.idle)
    qtbot.waitUntil(lambda: batch.canvas.footprints[0].stores == (QRectF(0, 32, 96, 16),))
    # A program that touches nothing of it leaves the slice alone.
    view.show_program(60)
    qtbot.waitUntil(lambda: view.idle)
    assert batch.slice_values() == (2,)


def test_playing_goes_through_programs_and_stops_at_the_last(
    view: CoverageView, qtbot: QtBot
) -> None:
    view.show_program(61)
    speed = view.findChild(QComboBox, "coverage.speed")
    speed.setCurrentIndex(speed.count() - 1)
    press(view, "coverage.play")
    assert view.stepper.player.playing
    qtbot.waitUntil(lambda: view._programs.current == 63)
    qtbot.waitUntil(lambda: not view.stepper.player.playing)
    press(view, "coverage.step.play")
    assert view.step_row.player.playing is False or not view.step_row.isVisible()


def test_programs_are_stepped_in_the_order_in_which_they_started(
    gpu_ran: Document, gpu_engine: FakeEngine, qtbot: QtBot
) -> None:
    view = show(gpu_ran, qtbot)
    order = view.findChild(QComboBox, "coverage.order")
    assert order.isEnabled()
    order.setCurrentIndex(1)
    order.activated.emit(1)
    qtbot.waitUntil(lambda: gpu_ran.programs.schedule.turns is not None)
    started = gpu_ran.programs.schedule.started
    view.show_program(int(started[0]))
    press(view, "coverage.next")
    assert gpu_ran.programs.current == int(started[1])
    assert "start 2 of 97" in view.findChild(QLabel, "coverage.footprint").text()


def test_without_a_gpu_there_is_no_schedule_and_the_controls_say_why(
    ran: Document, qtbot: QtBot
) -> None:
    view = show(ran, qtbot)
    assert not view.findChild(QComboBox, "coverage.order").isEnabled()
    colour = view.findChild(QComboBox, "coverage.colour")
    row = colour.findText("Wave")
    assert not colour.model().item(row).isEnabled()
    assert "needs a GPU" in colour.itemData(row, Qt.ItemDataRole.ToolTipRole)


# ------------------------------------------------------------------------------ colours


def test_colours_by_multiprocessor_and_wave(gpu_ran: Document, qtbot: QtBot) -> None:
    gpu_ran.set_knob("BLOCK_SIZE", 128)
    qtbot.waitUntil(lambda: gpu_ran.is_current(gpu_ran.coverage))
    view = show(gpu_ran, qtbot)
    colour = view.findChild(QComboBox, "coverage.colour")
    colour.setCurrentIndex(colour.findText("Wave"))
    colour.activated.emit(colour.currentIndex())
    qtbot.waitUntil(lambda: gpu_ran.programs.schedule.turns is not None and view.idle)
    legend = view.findChild(QWidget, "coverage.legend").accessibleName()
    programs = -(-98432 // 128)
    assert f"wave 1 … {-(-programs // (SMS * RESIDENT))}" in legend
    canvas = map_of(view, "out_ptr").canvas
    scale = view._theme.sequential_colormap(256)
    image = canvas.overview.image
    per_wave = SMS * RESIDENT * 128
    for element in (0, per_wave + 5, 2 * per_wave + 5):
        row, column = divmod(element, 512)
        wave = element // per_wave + 1
        assert image.pixelColor(column, row).getRgb()[:3] == scale[wave * 255 // 3]
    colour.setCurrentIndex(colour.findText("SM"))
    colour.activated.emit(colour.currentIndex())
    legend = view.findChild(QWidget, "coverage.legend").accessibleName()
    assert f"multiprocessor 0 … {SMS - 1}" in legend
    # Program 0 and program 132 ran on the same multiprocessor: they look alike.
    first, later = canvas.overview.image.pixelColor(0, 0), divmod(132 * 128, 512)
    assert canvas.overview.image.pixelColor(later[1], later[0]) == first


def test_first_and_last_writer_run_from_dark_to_bright(view: CoverageView, qtbot: QtBot) -> None:
    colour = view.findChild(QComboBox, "coverage.colour")
    for text in ("Last writer", "First writer"):
        colour.setCurrentIndex(colour.findText(text))
        colour.activated.emit(colour.currentIndex())
        qtbot.waitUntil(lambda: view.idle)
        image = map_of(view, "c_ptr").canvas.overview.image
        scale = view._theme.sequential_colormap(256)
        for program in (0, 20, 55):
            y, x = divmod(program, 8)
            tile = image.width() // 8
            got = image.pixelColor(x * tile + 2, y * tile + 2).getRgb()[:3]
            assert got == scale[program * 255 // 63]
        assert text.lower() in view.findChild(QWidget, "coverage.legend").accessibleName()


# ------------------------------------------------------------------------------ saving


def test_maps_are_saved_as_drawings_with_words(view: CoverageView, tmp_path) -> None:
    view.show_program(21)
    assert view._actions.save_svg(str(tmp_path / "maps.svg"))
    text = (tmp_path / "maps.svg").read_text()
    for word in ("c_ptr", "a_ptr", "Programs", "768"):
        assert f">{word}<" in text.replace("\n", "")
    assert "<image" in text


def test_counts_are_saved_by_the_engine(ran: Document, qtbot: QtBot, tmp_path) -> None:
    view = show(ran, qtbot)
    path = tmp_path / "counts.npz"
    with qtbot.waitSignal(ran.programs.countsSaved) as told:
        ran.programs.save_counts(str(path))
    assert told.args == [str(path), ""]
    assert view.status == f"saved {path}"
    assert np.load(path)["x_ptr"].sum() == 98432
    with qtbot.waitSignal(ran.programs.countsSaved) as told:
        ran.programs.save_counts(str(tmp_path / "no" / "counts.npz"))
    assert told.args[1] == "No such file or directory"
    view.findChild(QWidget, "coverage.saveFailed").close()
    assert view.saving.save_sites(str(tmp_path / "sites.csv")) == ""
    assert (tmp_path / "sites.csv").read_text().count("\n") == 4
    assert view.saving.save_sites(str(tmp_path / "no" / "sites.csv"))


# ------------------------------------------------------------------------------ pure parts


@pytest.mark.parametrize(
    ("count", "width", "height", "columns"), [(4, 800, 500, 2), (3, 200, 900, 1), (3, 900, 200, 3)]
)
def test_maps_are_as_large_as_they_can_be(
    count: int, width: int, height: int, columns: int
) -> None:
    assert best_columns(count, width, height) == columns


def test_the_elements_of_a_step_in_a_slice(qapp: QApplication) -> None:
    # Tensor (2, 4, 6): elements 24 … 47 are of slice 1.
    elements = np.array([3, 24 + 7, 24 + 8, 24 + 13, 24 + 14])
    shape = step_shape(elements, LOADED, (2, 4, 6), (1,), Theme())
    assert shape.loads == (QRectF(1, 1, 2, 2),)
    assert shape.load_count == 4
    other = step_shape(elements, STORED, (2, 4, 6), (0,), Theme())
    assert other.stores == (QRectF(3, 0, 1, 1),)
    assert step_shape(elements[:0], STORED, (2, 4, 6), (0,), Theme()).bounds.isNull()


def test_the_elements_of_a_folded_tensor(qapp: QApplication) -> None:
    # 98432 elements fold to 512 columns: 500 … 1035 are the end of row 0, row 1, a start of row 2.
    shape = step_shape(np.arange(500, 1036), STORED, (98432,), (), Theme())
    assert shape.stores == (
        QRectF(500, 0, 12, 1), QRectF(0, 1, 512, 1), QRectF(0, 2, 12, 1),
    )  # fmt: skip
