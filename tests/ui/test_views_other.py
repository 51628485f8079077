"""Launches, compiler output and the sweep, by mouse and keyboard."""

from __future__ import annotations

import math

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QTabWidget,
    QWidget,
)
from pytestqt.qtbot import QtBot

from playground.model.compiling import CompileReport, Occupancy, StageTime
from playground.model.config import Config
from playground.model.knobs import Knob, KnobError, constexpr_knob, option_knob
from playground.protocol import messages
from playground.ui.document import Document
from playground.ui.theme import Theme
from playground.ui.views.compiler import CompilerView
from playground.ui.views.ir_text import IrText
from playground.ui.views.launches import LaunchesView
from playground.ui.views.meter import Meter
from playground.ui.views.resources import resources
from playground.ui.views.sweep import SweepView
from playground.ui.views.sweep_space import parse_values, values_around
from playground.ui.views.table_twin import RecordTable
from tests.ui.conftest import run_vector_add
from tests.ui.fake_engine import FakeEngine


def show(view: QWidget, qtbot: QtBot, width: int = 700, height: int = 640) -> None:
    qtbot.addWidget(view)
    view.resize(width, height)
    view.show()
    qtbot.waitExposed(view)


def cell(table: RecordTable, row: int, title: str) -> str:
    model = table.model()
    titles = [model.headerData(i, Qt.Orientation.Horizontal) for i in range(model.columnCount())]
    return model.index(row, titles.index(title)).data()


# ------------------------------------------------------------------------------ launches


def test_launches_empty_then_selected(
    gpu_document: Document, gpu_engine: FakeEngine, qtbot: QtBot
) -> None:
    view = LaunchesView(gpu_document, Theme())
    show(view, qtbot)
    empty = view.findChild(QWidget, "launches.empty")
    assert "Open a Python file" in empty.text
    gpu_engine.launch_count = 3
    run_vector_add(gpu_document, qtbot)
    assert not empty.isVisible()
    table = view.findChild(RecordTable, "launches.table")
    assert table.model().rowCount() == 3
    assert cell(table, 0, "Kernel") == "add_kernel"
    assert cell(table, 0, "Programs") == "97"
    assert cell(table, 0, "Tensors") == "3 of float32 98\u2009432"
    assert cell(table, 0, "Place") == "vector_add.py:18"
    QTest.mouseClick(
        table.viewport(), Qt.MouseButton.LeftButton,
        pos=table.visualRect(table.model().index(2, 1)).center(),
    )  # fmt: skip
    assert gpu_document.launch_index == 2
    table.setFocus()
    QTest.keyClick(table, Qt.Key.Key_Up)
    assert gpu_document.launch_index == 1
    with qtbot.waitSignal(view.sourceLineRequested) as caught:
        QTest.keyClick(table, Qt.Key.Key_Return)
    assert caught.args == [36]


def test_arguments_of_the_selected_launch(gpu_ran: Document, qtbot: QtBot) -> None:
    view = LaunchesView(gpu_ran, Theme())
    show(view, qtbot)
    table = view.findChild(RecordTable, "launches.arguments")
    assert cell(table, 0, "Argument") == "x_ptr"
    assert cell(table, 0, "dtype") == "float32"
    assert cell(table, 0, "Alignment") == "16 B"
    assert cell(table, 0, "Strides") == "1"
    assert cell(table, 0, "Storage") == "384.5 KiB on cuda:0"
    assert cell(table, 3, "Value or shape") == "98432"


# ------------------------------------------------------------------------------ compiler


