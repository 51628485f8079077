"""The compiler's panel: figures, stages, lines both ways, search and folds."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QTabBar,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from playground.model.compiling import (
    CompileReport,
    Gain,
    Occupancy,
    SharedBuffer,
    StageTime,
    Waves,
)
from playground.model.finding import Finding
from playground.protocol import messages
from playground.ui.document import Document
from playground.ui.theme import Theme
from playground.ui.views.code_text import CodeText
from playground.ui.views.compiler import CompilerView
from playground.ui.views.compiler_lines import LineRow
from playground.ui.views.ir_text import IrText
from playground.ui.views.meter import Meter
from playground.ui.views.overview_ruler import OverviewRuler
from playground.ui.views.resources import resources, summary
from playground.ui.views.table_twin import RecordTable
from tests.ui.fake_engine import FakeEngine
from tests.ui.test_views_other import cell, show


def opened(document: Document, qtbot: QtBot, part: str = "") -> CompilerView:
    view = CompilerView(document, Theme())
    show(view, qtbot)
    if part:
        view.show_part(getattr(view, part))
    return view


def click_line(text: IrText, line: int, qtbot: QtBot) -> None:
    block = text.document().findBlockByNumber(line)
    spot = text.blockBoundingGeometry(block).translated(text.contentOffset()).center().toPoint()
    spot.setX(40)
    QTest.mouseClick(text.viewport(), Qt.MouseButton.LeftButton, pos=spot)


# ------------------------------------------------------------------------------ figures


def test_figures_first_and_the_stage_looked_at_only_when_it_is(
    gpu_ran: Document, gpu_engine: FakeEngine, qtbot: QtBot
) -> None:
    gpu_engine.sent.clear()
    view = opened(gpu_ran, qtbot)
    table = view.findChild(RecordTable, "compiler.resources")
    assert (cell(table, 0, "Resource"), cell(table, 0, "This config")) == (
        "Registers a thread", "32",
    )  # fmt: skip
    assert gpu_engine.requests(messages.GetIr) == []
    view.show_part(view.stages)
    tabs = view.findChild(QTabBar, "compiler.tabs")
    assert [tabs.tabText(i) for i in range(tabs.count())] == [
        "TTIR", "TTGIR", "LLVM IR", "PTX", "SASS",
    ]  # fmt: skip
    text = view.stages.text("ttir")
    qtbot.waitUntil(lambda: "tt.func public @add_kernel" in text.toPlainText())
    assert [r.stage for r in gpu_engine.requests(messages.GetIr)] == ["ttir"]
    tabs.setFocus()
    QTest.keyClick(tabs, Qt.Key.Key_Right)
    QTest.keyClick(tabs, Qt.Key.Key_Right)
    QTest.keyClick(tabs, Qt.Key.Key_Right)
    ptx = view.stages.text("ptx")
    qtbot.waitUntil(lambda: "ld.global" in ptx.toPlainText())
    assert gpu_engine.requests(messages.GetIr)[-1].stage == "ptx"


def test_the_text_follows_the_config(gpu_ran: Document, qtbot: QtBot) -> None:
    view = opened(gpu_ran, qtbot, "stages")
    text = view.stages.text("ttir")
    qtbot.waitUntil(lambda: "end = 1024" in text.toPlainText())
    for value in (64, 256, 512, 128):
        gpu_ran.set_knob("BLOCK_SIZE", value)
    qtbot.waitUntil(lambda: "end = 128 " in text.toPlainText())


def test_another_target_has_other_stages(gpu_ran: Document, qtbot: QtBot) -> None:
    view = opened(gpu_ran, qtbot, "stages")
    combo = view.findChild(QComboBox, "compiler.target")
    assert combo.currentText() == "cuda:90 (this machine)"
    combo.activated.emit(combo.findData("hip:gfx942"))
    tabs = view.findChild(QTabBar, "compiler.tabs")
    qtbot.waitUntil(lambda: tabs.tabText(tabs.count() - 1) == "AMDGCN")
    assert gpu_ran.target == "hip:gfx942"


def test_baseline_stands_beside_each_figure(gpu_ran: Document, qtbot: QtBot) -> None:
    view = opened(gpu_ran, qtbot)
    table = view.findChild(RecordTable, "compiler.resources")
    assert table.isColumnHidden(2)
    gpu_ran.pin_baseline()
    gpu_ran.set_knob("BLOCK_SIZE", 512)
    qtbot.waitUntil(lambda: gpu_ran.is_current(gpu_ran.compile_report))
    assert not table.isColumnHidden(2)
    assert cell(table, 0, "Baseline") == "32"
    assert cell(table, 0, "Change") == "−25.0 %"


def report_of(document: Document, **fields: object) -> CompileReport:
    values: dict[str, object] = {
        "launch": 0, "config": document.config, "target": "cuda:90", "kernel": "k",
        "registers": 64, "spill_bytes": 8, "stack_bytes": 0, "shared_bytes": 262144,
        "shared_limit_bytes": 232448, "threads": 128, "fits": False,
        "stage_times": (StageTime("ttir", 1.0),), "total_ms": 1.0, "cache_hit": True,
        "stages": ("ttir",), "occupancy": Occupancy(0, 0, 64, "shared memory"), **fields,
    }  # fmt: skip
    return CompileReport(**values)  # type: ignore[arg-type]


def test_shared_memory_over_the_limit_is_said(gpu_ran: Document, qtbot: QtBot) -> None:
    view = opened(gpu_ran, qtbot)
    report = report_of(gpu_ran)
    gpu_ran.take_compiled(messages.Compiled(gpu_ran.revision, report))
    meter = view.findChild(Meter, "compiler.shared")
    assert meter.text == "Shared 256 KiB of 227 KiB, over the limit"
    notice = view.findChild(QWidget, "compiler.notice")
    assert notice.isVisible()
    assert "cannot launch" in notice.text
    rows = {row.name: row.text for row in resources(report, None)}
    assert rows["Limited by"] == "shared memory"
    assert rows["Compile time"] == "1.00 ms, from the cache"


def test_static_shared_memory_counts_and_waves_and_gains_are_told(
    gpu_ran: Document, qtbot: QtBot
) -> None:
    view = opened(gpu_ran, qtbot)
    report = report_of(
        gpu_ran, shared_bytes=65536, static_shared_bytes=1024, fits=True, spill_bytes=0,
        occupancy=Occupancy(3, 12, 64, "shared memory"), waves=Waves(500, 396),
        gains=(Gain("shared memory", 57344, 4, "at most 57,344 bytes: 4 programs instead of 3"),),
    )  # fmt: skip
    gpu_ran.take_compiled(messages.Compiled(gpu_ran.revision, report))
    assert view.findChild(Meter, "compiler.shared").text == "Shared 65 KiB of 227 KiB (29 %)"
    rows = {row.name: row.text for row in resources(report, None)}
    # 500 programs over 396 at once: 1.26 waves, the second with 104 of 396.
    assert rows["Waves"] == "1.26, the last 26 % full"
    assert rows["Shared memory, static"] == "1 KiB"
    assert rows["Occupancy"] == report.occupancy.share_text == "18.8 %"  # 12 of 64 warps
    few = replace(report, waves=Waves(8, 924), occupancy=Occupancy(2, 8, 64, "registers"))
    moved = {row.name: (row.text, row.before, row.change) for row in resources(few, report)}
    assert moved["Waves"][0] == "0.87 % of one"
    assert moved["Occupancy"] == ("12.5 %", "18.8 %", "−33.3 %")
    gains = view.findChild(QLabel, "compiler.gains")
    assert gains.isVisible()
    assert gains.text() == "Nearest gain: at most 57,344 bytes: 4 programs instead of 3."
    assert summary(report) == (
        "64 registers · no spills · 65 KiB shared · occupancy 18.8 %, limited by shared memory"
    )


def test_spills_name_their_lines_and_lead_there(
    gpu_ran: Document, gpu_engine: FakeEngine, qtbot: QtBot
) -> None:
    gpu_engine.spilling = True
    view = opened(gpu_ran, qtbot)
    gpu_ran.compiler.code.want("test", True)
    qtbot.waitUntil(gpu_ran.compiler.code.is_current)
    report = report_of(gpu_ran, fits=True, spill_bytes=32)
    gpu_ran.take_compiled(messages.Compiled(gpu_ran.revision, report))
    link = view.findChild(QPushButton, "compiler.spill:23")
    assert link.text() == "line 23: 32 B"
    with qtbot.waitSignal(view.sourceLineRequested) as caught:
        link.click()
    assert caught.args == [23]


def test_what_holds_shared_memory_leads_to_its_line(gpu_ran: Document, qtbot: QtBot) -> None:
    view = opened(gpu_ran, qtbot)
    holders = view.findChild(QWidget, "compiler.holders")
    assert not holders.isVisible()
    held = (SharedBuffer("a", "k.py", 31, 3, (64, 128), "bf16", 49152, ("num_stages", "M")),)
    report = report_of(gpu_ran, shared_buffers=held)
    gpu_ran.take_compiled(messages.Compiled(gpu_ran.revision, report))
    link = view.findChild(QPushButton, "compiler.holder:31")
    assert holders.isVisible()
    assert link.text() == "a, line 31: 48 KiB"
    assert link.toolTip() == "a (line 31): 3 x 64x128 bf16 = 49152 bytes (num_stages, M)"
    with qtbot.waitSignal(view.sourceLineRequested) as caught:
        link.click()
    assert caught.args == [31]


def test_a_failed_compilation_shows_why_and_the_stages_reached(
    gpu_ran: Document, gpu_engine: FakeEngine, qtbot: QtBot
) -> None:
    view = opened(gpu_ran, qtbot, "stages")
    finding = Finding("error", "compile", "ptxas gave up", "fewer registers", line=24)
    gpu_ran.take_compiled(
        messages.Compiled(gpu_ran.revision, None, (finding,), stages=("ttir", "ttgir"))
    )
    assert view.findChild(QLabel, "compiler.summary").text() == "It does not compile."
    assert "ptxas gave up" in view.findChild(QWidget, "compiler.notice").text
    tabs = view.findChild(QTabBar, "compiler.tabs")
    assert tabs.count() == 5
    qtbot.waitUntil(lambda: "tt.func" in view.stages.text("ttir").toPlainText())
    view.stages.show_stage("ptx")
    empty = view.findChild(QWidget, "compiler.stage.empty")
    qtbot.waitUntil(empty.isVisible)
    assert empty.text == (
        "PTX was not reached\nCompiling ended before it; the findings say why. "
        "It came through ttir, ttgir."
    )
    view.show_part(view.resources)
    assert "does not compile" in view.findChild(QWidget, "compiler.resources.empty").text


# ------------------------------------------------------------------------------ lines


def test_lines_lead_both_ways(gpu_ran: Document, qtbot: QtBot) -> None:
    view = opened(gpu_ran, qtbot, "stages")
    text = view.stages.text("ttir")
    qtbot.waitUntil(lambda: text.blockCount() > 5)
    with qtbot.waitSignal(view.sourceLinesMarked) as caught:
        click_line(text, 5, qtbot)
    assert caught.args == [(22,)]
    assert text.marks == (5,)
    view.showSourceLine(24)
    assert text.marks == (7, 8)
    assert text.ruler.lines == (7, 8)
    assert view.stages.note.strip() == "2 of 12 lines came from line 24 of the source"
    with qtbot.waitSignal(view.sourceLineRequested) as asked:
        text.setFocus()
        QTest.keyClick(text, Qt.Key.Key_Return)
    assert asked.args == [22]  # the cursor was left where the click put it


def test_a_helpers_line_marks_its_callers_too(gpu_ran: Document, qtbot: QtBot) -> None:
    text = IrText("sass", Theme())
    show(text, qtbot)
    text.show_ir("a\nb\nc\nd\n", ((21, 49), (49,), (), (21, 60)))
    assert text.lines_of(49) == (0, 1)
    assert text.lines_of(21) == (0, 3)
    with qtbot.waitSignal(text.sourceLinesMarked) as caught:
        click_line(text, 0, qtbot)
    assert caught.args == [(21, 49)]
    assert text.marks == (0, 3)


def test_the_ruler_jumps_to_the_mark_that_is_clicked(qapp: object, qtbot: QtBot) -> None:
    ruler = OverviewRuler("r", Theme())
    show(ruler, qtbot, 10, 100)
    ruler.show_marks([(10, 10, "accent"), (90, 90, "accent")], 100)
    with qtbot.waitSignal(ruler.lineRequested) as caught:
        QTest.mouseClick(ruler, Qt.MouseButton.LeftButton, pos=ruler.rect().bottomLeft() * 0.92)
    assert caught.args == [90]


def test_marks_are_stepped_through_by_key(gpu_ran: Document, qtbot: QtBot) -> None:
    text = IrText("sass", Theme())
    show(text, qtbot, 300, 120)
    text.show_ir("\n".join(f"line {n}" for n in range(200)), ((),) * 10 + ((7,),) * 2 + ((),) * 88
                 + ((7,),))  # fmt: skip
    text.show_source_line(7)
    text.setFocus()
    assert text.textCursor().blockNumber() == 10
    QTest.keyClicks(text, "]")
    assert text.textCursor().blockNumber() == 100
    QTest.keyClicks(text, "]")
    assert text.textCursor().blockNumber() == 10
    QTest.keyClicks(text, "[")
    assert text.textCursor().blockNumber() == 100


# ------------------------------------------------------------------------------ search, folds


def test_find_in_a_stage(gpu_ran: Document, qtbot: QtBot) -> None:
    view = opened(gpu_ran, qtbot, "stages")
    text = view.stages.text("ttir")
    qtbot.waitUntil(lambda: text.blockCount() > 5)
    field = view.findChild(QLineEdit, "compiler.find")
    QTest.keyClicks(field, "tt.load")
    assert view.stages.matches() == 2
    assert text.textCursor().blockNumber() == 5
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert text.textCursor().blockNumber() == 6
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert text.textCursor().blockNumber() == 5


def test_what_is_found_in_a_fold_is_unfolded(gpu_ran: Document, qtbot: QtBot) -> None:
    view = opened(gpu_ran, qtbot, "stages")
    text = view.stages.text("ttir")
    qtbot.waitUntil(lambda: text.blockCount() > 5)
    view.findChild(QToolButton, "compiler.fold").click()
    # Lines 0 and 1 stay: the location and the module that holds the rest.
    assert [block.blockNumber() for block, _ in text.visible_blocks()] == [0, 1, 12]
    QTest.keyClicks(view.findChild(QLineEdit, "compiler.find"), "addf")
    assert text.textCursor().blockNumber() == 7
    assert text.textCursor().block().isVisible()
    view.showSourceLine(22)
    assert text.is_in_view(5)


def test_a_fold_opens_and_closes_by_key(gpu_ran: Document, qtbot: QtBot) -> None:
    text = IrText("ttir", Theme())
    show(text, qtbot)
    text.show_ir("module {\n  a\n  b\n}\nend\n", ())
    text.setFocus()
    QTest.keyClicks(text, "-")
    assert [block.blockNumber() for block, _ in text.visible_blocks()] == [0, 4, 5]
    QTest.keyClicks(text, "+")
    assert [block.blockNumber() for block, _ in text.visible_blocks()] == list(range(6))


# ------------------------------------------------------------------------------ code by line


def test_code_by_line_sorts_marks_and_leads_to_the_line(gpu_ran: Document, qtbot: QtBot) -> None:
    view = opened(gpu_ran, qtbot, "lines")
    table = view.findChild(RecordTable, "compiler.lines")
    qtbot.waitUntil(lambda: table.model().rowCount() == 6)
    # BLOCK_SIZE 1024 over 4 warps of 32 lanes by 16 bytes: 2 accesses a thread.
    assert cell(table, 3, "Accesses, products, waits") == "16-byte loads ×2"
    assert cell(table, 3, "Instr.") == "18"
    table.sortByColumn(1, Qt.SortOrder.DescendingOrder)
    assert [table.record_at(row).code.line for row in range(3)] == [20, 22, 24]
    with qtbot.waitSignal(view.sourceLinesMarked) as caught:
        QTest.mouseClick(
            table.viewport(), Qt.MouseButton.LeftButton,
            pos=table.visualRect(table.model().index(1, 1)).center(),
        )  # fmt: skip
    assert caught.args == [(22,)]
    with qtbot.waitSignal(view.sourceLineRequested) as asked:
        table.setFocus()
        QTest.keyClick(table, Qt.Key.Key_Return)
    assert asked.args == [22]
    view.showSourceLine(24)
    row = table.record_at(table.currentIndex().row())
    assert isinstance(row, LineRow)
    assert row.code.line == 24


def test_code_is_asked_for_only_while_somebody_looks(
    gpu_ran: Document, gpu_engine: FakeEngine, qtbot: QtBot
) -> None:
    view = opened(gpu_ran, qtbot)
    assert gpu_engine.requests(messages.GetCode) == []
    view.show_part(view.lines)
    qtbot.waitUntil(gpu_ran.compiler.code.is_current)
    assert len(gpu_engine.requests(messages.GetCode)) == 1
    view.show_part(view.resources)
    gpu_ran.set_knob("num_warps", 8)
    qtbot.waitUntil(lambda: gpu_ran.is_current(gpu_ran.compile_report))
    assert len(gpu_engine.requests(messages.GetCode)) == 1
    assert not gpu_ran.compiler.code.is_current()


# ------------------------------------------------------------------------------ all of it


def test_everything_of_the_panel_has_a_name_and_nothing_is_cut(
    gpu_ran: Document, qtbot: QtBot
) -> None:
    view = CompilerView(gpu_ran, Theme())
    show(view, qtbot, 445, 330)
    for part in ("resources", "stages", "lines", "passes", "compilations", "fits"):
        view.show_part(getattr(view, part))
        qtbot.waitUntil(lambda: not gpu_ran.work.user_waits())
        page = view.parts.currentWidget()
        kinds = (QAbstractButton, QComboBox, QLineEdit, RecordTable, CodeText, QTabBar)
        for widget in page.findChildren(QWidget):
            inner = isinstance(widget.parent(), QComboBox | QTabBar | QLineEdit | RecordTable)
            if not isinstance(widget, kinds) or inner or not widget.isVisible():
                continue
            assert widget.objectName(), (part, widget)
            assert widget.accessibleName(), (part, widget.objectName())
            area = widget.rect().translated(widget.mapTo(page, widget.rect().topLeft()))
            assert page.rect().contains(area) or part == "resources", (part, widget.objectName())
        for text in page.findChildren(CodeText):
            assert not text.isVisible() or text.viewport().height() > 60, part


def test_comparing_has_the_room_of_the_one_target(gpu_ran: Document, qtbot: QtBot) -> None:
    view = CompilerView(gpu_ran, Theme())
    show(view, qtbot, 445, 330)
    target = view.findChild(QComboBox, "compiler.target")
    at = view.tabs.mapTo(view, view.tabs.rect().topLeft())
    assert target.isVisible()
    gpu_ran.set_knob("num_warps", 8)
    view.show_part(view.compilations)
    assert not target.isVisible()
    assert view.tabs.mapTo(view, view.tabs.rect().topLeft()) == at  # not moved off the pointer
    qtbot.waitUntil(lambda: gpu_ran.compiler.compilations.compared is not None)
    view.compilations.show_stage("ttir")
    qtbot.waitUntil(lambda: any(x.isVisible() for x in view.compilations.findChildren(CodeText)))
    for text in view.compilations.findChildren(CodeText):
        assert text.viewport().height() / text.fontMetrics().lineSpacing() > 11
    view.show_part(view.fits)
    assert target.isVisible()
