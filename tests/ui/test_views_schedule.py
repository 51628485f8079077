"""The schedule: which program is where in the picture, its figures, its links, and the L2 below."""

from __future__ import annotations

import time

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from playground.model.config import Config
from playground.model.schedule import Schedule
from playground.protocol import messages
from playground.ui.document import Document
from playground.ui.document_schedule import turns
from playground.ui.theme import Theme
from playground.ui.views.reuse import differing, rows_of
from playground.ui.views.schedule import ScheduleView
from playground.ui.views.schedule_axes import time_step_ns
from playground.ui.views.schedule_raster import lanes_of, programs_at
from playground.ui.views.schedule_raster import rows_of as pixel_rows
from tests.ui.fake_engine import FakeEngine
from tests.ui.fake_programs import EACH_NS, RESIDENT, SMS
from tests.ui.matmul_engine import MatmulEngine


def scheduled(sm: list[int], start: list[int], end: list[int], resident: int = 1):
    programs = len(sm)
    figures = Schedule(
        0, Config(), (programs, 1, 1), 3, len(set(sm)), max(end, default=0), 1, 1, 1, resident,
        None, 1.0, 0, 0.0, 32,
    )  # fmt: skip
    return messages.Scheduled(
        figures, np.array(sm, np.int32), np.array(start, np.int64), np.array(end, np.int64)
    )


def show(document: Document, qtbot: QtBot, width: int = 800, height: int = 620) -> ScheduleView:
    view = ScheduleView(document, Theme())
    qtbot.addWidget(view)
    view.resize(width, height)
    view.show()
    qtbot.waitExposed(view)
    return view


@pytest.fixture
def view(gpu_ran: Document, qtbot: QtBot) -> ScheduleView:
    gpu_ran.set_knob("BLOCK_SIZE", 128)
    qtbot.waitUntil(lambda: gpu_ran.is_current(gpu_ran.coverage))
    made = show(gpu_ran, qtbot)
    qtbot.waitUntil(lambda: made.plot.lanes is not None)
    return made


# ------------------------------------------------------------------------------ pure parts


def test_programs_at_the_same_time_get_lanes_of_their_own() -> None:
    # On SM 0: 0 and 1 overlap, 2 begins when 0 ends and takes its lane. SM 1 is idle.
    lanes = lanes_of(scheduled([0, 0, 0, 2], [0, 5, 10, 0], [10, 20, 15, 4]))
    assert lanes.lane.tolist() == [0, 1, 0, 3]
    assert lanes.first.tolist() == [0, 2, 3, 4]
    assert lanes.count == 4


def test_every_pixel_shows_the_program_that_runs_there() -> None:
    rng = np.random.default_rng(3)
    sm, start = rng.integers(0, 3, 60), rng.integers(0, 500, 60)
    reply = scheduled(sm.tolist(), start.tolist(), (start + rng.integers(1, 60, 60)).tolist())
    lanes = lanes_of(reply)
    edges = np.linspace(0.0, 560.0, 281)
    picture = programs_at(lanes, np.arange(lanes.count), edges)
    for row in range(lanes.count):
        for column in range(280):
            low, high = edges[column], edges[column + 1]
            # The latest of those that run within the pixel, by looking at all of them.
            running = [
                program
                for program in range(60)
                if lanes.lane[program] == row
                and reply.start_ns[program] < high
                and lanes.end_ns[program] > low
            ]
            wanted = max(running, key=lambda p: int(reply.start_ns[p])) if running else -1
            assert picture[row, column] == wanted


def test_a_program_thinner_than_a_pixel_is_still_drawn() -> None:
    lanes = lanes_of(scheduled([0], [500], [501]))
    picture = programs_at(lanes, np.array([0]), np.linspace(0, 1000, 11))
    assert (picture == 0).sum() == 1


def test_rows_between_multiprocessors_are_separators() -> None:
    lanes = lanes_of(scheduled([0, 1, 2], [0, 0, 0], [9, 9, 9]))
    rows, separator = pixel_rows(lanes, 0, 3, 30)
    assert rows[:9].tolist() == [0] * 9
    assert np.flatnonzero(separator).tolist() == [9, 19]
    # Too low for lines: every row shows a lane.
    rows, separator = pixel_rows(lanes, 0, 3, 6)
    assert rows.tolist() == [0, 0, 1, 1, 2, 2]
    assert not separator.any()


def test_waves_and_the_order_of_starts() -> None:
    reply = scheduled([0, 0, 0, 0, 1], [30, 0, 10, 20, 5], [40, 40, 40, 40, 9], resident=2)
    found = turns(reply)
    assert found.started.tolist() == [1, 4, 2, 3, 0]
    assert found.rank.tolist() == [4, 0, 2, 3, 1]
    assert found.wave.tolist() == [1, 0, 0, 1, 0]


@pytest.mark.parametrize(("least", "step"), [(0.2, 1), (3, 5), (10, 10), (11, 20), (400, 500)])
def test_steps_of_time_are_round(least: float, step: float) -> None:
    assert time_step_ns(least) == step