def test_compiler_shows_resources_and_fetches_the_stage_looked_at(
    gpu_ran: Document, gpu_engine: FakeEngine, qtbot: QtBot
) -> None:
    view = CompilerView(gpu_ran, Theme())
    gpu_engine.sent.clear()
    show(view, qtbot)
    table = view.findChild(RecordTable, "compiler.resources")
    assert (cell(table, 0, "Resource"), cell(table, 0, "This config")) == (
        "Registers a thread", "32",
    )  # fmt: skip
    tabs = view.findChild(QTabWidget, "compiler.tabs")
    assert [tabs.tabText(i) for i in range(tabs.count())] == [
        "TTIR", "TTGIR", "LLVM IR", "PTX", "SASS",
    ]  # fmt: skip
    text = view.findChild(IrText, "compiler.ir.ttir")
    qtbot.waitUntil(lambda: "tt.func public @add_kernel" in text.toPlainText())
    assert [r.stage for r in gpu_engine.requests(messages.GetIr)] == ["ttir"]
    tabs.setFocus()
    tabs.setCurrentIndex(3)
    ptx = view.findChild(IrText, "compiler.ir.ptx")
    qtbot.waitUntil(lambda: "ld.global" in ptx.toPlainText())
    assert [r.stage for r in gpu_engine.requests(messages.GetIr)] == ["ttir", "ptx"]


def test_the_text_follows_the_config(gpu_ran: Document, qtbot: QtBot) -> None:
    view = CompilerView(gpu_ran, Theme())
    show(view, qtbot)
    text = view.findChild(IrText, "compiler.ir.ttir")
    qtbot.waitUntil(lambda: "end = 1024" in text.toPlainText())
    for value in (64, 256, 512, 128):
        gpu_ran.set_knob("BLOCK_SIZE", value)
    qtbot.waitUntil(lambda: "end = 128 " in text.toPlainText())


def test_lines_lead_both_ways(gpu_ran: Document, qtbot: QtBot) -> None:
    view = CompilerView(gpu_ran, Theme())
    show(view, qtbot)
    text = view.findChild(IrText, "compiler.ir.ttir")
    qtbot.waitUntil(lambda: text.blockCount() > 5)
    block = text.document().findBlockByNumber(5)
    spot = text.blockBoundingGeometry(block).translated(text.contentOffset()).center().toPoint()
    with qtbot.waitSignal(text.sourceLinesMarked) as caught:
        QTest.mouseClick(text.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert caught.args == [(22,)]
    view.showSourceLine(24)
    assert text.marks == (7, 8)
    assert text.lines_of(24) == (7, 8)


def test_find_in_a_stage(gpu_ran: Document, qtbot: QtBot) -> None:
    view = CompilerView(gpu_ran, Theme())
    show(view, qtbot)
    text = view.findChild(IrText, "compiler.ir.ttir")
    qtbot.waitUntil(lambda: text.blockCount() > 5)
    field = view.findChild(QLineEdit, "compiler.find.ttir")
    QTest.keyClicks(field, "tt.load")
    assert view._pages["ttir"].matches == 2
    assert text.textCursor().blockNumber() == 5
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert text.textCursor().blockNumber() == 6
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert text.textCursor().blockNumber() == 5


def test_another_target_has_other_stages(gpu_ran: Document, qtbot: QtBot) -> None:
    view = CompilerView(gpu_ran, Theme())
    show(view, qtbot)
    combo = view.findChild(QComboBox, "compiler.target")
    assert combo.currentText() == "cuda:90 (this machine)"
    combo.activated.emit(combo.findData("hip:gfx942"))
    tabs = view.findChild(QTabWidget, "compiler.tabs")
    qtbot.waitUntil(lambda: tabs.tabText(tabs.count() - 1) == "AMDGCN")
    assert gpu_ran.target == "hip:gfx942"


def test_baseline_stands_beside_each_figure(gpu_ran: Document, qtbot: QtBot) -> None:
    view = CompilerView(gpu_ran, Theme())
    show(view, qtbot)
    table = view.findChild(RecordTable, "compiler.resources")
    assert table.isColumnHidden(2)
    gpu_ran.pin_baseline()
    gpu_ran.set_knob("BLOCK_SIZE", 512)
    qtbot.waitUntil(lambda: gpu_ran.is_current(gpu_ran.compile_report))
    assert not table.isColumnHidden(2)
    assert cell(table, 0, "Baseline") == "32"
    assert cell(table, 0, "Change") == "−25.0 %"


def test_shared_memory_over_the_limit_is_said(gpu_ran: Document, qtbot: QtBot) -> None:
    view = CompilerView(gpu_ran, Theme())
    show(view, qtbot)
    report = CompileReport(
        0, gpu_ran.config, "cuda:90", "k", 64, 8, 0, 262144, 232448, 128, False,
        (StageTime("ttir", 1.0),), 1.0, True, ("ttir",), Occupancy(0, 0, 64, "shared memory"),
    )  # fmt: skip
    gpu_ran.take_compiled(messages.Compiled(gpu_ran.revision, report))
    meter = view.findChild(Meter, "compiler.shared")
    assert meter.text == "Shared 256 KiB of 227 KiB, over the limit"
    notice = view.findChild(QWidget, "compiler.notice")
    assert notice.isVisible()
    assert "cannot launch" in notice.text
    rows = {row.name: row.text for row in resources(report, None)}
    assert rows["Limited by"] == "shared memory"
    assert rows["Compile time"] == "1.00 ms, from the cache"


# ------------------------------------------------------------------------------ sweep


def test_sweep_counts_live_and_explains(gpu_ran: Document, qtbot: QtBot) -> None:
    view = SweepView(gpu_ran, Theme())
    show(view, qtbot)
    count = view.findChild(QLabel, "sweep.count")
    assert count.text() == "80 configs to try"
    field = view.findChild(QLineEdit, "sweep.values:BLOCK_SIZE")
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, "256, 512")
    assert count.text() == "32 configs to try"
    QTest.keyClicks(field, ", 300")
    assert "power of two" in count.text()
    assert not view.findChild(QPushButton, "sweep.start").isEnabled()


