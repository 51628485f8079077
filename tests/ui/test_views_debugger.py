"""The debugger's panel: stepping, values, breakpoints beside the text, its questions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QLineEdit
from pytestqt.qtbot import QtBot

from playground.model.resources import kernels_dir
from playground.protocol import messages
from playground.ui.document import Document
from playground.ui.theme import Theme
from playground.ui.views.block_plane import colours, plane_of
from playground.ui.views.debugger import DebuggerView
from tests.ui.fake_engine import FakeEngine
from tests.ui.windows import open_window


@pytest.fixture
def view(ran: Document, qtbot: QtBot) -> DebuggerView:
    made = DebuggerView(ran, Theme())
    qtbot.addWidget(made)
    made.resize(620, 520)
    made.show()
    qtbot.waitExposed(made)
    return made


def press(view: DebuggerView, name: str) -> None:
    view.findChild(QAbstractButton, f"debugger.{name}").click()


def words(view: DebuggerView, name: str) -> str:
    return view.findChild(QLabel, f"debugger.{name}").text()


def names(view: DebuggerView) -> list[str]:
    return [row.value.name for row in view.step._model.records]


def test_stepping_shows_the_place_and_the_values(
    view: DebuggerView, ran: Document, engine: FakeEngine, qtbot: QtBot
) -> None:
    debugging = ran.debugging
    assert "Steps through one program" in words(view, "notes")
    debugging.choose(5)
    press(view, "start")
    qtbot.waitUntil(lambda: debugging.stop is not None)
    (request,) = engine.requests(messages.Debug)
    assert (request.program, request.config) == (5, ran.config)
    assert ">19</a>" in words(view, "place")
    for name in NAMES_MADE:
        press(view, "over")
        qtbot.waitUntil(lambda name=name: debugging.block is not None
                        and debugging.block.name == name)  # fmt: skip
    assert names(view) == ["offsets", "mask", "x", "y", "x_ptr"]
    # Until one is picked, the block that the last step has made is shown: program 5 has 5120….
    assert debugging.block is not None
    assert debugging.block.data[0] == -0.25 * 5120
    view.step.table.selectRow(0)
    qtbot.waitUntil(lambda: debugging.block is not None and debugging.block.name == "offsets")
    press(view, "into")
    qtbot.waitUntil(lambda: not debugging.running)
    assert debugging.shown == "offsets"


NAMES_MADE = ("offsets", "mask", "x", "y")


def test_the_end_is_told_and_stopping_ends_the_job(
    view: DebuggerView, ran: Document, engine: FakeEngine, qtbot: QtBot
) -> None:
    debugging = ran.debugging
    press(view, "start")
    qtbot.waitUntil(lambda: debugging.stop is not None)
    press(view, "start")  # goes on, to the end
    qtbot.waitUntil(lambda: not debugging.active)
    assert "has ended, it printed 3 values" in words(view, "notes")
    press(view, "start")
    qtbot.waitUntil(lambda: debugging.stop is not None)
    press(view, "end")
    assert not debugging.active
    assert engine.requests(messages.Cancel)[-1].job == engine.debug_job
    assert ran.engine_state == "ready"


def test_expressions_are_watched(view: DebuggerView, ran: Document, qtbot: QtBot) -> None:
    press(view, "start")
    qtbot.waitUntil(lambda: ran.debugging.stop is not None)
    field = view.findChild(QLineEdit, "debugger.watch")
    for text in ("x.max()", "nothing"):
        field.setText(text)
        QTest.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(names(view)) == 3)
    rows = view.step._model.records
    assert [row.value.name for row in rows[:2]] == ["x.max()", "nothing"]
    assert rows[1].value.problem.startswith("NameError")
    ran.debugging.unwatch("nothing")
    qtbot.waitUntil(lambda: names(view) == ["x.max()", "x_ptr"])


def test_a_new_run_ends_the_program(view: DebuggerView, ran: Document, qtbot: QtBot) -> None:
    press(view, "start")
    qtbot.waitUntil(lambda: ran.debugging.stop is not None)
    ran.run()
    qtbot.waitUntil(lambda: not ran.debugging.active)
    qtbot.waitUntil(lambda: ran.work.queue.job is None)


def test_a_crash_of_the_engine_ends_it(
    view: DebuggerView, ran: Document, engine: FakeEngine, qtbot: QtBot
) -> None:
    press(view, "start")
    qtbot.waitUntil(lambda: ran.debugging.stop is not None)
    engine.crash()
    assert not ran.debugging.active
    assert ran.debugging.why == "the engine ended"
    qtbot.waitUntil(lambda: ran.engine_state == "ready")


def test_one_program_alone(view: DebuggerView, ran: Document, qtbot: QtBot) -> None:
    ran.debugging.choose(2)
    press(view, "alone.interpreter")
    qtbot.waitUntil(lambda: ran.debugging.alone is not None and not ran.debugging.asking)
    assert words(view, "alone.words") == "Program 2 alone in the interpreter, it printed 3 values."
    block = view.alone.block._block
    assert block is not None
    assert block.data[0] == 0.25 * 2048
    assert not view.findChild(QAbstractButton, "debugger.alone.gpu").isVisibleTo(view.alone)


def test_with_a_gpu_programs_run_there_and_both_are_compared(
    gpu_ran: Document, gpu_engine: FakeEngine, qtbot: QtBot
) -> None:
    view = DebuggerView(gpu_ran, Theme())
    qtbot.addWidget(view)
    for name, request, field in (
        ("alone.gpu", messages.RunAlone, "mode"), ("prints.all", messages.GetPrints, "mode"),
        ("compare.interpreter", messages.CompareElements, "against"),
    ):  # fmt: skip
        press(view, name)
        qtbot.waitUntil(lambda: not gpu_ran.debugging.asking)
        wanted = "gpu" if field == "mode" else "interpreter"
        assert getattr(gpu_engine.requests(request)[-1], field) == wanted
    assert words(view, "alone.words").startswith("Program 0 alone on the GPU")


def test_prints_are_listed_by_program(view: DebuggerView, ran: Document, qtbot: QtBot) -> None:
    view.show_page("prints")
    press(view, "prints.all")
    qtbot.waitUntil(lambda: ran.debugging.prints is not None and not ran.debugging.asking)
    assert words(view, "prints.words").startswith("3 values printed in the interpreter")
    assert "BLOCK is 1024" in words(view, "prints.words")
    assert [row.program for row in view.prints.model.records] == [3, 4]
    with qtbot.waitSignal(view.sourceLineRequested) as asked:
        view.prints.printed.recordPicked.emit(view.prints.model.records[0])
    assert asked.args == [22]
    assert ran.debugging.program == 3


def test_the_origin_of_an_infinity_leads_to_its_line(
    view: DebuggerView, ran: Document, engine: FakeEngine, qtbot: QtBot
) -> None:
    press(view, "hunt.all")
    qtbot.waitUntil(lambda: ran.debugging.hunted is not None and not ran.debugging.asking)
    assert "1 of 97 programs were interpreted; 1 more came about" in words(view, "hunt.words")
    assert any(finding.line == 23 for finding in ran.findings)
    press(view, "hunt.step")
    qtbot.waitUntil(lambda: ran.debugging.stop is not None)
    request = engine.requests(messages.Debug)[-1]
    assert (request.program, request.stop_at_entry) == (5, False)
    assert ran.debugging.line == 23


def test_differences_lead_to_the_map_and_the_program(
    view: DebuggerView, ran: Document, qtbot: QtBot
) -> None:
    press(view, "compare.reference")
    qtbot.waitUntil(lambda: not ran.debugging.asking)
    assert ran.debugging.failure.startswith("the file has no reference()")
    press(view, "compare.captured")
    qtbot.waitUntil(lambda: ran.debugging.differed is not None and not ran.debugging.asking)
    assert "3 of 98,432 elements of out_ptr differ, the first at [2050]: 1, not 3" in words(
        view, "compare.words"
    )
    with qtbot.waitSignal(view.mapPlaceRequested) as asked:
        press(view, "compare.map")
    place = asked.args[0]
    assert (place.tensor, place.index, place.programs) == ("out_ptr", (2050,), (2,))
    # Element 2050 of rows of 512 is the third of row 4.
    assert view.compare.image._marked == (4, 2)
    press(view, "compare.debug")
    qtbot.waitUntil(lambda: ran.debugging.stop is not None)
    assert ran.debugging.program == 2


def test_breakpoints_are_clicked_and_move_with_the_text(
    tmp_path: Path, qapp: QApplication, qtbot: QtBot
) -> None:
    path = kernels_dir() / "vector_add.py"
    with open_window(tmp_path, qapp, "interpreter", path, views=True) as window:
        document, gutter = window.document, window.editor.gutter
        debugging = document.debugging
        qtbot.waitUntil(lambda: document.engine_state == "ready")
        document.run()
        qtbot.waitUntil(lambda: document.launch is not None)
        window.editor.go_to(22)
        tops = {block.blockNumber() + 1: top for block, top in window.editor.visible_blocks()}
        QTest.mouseClick(gutter, Qt.MouseButton.LeftButton, pos=QPoint(4, tops[22] + 3))
        assert debugging.points == {22: ""}
        assert "takes it away" in gutter.tip(22, 3)
        window.debug_verbs.start()
        qtbot.waitUntil(lambda: debugging.stop is not None)
        assert window.editor._stopped == 19
        window.debug_verbs.start()
        qtbot.waitUntil(lambda: debugging.line == 22)
        assert window.actions_table["debug.over"].isEnabled()
        cursor = window.editor.textCursor()
        cursor.movePosition(cursor.MoveOperation.Start)
        cursor.insertText("\n")
        assert debugging.points == {23: ""}
        assert debugging.line == 23  # of the text that ran, a line further down now
        window.debug_verbs.end()
        assert window.editor._stopped == 0
        assert not window.actions_table["debug.over"].isEnabled()
        debugging.set_condition(23, "x.max() > 4")
        assert "where x.max() > 4" in gutter.tip(23, 3)


def test_a_plane_of_numbers_has_its_colours_and_words(qapp: object) -> None:
    theme = Theme("dark")
    block = messages.BlockValue("x", "fp32[3]", np.array([1.0, np.nan, 3.0]))
    plane = plane_of(block)
    assert (plane.rows, plane.columns, plane.low, plane.high) == (1, 3, 1.0, 3.0)
    assert plane.told(0, 2) == "x[2] = 3.0"
    assert plane.told(0, 1) == "x[1] = nan"
    pixels = colours(plane, theme)
    assert pixels[0, 1] == 0xFF000000 | theme.color("bad").rgb() & 0xFFFFFF
    assert len(set(pixels[0].tolist())) == 3
    cube = messages.BlockValue("c", "int32[2, 3, 4]", np.arange(24).reshape(2, 3, 4))
    assert plane_of(cube, (1,)).told(2, 3) == "c[1, 2, 3] = 23"
    pointers = messages.BlockValue("p", "*fp32[2]", np.array([64, 65]), "x_ptr")
    assert plane_of(pointers).told(0, 1) == "p[1] = x_ptr[65]"