def test_many_programs_are_drawn_quickly() -> None:
    count = 65_536
    ids = np.arange(count)
    start = ids // (132 * 8) * 1000 + ids % 7
    reply = scheduled((ids % 132).tolist(), start.tolist(), (start + 990).tolist(), 8)
    lanes = lanes_of(reply)
    rows, _ = pixel_rows(lanes, 0, lanes.count, 600)
    spent = []
    for _ in range(3):
        begun = time.perf_counter()
        programs_at(lanes, rows, np.linspace(0, start.max(), 1001))
        spent.append(time.perf_counter() - begun)
    # A frame of ten a second on a loaded machine; benchmarks/coverage_views.py measures.
    assert min(spent) < 0.1


# ------------------------------------------------------------------------------ the view


def test_without_a_gpu_it_says_why_and_what_to_do(ran: Document, qtbot: QtBot) -> None:
    view = show(ran, qtbot)
    notice = view.findChild(QWidget, "schedule.noGpu")
    assert notice.isVisible()
    assert notice.text.startswith("No schedule without a GPU")
    assert "machine with an NVIDIA GPU" in notice.text
    assert not view.plot.isVisible()
    assert not ran.engine.requests(messages.GetSchedule)
    # The reuse of the L2 is estimated all the same.
    qtbot.waitUntil(lambda: ran.programs.schedule.reuse is not None)
    assert "nothing is used twice" in view.findChild(QLabel, "reuse.text").text()