def test_sweep_runs_and_a_row_is_applied(
    gpu_ran: Document, gpu_engine: FakeEngine, qtbot: QtBot, qapp: QApplication
) -> None:
    view = SweepView(gpu_ran, Theme())
    show(view, qtbot)
    start = view.findChild(QPushButton, "sweep.start")
    gpu_engine.wrong_configs.add(gpu_ran.config.updated({"BLOCK_SIZE": 256, "num_warps": 2}))
    QTest.mouseClick(start, Qt.MouseButton.LeftButton)
    assert view.findChild(QPushButton, "sweep.cancel").isEnabled()
    assert not start.isEnabled()
    qtbot.waitUntil(lambda: gpu_ran.sweep_result is not None)
    table = view.findChild(RecordTable, "sweep.table")
    assert table.model().rowCount() == 80
    summary = view.findChild(QLabel, "sweep.summary").text()
    best = gpu_ran.sweep_result.best
    assert summary.startswith(f"Best {best.config.label()}: ")
    assert "20 does not fit" in summary
    table.sortByColumn(1, Qt.SortOrder.AscendingOrder)
    assert table.record_at(0) is best
    statuses = {cell(table, row, "Status") for row in range(80)}
    assert statuses == {"correct", "wrong", "does not fit"}
    table.selectRow(0)
    QTest.keyClick(table, Qt.Key.Key_Return)
    assert gpu_ran.config == best.config
    QTest.mouseClick(view.findChild(QPushButton, "sweep.copy"), Qt.MouseButton.LeftButton)
    lines = qapp.clipboard().text().splitlines()
    assert len(lines) == 81
    assert lines[0].startswith("Status,Median (ms),95 % interval,BLOCK_SIZE,num_warps,num_stages")


