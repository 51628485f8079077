"""The tile map: geometry, pictures, hover, programs, what stands out, and its table twin."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QSpinBox, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from playground.model.coverage import OutOfBounds
from playground.protocol import messages
from playground.ui.document import Document
from playground.ui.theme import Theme
from playground.ui.views.coverage import CoverageView
from playground.ui.views.coverage_text import beyond_text, program_id, program_text
from playground.ui.views.plane_colours import owner_slot
from playground.ui.views.plane_footprint import footprint_shape
from playground.ui.views.plane_image import colour
from playground.ui.views.plane_place import Placed, placed, rectangles
from tests.ui.coverage_views import shown
from tests.ui.fake_engine import FOLD, FakeEngine
from tests.ui.matmul_engine import MatmulEngine


def show(document: Document, qtbot: QtBot) -> CoverageView:
    return shown(document, qtbot, 620, 620)


@pytest.fixture
def view(matmul_document: Document, qtbot: QtBot) -> CoverageView:
    return show(matmul_document, qtbot)


def hover(view: CoverageView, row: float, column: float) -> None:
    QTest.mouseMove(view.canvas, view.canvas.to_widget(row + 0.5, column + 0.5).toPoint())


def click(view: CoverageView, row: float, column: float) -> None:
    spot = view.canvas.to_widget(row + 0.5, column + 0.5).toPoint()
    QTest.mouseClick(view.canvas, Qt.MouseButton.LeftButton, pos=spot)


def pixel(view: CoverageView, row: float, column: float) -> QColor:
    image = view.canvas.grab().toImage()
    spot = view.canvas.to_widget(row, column)
    ratio = image.devicePixelRatio()
    return image.pixelColor(round(spot.x() * ratio), round(spot.y() * ratio))


def test_empty_says_what_to_do(document: Document, qtbot: QtBot) -> None:
    view = show(document, qtbot)
    assert view.findChild(QWidget, "coverage.empty").isVisible()
    assert "F5" in view.findChild(QWidget, "coverage.empty").text


def test_stored_tensor_is_shown_first(view: CoverageView) -> None:
    assert view.findChild(QComboBox, "coverage.tensor").currentText() == "c_ptr"
    assert "1\u2009024 × 1\u2009024 float16" in view.status
    assert "131\u2009072 never written" in view.status


def test_the_picture_has_the_owners_colours(view: CoverageView) -> None:
    palette = Theme().owner_colormap()
    for row, column in ((10, 10), (10, 140), (270, 650), (530, 140)):
        owner = row // 128 * 8 + column // 128
        slot = int(owner_slot(np.array(owner), len(palette)))
        assert pixel(view, row, column).getRgb()[:3] == palette[slot], (row, column)


def test_unwritten_elements_stand_out(view: CoverageView) -> None:
    palette = {QColor(*rgb).rgb() for rgb in Theme().owner_colormap()}
    seen = {pixel(view, 960 + dy, 300).rgb() for dy in range(0, 40, 2)}
    assert not seen & palette
    assert len(seen) >= 2  # hatched, not plain
    assert (
        "never written: 131\u2009072" in view.findChild(QWidget, "coverage.legend").accessibleName()
    )


def test_out_of_bounds_is_a_banner(view: CoverageView) -> None:
    banner = view.findChild(QWidget, "coverage.banner")
    assert banner.isVisible()
    assert "matmul.py:52: load by program 63 (x 7, y 7) is 96 elements past the end" in banner.text


def test_hover_tells_the_exact_element(view: CoverageView, qtbot: QtBot) -> None:
    hover(view, 300, 700)
    qtbot.waitUntil(lambda: "owner program" in view.status)
    row, column = view.canvas.hover
    owner = row // 128 * 8 + column // 128
    assert view.status == (
        f"c_ptr[{row}, {column}] · owner program {owner} (x {owner % 8}, y {owner // 8}) · "
        "loads 0 · stores 1"
    )
    QTest.mouseMove(view, QPoint(3, 3))
    view.canvas.leaveEvent(None)
    assert "never written" in view.status


def test_fast_hovering_asks_for_the_newest_only(
    view: CoverageView, matmul_engine: MatmulEngine, qtbot: QtBot
) -> None:
    matmul_engine.sent.clear()
    for column in range(100, 900, 10):
        view.feed.ask_element(200, column)
    qtbot.waitUntil(lambda: view.idle)
    asked = matmul_engine.requests(messages.GetElement)
    assert len(asked) == 1
    assert asked[0].column == 890


def test_a_click_highlights_the_owners_footprint(view: CoverageView, qtbot: QtBot) -> None:
    click(view, 300, 700)
    stepper = view.findChild(QSpinBox, "coverage.program")
    qtbot.waitUntil(lambda: stepper.value() == 2 * 8 + 5)
    qtbot.waitUntil(lambda: view.idle)
    assert "(x 5, y 2)" in view.findChild(QLabel, "coverage.footprint").text()
    assert view.canvas.footprints[0].stores == (QRectF(640, 256, 128, 128),)
    assert view.canvas.footprints[0].loads == ()
    view.findChild(QToolButton, "coverage.next").click()
    assert stepper.value() == 22
    view.findChild(QToolButton, "coverage.clear").click()
    assert view.canvas.footprints == ()


def test_loads_of_a_program_are_drawn_in_another_style(view: CoverageView, qtbot: QtBot) -> None:
    view.findChild(QComboBox, "coverage.tensor").setCurrentText("a_ptr")
    assert view.colours.of(view.tensor) == "loads"
    view.show_program(9)
    qtbot.waitUntil(lambda: view.idle and bool(view.canvas.footprints))
    assert view.canvas.footprints[0].loads == (QRectF(0, 128, 512, 128),)
    view.findChild(QComboBox, "coverage.tensor").setCurrentText("c_ptr")
    assert view.colours.of(view.tensor) == "owner"


def test_stepper_by_keyboard(view: CoverageView, qtbot: QtBot) -> None:
    stepper = view.findChild(QSpinBox, "coverage.program")
    QTest.keyClick(stepper, Qt.Key.Key_Up)
    assert stepper.value() == 0
    QTest.keyClick(view.canvas, Qt.Key.Key_PageDown)
    assert stepper.value() == 1
    QTest.keyClick(view.canvas, Qt.Key.Key_PageUp)
    assert stepper.value() == 0


def test_wheel_zooms_at_the_cursor_and_asks_for_a_sharper_picture(
    view: CoverageView, matmul_engine: MatmulEngine, qtbot: QtBot
) -> None:
    canvas = view.canvas
    spot = canvas.to_widget(300, 700)
    before = canvas.element_at(spot)
    matmul_engine.sent.clear()
    for _ in range(12):
        event = QWheelEvent(
            spot, canvas.mapToGlobal(spot), QPoint(), QPoint(0, 120), Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QApplication.sendEvent(canvas, event)
    after = canvas.element_at(spot)
    assert abs(after[0] - before[0]) <= 1
    assert abs(after[1] - before[1]) <= 1
    assert canvas.scale_x > 4
    qtbot.waitUntil(lambda: view.idle)
    QTest.keyClick(canvas, Qt.Key.Key_0)
    assert canvas.visible().getRect() == (0, 0, 1024, 1024)


def test_a_large_tensor_is_drawn_reduced_and_sharpened(
    view: CoverageView, matmul_engine: MatmulEngine, qtbot: QtBot
) -> None:
    document = view._document
    matmul_engine.size = 8192
    document.run()
    qtbot.waitUntil(lambda: view.idle and view.canvas.rows == 8192)
    assert view.canvas.overview.image.width() <= 1024
    matmul_engine.sent.clear()
    for _ in range(16):
        view.canvas.zoom(1.25)
    qtbot.waitUntil(lambda: view.idle)
    detail = view.canvas.detail
    assert detail.placed.exact
    assert detail.placed.rect.contains(QRectF(view.canvas.visible()))
    assert len(matmul_engine.requests(messages.GetPlane)) <= 3


def test_drag_pans(view: CoverageView, qtbot: QtBot) -> None:
    canvas = view.canvas
    for _ in range(8):
        canvas.zoom(1.25)
    before = canvas.visible()
    start = QPoint(canvas.width() // 2, canvas.height() // 2)
    QTest.mousePress(canvas, Qt.MouseButton.LeftButton, pos=start)
    QTest.mouseMove(canvas, start + QPoint(40, 30))
    QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=start + QPoint(40, 30))
    assert canvas.visible().left() < before.left()
    assert canvas.visible().top() < before.top()
    assert view.findChild(QSpinBox, "coverage.program").value() == -1


def test_slices_of_a_3d_tensor(view: CoverageView, qtbot: QtBot) -> None:
    view.findChild(QComboBox, "coverage.tensor").setCurrentText("batch_ptr")
    qtbot.waitUntil(lambda: view.idle)
    box = view.findChild(QSpinBox, "coverage.batch_ptr.slice.0")
    assert box.maximum() == 2
    QTest.keyClick(box, Qt.Key.Key_Up)
    qtbot.waitUntil(lambda: view.idle)
    assert int(view.canvas.overview.values[0, 0]) == 10
    hover(view, 20, 30)
    qtbot.waitUntil(lambda: view.status.startswith("batch_ptr[1, "))


def test_a_1d_tensor_is_folded_and_ends_where_it_ends(ran: Document, qtbot: QtBot) -> None:
    view = show(ran, qtbot)
    assert (view.canvas.rows, view.canvas.columns) == (193, FOLD)
    ground = Theme().color("plot_background").rgb()
    # 98432 = 192 * 512 + 128: the last row holds 128 elements, what is behind them is nothing.
    assert pixel(view, 192.5, 64.5).rgb() != ground
    assert pixel(view, 192.5, 300.5).rgb() == ground
    assert view.canvas.overview.unwritten is None
    asked = len(view._document.engine.requests(messages.GetElement))
    view.feed.ask_element(192, 300)
    qtbot.wait(50)
    assert len(view._document.engine.requests(messages.GetElement)) == asked


def test_another_config_replaces_the_picture(
    gpu_ran: Document, gpu_engine: FakeEngine, qtbot: QtBot
) -> None:
    view = show(gpu_ran, qtbot)
    gpu_engine.hold = True
    gpu_ran.set_knob("BLOCK_SIZE", 512)
    assert "counting again" in view.status
    gpu_engine.hold = False
    gpu_engine.release()
    qtbot.waitUntil(lambda: gpu_ran.is_current(gpu_ran.coverage) and view.idle)
    assert "counting again" not in view.status
    assert int(view.canvas.overview.values[1, 0]) == 1


def test_table_twin_and_csv(view: CoverageView, qapp: QApplication) -> None:
    QTest.mouseClick(view.findChild(QToolButton, "coverage.showTable"), Qt.MouseButton.LeftButton)
    table = view.findChild(QWidget, "coverage.table")
    assert table.isVisible()
    assert table.model().rowCount() == 4
    view._actions.copy_csv()
    lines = qapp.clipboard().text().splitlines()
    assert lines[0].startswith("Tensor,Shape,dtype,Elements")
    assert lines[3].startswith("c_ptr,")
    assert ",131072,0,0" in lines[3]


def test_notes_of_the_count_and_what_it_computes(
    view: CoverageView, matmul_engine: MatmulEngine, qtbot: QtBot
) -> None:
    chip = view.findChild(QWidget, "coverage.notes")
    assert chip.isHidden()
    note = view.findChild(QLabel, "coverage.sites.note")
    assert note.text().endswith(
        "Element operations: tl.dot fp16 1\u2009073\u2009741\u2009824 FLOP."
    )
    document = view._document
    noted = replace(
        document.coverage, notes=("inline assembly was not seen",), operations=(("max", 640),)
    )
    document.take_covered(messages.Covered(document.revision, noted))
    assert not chip.isHidden()
    assert (chip.text, chip.toolTip()) == ("1 note", "inline assembly was not seen")
    assert "Element operations: max 640, tl.dot" in note.text()


def test_save_picture(view: CoverageView, tmp_path) -> None:
    path = tmp_path / "map.png"
    assert view._actions.save_png(str(path))
    assert path.read_bytes()[:4] == b"\x89PNG"
    assert not view._actions.save_png(str(tmp_path / "no" / "map.png"))


def test_a_theme_change_recolours(view: CoverageView) -> None:
    before = view.canvas.grab().toImage().pixelColor(1, 1)
    view._theme.set_name("dark")
    assert view.canvas.grab().toImage().pixelColor(1, 1) != before


# ------------------------------------------------------------------------------ pure parts


@pytest.mark.parametrize(
    ("rows", "limit", "cells", "step"),
    [(1000, 1024, 1000, 1), (1001, 300, 251, 4), (8192, 1024, 1024, 8), (5, 4, 3, 2)],
)
def test_reduced_cells_cover_whole_blocks(rows: int, limit: int, cells: int, step: int) -> None:
    view = messages.PlaneView(0, 0, rows, 4, (), limit, 16)
    assert placed(view, (cells, 4), rows, 4).down == step


def test_neighbours_never_share_a_colour() -> None:
    for tiles in range(1, 97):
        grid = owner_slot(np.arange(tiles * 24).reshape(24, tiles), 12)
        if tiles > 1:
            assert (grid[:, 1:] != grid[:, :-1]).all()
    for tiles in (2, 4, 8, 16, 32, 64, 128):
        grid = owner_slot(np.arange(tiles * 24).reshape(24, tiles), 12)
        assert (grid[1:] != grid[:-1]).all(), tiles


def test_rectangles_of_a_mask() -> None:
    mask = np.zeros((6, 8), bool)
    mask[1:3, 2:5] = True
    mask[4, [0, 7]] = True
    assert rectangles(mask, Placed(10, 100, 6, 8, 1, 1)) == (
        QRectF(102, 11, 3, 2), QRectF(100, 14, 1, 1), QRectF(107, 14, 1, 1),
    )  # fmt: skip


def test_scattered_footprints_become_a_picture(qapp: QApplication) -> None:
    touched = np.indices((200, 200)).sum(axis=0).astype(np.uint8) % 2
    reply = messages.ProgramFootprint(
        "x", 0, messages.PlaneView(max_rows=200, max_columns=200), touched, 20000, 0
    )
    shape = footprint_shape([reply], 200, 200, Theme())
    assert shape.image is not None
    assert shape.loads == ()


def test_owner_picture_has_tile_borders_and_labels(qapp: QApplication) -> None:
    owner = np.kron(np.arange(6).reshape(2, 3), np.ones((4, 5), int)).astype(np.int32)
    plane = messages.Plane(
        "c", "owner", messages.PlaneView(), 8, 15, owner, np.zeros((8, 15), np.uint8), 6, 5
    )
    picture = colour(plane, Theme())
    assert {(line.x1(), line.y1(), line.x2(), line.y2()) for line in picture.lines} == {
        (5, 0, 5, 8), (10, 0, 10, 8), (0, 4, 15, 4),
    }  # fmt: skip
    assert {program: rect for rect, program in picture.labels}[4] == QRectF(5, 4, 5, 4)


def test_program_ids() -> None:
    assert program_id(17, (4, 3, 2)) == (1, 1, 1)
    assert program_text(17, (4, 3, 2)) == "17 (x 1, y 1, z 1)"
    assert program_text(5, (96, 1, 1)) == "5"
    access = OutOfBounds("x", "store", 3, -2, 2, None)
    assert beyond_text(access, (8, 1, 1)) == (
        "an access: store by program 3 is 2 elements before the start of x (2 lanes)"
    )


def test_zoom_keeps_square_elements_and_ends(view: CoverageView) -> None:
    canvas = view.canvas
    for _ in range(60):
        canvas.zoom(1.5, QPointF(300, 300))
    assert canvas.scale_x == pytest.approx(96)
    for _ in range(60):
        canvas.zoom(0.5)
    assert canvas.visible().getRect() == (0, 0, 1024, 1024)


def test_a_footprint_never_stands_on_another_slice(
    view: CoverageView, qtbot: QtBot, matmul_engine: MatmulEngine
) -> None:
    view.show_program(0)
    view.findChild(QComboBox, "coverage.tensor").setCurrentText("batch_ptr")
    qtbot.waitUntil(lambda: bool(view.feed.footprint.shapes))
    matmul_engine.hold = True
    QTest.keyClick(view.findChild(QSpinBox, "coverage.batch_ptr.slice.0"), Qt.Key.Key_Up)
    assert not view.feed.footprint.shapes
    matmul_engine.hold = False
    matmul_engine.release()
    qtbot.waitUntil(lambda: bool(view.feed.footprint.shapes))