def test_figures_stand_on_top(view: ScheduleView) -> None:
    programs = -(-98432 // 128)
    said = {
        name: view.findChild(QWidget, f"schedule.{name}").text
        for name in ("waves", "resident", "idle", "tail", "used")
    }
    assert said == {
        "waves": f"{programs / (SMS * RESIDENT):.3g} waves", "resident": "2 of 16 resident",
        "idle": "25 % idle", "tail": "tail 400 ns", "used": "132 of 132 SMs",
    }  # fmt: skip


def test_hover_tells_the_program_and_lights_it_up(view: ScheduleView, qtbot: QtBot) -> None:
    programs = view._document.programs
    spot = view.plot.bar(SMS * RESIDENT + 5).center().toPoint()
    QTest.mouseMove(view.plot, spot)
    assert programs.hovered == SMS * RESIDENT + 5
    said = view.findChild(QLabel, "schedule.status").text()
    assert said.startswith(f"program {SMS * RESIDENT + 5} · SM 5 · started at 1.005 µs")
    assert "wave 2" in said
    assert "ran 736 ns" in said
    QTest.mouseClick(view.plot, Qt.MouseButton.LeftButton, pos=spot)
    assert programs.chosen == (SMS * RESIDENT + 5,)
    view.plot.leaveEvent(None)
    assert programs.hovered is None


def test_a_program_chosen_elsewhere_is_brought_into_view(view: ScheduleView) -> None:
    plot = view.plot
    for _ in range(12):
        plot.zoom(1.25, plot.area().topLeft())
    last = view._document.programs.count - 1
    assert not plot.area().intersects(plot.bar(last))
    view._document.programs.choose((last,))
    assert plot.area().intersects(plot.bar(last))


def test_wheel_zooms_at_the_cursor_and_drag_pans(view: ScheduleView, qtbot: QtBot) -> None:
    plot = view.plot
    spot = QPointF(plot.area().center())
    before = plot.time_at(spot.x())
    for _ in range(6):
        event = QWheelEvent(
            spot, plot.mapToGlobal(spot), QPoint(), QPoint(0, 120), Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QApplication.sendEvent(plot, event)
    assert plot.time_at(spot.x()) == pytest.approx(before, abs=1e-6)
    shown = plot.time_ns
    start = spot.toPoint()
    QTest.mousePress(plot, Qt.MouseButton.LeftButton, pos=start)
    QTest.mouseMove(plot, start + QPoint(50, 0))
    QTest.mouseRelease(plot, Qt.MouseButton.LeftButton, pos=start + QPoint(50, 0))
    assert plot.time_ns[0] < shown[0]
    assert view._document.programs.chosen == ()
    QTest.keyClick(plot, Qt.Key.Key_0)
    assert plot.time_ns[0] == 0
    assert plot.time_ns[1] > 2 * EACH_NS


def test_bars_have_the_colours_of_their_waves_or_programs(view: ScheduleView) -> None:
    plot = view.plot

    def colour_of(program: int) -> tuple[int, ...]:
        image = plot.grab().toImage()
        at = plot.bar(program).center() * image.devicePixelRatio()
        return image.pixelColor(at.toPoint()).getRgb()[:3]

    for _ in range(10):
        plot.zoom(1.25, plot.area().topLeft(), rows=True)
    scale = Theme().sequential_colormap(256)
    assert colour_of(3) == scale[1 * 255 // 3]
    assert colour_of(SMS * RESIDENT + 3) == scale[2 * 255 // 3]
    QTest.mouseClick(
        view.findChild(QToolButton, "schedule.colour.owner"), Qt.MouseButton.LeftButton
    )
    assert colour_of(3) == Theme().owner_colormap()[3]
    assert "program 0" in view.findChild(QWidget, "schedule.legend").accessibleName()


def test_the_table_twin_and_csv(view: ScheduleView, qapp: QApplication) -> None:
    QTest.mouseClick(view.findChild(QToolButton, "schedule.showTable"), Qt.MouseButton.LeftButton)
    table = view.findChild(QWidget, "schedule.table")
    assert table.isVisible()
    assert table.model().rowCount() == view._document.programs.count
    table.recordPicked.emit(table.record_at(4))
    assert view._document.programs.chosen == (4,)
    view._actions.copy_csv()
    lines = qapp.clipboard().text().splitlines()
    assert lines[0] == "Program,SM,Start (ns),Duration (ns),Wave,Place"
    assert lines[2] == "1,1,1,736,1,2"


def test_pictures_are_saved_as_png_and_svg(view: ScheduleView, tmp_path) -> None:
    assert view._actions.save_png(str(tmp_path / "s.png"))
    assert view._actions.save_svg(str(tmp_path / "s.svg"))
    text = (tmp_path / "s.svg").read_text()
    assert "<svg" in text
    assert ">wave 1<" in text.replace("\n", "")
    assert not view._actions.save_svg(str(tmp_path / "no" / "s.svg"))


def test_it_is_recorded_only_while_somebody_looks(
    gpu_ran: Document, gpu_engine: FakeEngine, qtbot: QtBot
) -> None:
    view = show(gpu_ran, qtbot)
    qtbot.waitUntil(lambda: gpu_ran.programs.schedule.reply is not None)
    assert len(gpu_engine.requests(messages.GetSchedule)) == 1
    view.hide()
    gpu_ran.set_knob("BLOCK_SIZE", 512)
    qtbot.waitUntil(lambda: gpu_ran.is_current(gpu_ran.coverage))
    assert gpu_ran.programs.schedule.reply is None
    assert len(gpu_engine.requests(messages.GetSchedule)) == 1
    view.show()
    qtbot.waitUntil(lambda: gpu_ran.programs.schedule.reply is not None)
    QTest.mouseClick(view.findChild(QToolButton, "schedule.again"), Qt.MouseButton.LeftButton)
    assert len(gpu_engine.requests(messages.GetSchedule)) == 3


def test_a_schedule_that_failed_says_why(
    gpu_ran: Document, gpu_engine: FakeEngine, qtbot: QtBot, monkeypatch
) -> None:
    from playground.model.finding import Finding

    finding = Finding("error", "coverage", "the kernel takes no further argument")
    monkeypatch.setattr(
        gpu_engine, "_answer_getschedule", lambda _request: [messages.Finished(findings=(finding,))]
    )
    view = show(gpu_ran, qtbot)
    qtbot.waitUntil(
        lambda: "takes no further argument" in view.findChild(QWidget, "schedule.empty").text
    )


# ------------------------------------------------------------------------------ the L2


def test_a_pinned_estimate_stands_beside_the_current_one(qapp, qtbot: QtBot) -> None:
    engine = MatmulEngine()
    engine.start()
    document = Document(engine)
    qtbot.waitUntil(lambda: engine.state == "ready")
    document.set_text("# matmul")
    document.run()
    qtbot.waitUntil(lambda: document.is_current(document.coverage))
    document.set_knob("GROUP_M", 1)
    view = show(document, qtbot)
    schedule = document.programs.schedule
    qtbot.waitUntil(lambda: schedule.reuse is not None and schedule.reuse.config["GROUP_M"] == 1)
    pin = view.findChild(QPushButton, "reuse.pin")
    QTest.mouseClick(pin, Qt.MouseButton.LeftButton)
    assert pin.text() == "Unpin"
    document.set_knob("GROUP_M", 8)
    qtbot.waitUntil(lambda: schedule.reuse.config["GROUP_M"] == 8)
    key = view.findChild(QLabel, "reuse.key").text()
    assert key.startswith("upper bar: GROUP_M=8 · thin bar: GROUP_M=1, pinned")
    whole = rows_of(schedule.reuse, schedule.pinned_reuse)[0]
    # 8 tiles across: A once and B 8 times row by row; A twice and B once in groups of 8.
    assert (whole.pinned, whole.fetched) == (9 << 20, 3 << 20)
    assert whole.least == 2 << 20
    assert not view.reuse.bars.grab().isNull()
    QTest.mouseClick(pin, Qt.MouseButton.LeftButton)
    assert schedule.pinned_reuse is None
    view.close()
    document.close()
    engine.shutdown()


def test_configs_are_told_by_what_differs() -> None:
    one, other = Config.of({"A": 1, "B": 2}), Config.of({"A": 1, "B": 3})
    assert differing(one, other) == ("B=2", "B=3")
    assert differing(one, one) == ("A=1 B=2", "A=1 B=2")