def test_sweep_in_the_interpreter_ranks_nothing(ran: Document, qtbot: QtBot) -> None:
    view = SweepView(ran, Theme())
    show(view, qtbot)
    assert "nothing is ranked by time" in view.findChild(QWidget, "sweep.notice").text
    QTest.mouseClick(view.findChild(QPushButton, "sweep.start"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: ran.sweep_result is not None)
    model = view.findChild(RecordTable, "sweep.table").model()
    titles = [model.headerData(i, Qt.Orientation.Horizontal) for i in range(model.columnCount())]
    assert "Median (ms)" not in titles
    assert "Best" not in view.findChild(QLabel, "sweep.summary").text()


def test_sweep_edits_survive_another_run(gpu_ran: Document, qtbot: QtBot) -> None:
    view = SweepView(gpu_ran, Theme())
    show(view, qtbot)
    view.findChild(QLineEdit, "sweep.values:BLOCK_SIZE").setText("512")
    gpu_ran.run()
    qtbot.waitUntil(lambda: gpu_ran.is_current(gpu_ran.coverage))
    assert view.findChild(QLineEdit, "sweep.values:BLOCK_SIZE").text() == "512"
    view.findChild(QPushButton, "sweep.around").click()
    assert "1024" in view.findChild(QLineEdit, "sweep.values:BLOCK_SIZE").text()


def test_values_are_parsed_by_kind() -> None:
    block = constexpr_knob("BLOCK", 128)
    assert parse_values(block, "64, 128,64 ") == (64, 128)
    assert parse_values(constexpr_knob("EVEN", True), "true, 0") == (True, False)
    assert parse_values(constexpr_knob("D", "tl.float16"), "tl.float32") == ("tl.float32",)
    assert parse_values(option_knob("maxnreg", None), "none, 128") == (None, 128)
    for knob, text in ((block, "x"), (block, "100"), (block, ""), (block, "4 8")):
        with pytest.raises(KnobError):
            parse_values(knob, text)


def test_empty_views_say_what_to_do(gpu_document: Document, qtbot: QtBot) -> None:
    for cls, name in ((CompilerView, "compiler.empty"), (SweepView, "sweep.empty")):
        view = cls(gpu_document, Theme())
        show(view, qtbot)
        assert view.findChild(QWidget, name).isVisible()
        assert "F5" in view.findChild(QWidget, name).text


def test_every_interactive_widget_has_a_name(gpu_ran: Document, qtbot: QtBot) -> None:
    from playground.ui.views.coverage import CoverageView
    from playground.ui.views.knobs import KnobsPanel
    from playground.ui.views.timings import TimingsView

    theme = Theme()
    for cls in (LaunchesView, KnobsPanel, CompilerView, SweepView, CoverageView, TimingsView):
        view = cls(gpu_ran, theme)
        show(view, qtbot)
        for widget in view.findChildren(QWidget):
            own = not widget.objectName().startswith("qt_") and type(widget).__module__ != (
                "PySide6.QtWidgets"
            )
            kinds = (QPushButton, QComboBox, RecordTable, IrText)
            inner = isinstance(widget.parent(), QComboBox)
            if isinstance(widget, kinds) and not inner:
                assert widget.objectName(), (cls.__name__, widget)
                assert widget.accessibleName(), (cls.__name__, widget.objectName())
            elif own and isinstance(widget, QLineEdit):
                assert widget.accessibleName(), (cls.__name__, widget)


def test_configs_label() -> None:
    assert Config.of({"A": 1}).label() == "A=1"


def test_the_default_space_of_a_sweep_is_bounded() -> None:
    names = ("BLOCK_M", "BLOCK_N", "BLOCK_K", "GROUP_M", "num_warps", "num_stages")
    knobs = tuple(
        Knob(name, "int" if name == "num_stages" else "pow2", "constexpr", value)
        for name, value in zip(names, (64, 64, 32, 8, 4, 3), strict=True)
    )
    config = Config(tuple((knob.name, knob.default) for knob in knobs))
    values = values_around(knobs, config)
    assert 250 < math.prod(map(len, values.values())) <= 500
    assert all(config[name] in options for name, options in values.items())
    assert values_around(knobs[:1], config)["BLOCK_M"] == (16, 32, 64, 128, 256)
