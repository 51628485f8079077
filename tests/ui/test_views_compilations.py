"""Passes, two compilations side by side, and the config on every target, by mouse and keyboard."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QComboBox, QLabel, QLineEdit, QPushButton, QTabBar, QWidget
from pytestqt.qtbot import QtBot

from playground.model.compilations import Block, Change
from playground.model.knobs import KnobError
from playground.protocol import messages
from playground.ui.document import Document
from playground.ui.document_compilations import typed_config
from playground.ui.theme import Theme
from playground.ui.views.code_text import CodeText
from playground.ui.views.compilations import CompilationsPage, moved
from playground.ui.views.compilations_diff import DiffPair
from playground.ui.views.diff_rows import DiffRow, change_heads, changed_span, diff_rows
from playground.ui.views.fits import FitsPage
from playground.ui.views.passes import PassesPage, diff_tints
from playground.ui.views.table_twin import RecordTable
from tests.ui.fake_engine import FakeEngine
from tests.ui.test_views_other import cell, show

# ------------------------------------------------------------------------------ passes


def test_passes_are_recorded_while_looked_at_and_follow_the_config(
    gpu_ran: Document, gpu_engine: FakeEngine, qtbot: QtBot
) -> None:
    page = PassesPage(gpu_ran, Theme())
    assert gpu_engine.requests(messages.GetPasses) == []
    show(page, qtbot)
    table = page.findChild(RecordTable, "compiler.passes")
    qtbot.waitUntil(lambda: table.model().rowCount() == 2)
    assert [cell(table, row, "Pass") for row in range(2)] == ["canonicalize", "tritongpu-coalesce"]
    assert cell(table, 1, "Changed") == "+2 −1"
    page.findChild(QCheckBox, "compiler.passes.only").click()
    assert table.model().rowCount() == 4
    diff = page.findChild(CodeText, "compiler.passes.diff")
    table.setFocus()
    table.selectRow(1)
    assert "+  %a = arith.addi %c, %b : i32" in diff.toPlainText()
    QTest.keyClick(table, Qt.Key.Key_Up)
    assert diff.toPlainText() == "inliner: left the text as it was."
    gpu_ran.set_knob("num_warps", 8)
    qtbot.waitUntil(gpu_ran.compiler.passes.is_current)
    assert len(gpu_engine.requests(messages.GetPasses)) == 2
    page.findChild(QCheckBox, "compiler.passes.llvm").click()
    qtbot.waitUntil(gpu_ran.compiler.passes.is_current)
    assert gpu_engine.requests(messages.GetPasses)[-1].llvm


def test_passes_that_cannot_be_recorded_say_why(
    gpu_ran: Document, gpu_engine: FakeEngine, qtbot: QtBot
) -> None:
    gpu_engine.no_passes = "the kernel does not compile"
    page = PassesPage(gpu_ran, Theme())
    show(page, qtbot)
    empty = page.findChild(QWidget, "compiler.passes.empty")
    qtbot.waitUntil(lambda: "could not be recorded" in empty.text)
    assert "the kernel does not compile" in empty.text
    assert len(gpu_engine.requests(messages.GetPasses)) == 1


def test_a_unified_diff_is_tinted_by_its_signs() -> None:
    assert diff_tints("--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n same\n\\ cut") == {
        0: "diff_filler", 1: "diff_filler", 2: "diff_filler", 3: "diff_removed", 4: "diff_added",
        6: "diff_filler",
    }  # fmt: skip


# ------------------------------------------------------------------------------ aligned rows


def test_rows_of_two_texts_are_aligned_and_cut() -> None:
    left = "\n".join(["a", "old", *"bcdefghij", "gone", "z"])
    right = "\n".join(["a", "new", "more", *"bcdefghij", "z"])
    blocks = (
        Block("equal", 0, 1, 0, 1), Block("replace", 1, 2, 1, 3), Block("equal", 2, 11, 3, 12),
        Block("delete", 11, 12, 12, 12), Block("equal", 12, 13, 12, 13),
    )  # fmt: skip
    rows = diff_rows(left, right, blocks)
    assert len(rows) == 14
    assert rows[1] == DiffRow(2, 2, "old", "new", "replace")
    assert rows[2] == DiffRow(0, 3, "", "more", "replace")
    assert rows[12] == DiffRow(12, 0, "gone", "", "delete")
    assert change_heads(rows) == (1, 12)
    few = diff_rows(left, right, blocks, only_changes=True)
    # Of nine equal lines between two changes three stay on each side.
    assert [row.left_text for row in few[3:10]] == [
        "b", "c", "d", "⋯ 3 equal lines", "h", "i", "j",
    ]  # fmt: skip
    assert few[6].skipped == 3
    assert change_heads(few) == (1, 10)


def test_equal_lines_before_the_first_and_after_the_last_change_are_one_row() -> None:
    text = "\n".join(str(n) for n in range(100))
    (row,) = diff_rows(text, text, (Block("equal", 0, 100, 0, 100),), only_changes=True)
    assert row.skipped == 100


def test_where_two_lines_differ() -> None:
    assert changed_span("num = 4 : i32", "num = 16 : i32") == ((6, 7), (6, 8))
    assert changed_span("aa", "aaa") == ((2, 2), (2, 3))
    assert changed_span("", "new") == ((0, 0), (0, 3))


# ------------------------------------------------------------------------------ two compilations


def test_two_configs_side_by_side(gpu_ran: Document, gpu_engine: FakeEngine, qtbot: QtBot) -> None:
    page = CompilationsPage(gpu_ran, Theme())
    show(page, qtbot)
    empty = page.findChild(QWidget, "compilations.empty")
    # As captured against the config shown is one and the same at first.
    assert "Both sides are the same" in empty.text
    gpu_ran.set_knob("num_warps", 8)
    table = page.findChild(RecordTable, "compilations.table")
    qtbot.waitUntil(table.isVisible)
    assert (cell(table, 0, "Left"), cell(table, 0, "Right")) == ("32", "24")
    assert cell(table, 0, "Change") == "−25.0 %"
    row = next(r for r in range(table.model().rowCount()) if cell(table, r, "Line") == "22")
    assert (cell(table, row, "Left"), cell(table, row, "Right")) == ("18", "9")
    with qtbot.waitSignal(page.sourceLinesMarked) as caught:
        QTest.mouseClick(
            table.viewport(), Qt.MouseButton.LeftButton,
            pos=table.visualRect(table.model().index(row, 0)).center(),
        )  # fmt: skip
    assert caught.args == [(22,)]


def test_a_stage_of_both_is_aligned_and_scrolled_together(
    gpu_ran: Document, gpu_engine: FakeEngine, qtbot: QtBot
) -> None:
    page = CompilationsPage(gpu_ran, Theme())
    show(page, qtbot, 700, 260)
    typed = page.findChild(QComboBox, "compilations.left.what")
    typed.setCurrentIndex(typed.findData("typed"))
    typed.activated.emit(typed.currentIndex())
    field = page.findChild(QLineEdit, "compilations.left.typed")
    assert field.isVisible()
    QTest.keyClicks(field, "BLOCK_SIZE=256")
    QTest.keyClick(field, Qt.Key.Key_Return)
    tabs = page.findChild(QTabBar, "compilations.tabs")
    qtbot.waitUntil(lambda: tabs.count() == 6)
    page.show_stage("ttir")
    qtbot.waitUntil(lambda: page._pair.texts is not None)
    left, right = page._pair.texts
    assert "end = 256" in left.toPlainText()
    assert "end = 1024" in right.toPlainText()
    assert page._pair.changes == 1
    assert page.findChild(QLabel, "compilations.note").text().strip() == "1 change"
    page.findChild(QWidget, "compilations.only").click()
    assert left.blockCount() == right.blockCount() == 13
    right.verticalScrollBar().setValue(2)
    assert left.verticalScrollBar().value() == right.verticalScrollBar().value() == 2
    page.findChild(QWidget, "compilations.next").click()
    # `make_range` and both loads have the block in them; the cursor is where it differs.
    assert right.textCursor().blockNumber() == 4
    assert (
        right.textCursor()
        .block()
        .text()[right.textCursor().positionInBlock() :]
        .startswith("1024 : i32")
    )
    page.findChild(QWidget, "compilations.swap").click()
    state = gpu_ran.compiler.compilations
    qtbot.waitUntil(lambda: not state.running)
    assert state.compared is not None
    assert state.compared.right.config["BLOCK_SIZE"] == 256


def test_lines_begin_at_their_first_column_unless_what_changed_is_far_right(
    qtbot: QtBot,
) -> None:
    left = "\n".join(["near 1", *"abcdefgh", "x" * 300 + " far 1", *"ijklmnop", "near 1"])
    right = left.replace(" 1", " 2")
    blocks = tuple(
        Block("equal" if start % 9 else "replace", start, start + 1, start, start + 1)
        for start in range(19)
    )
    pair = DiffPair(Theme())
    show(pair, qtbot, 500, 300)
    pair.show_diff(messages.StageDiff("ttgir", left, right, blocks), only_changes=False)
    assert pair.texts is not None
    one, other = (text.horizontalScrollBar() for text in pair.texts)
    # As opened, at the change far right, at the last one, and round the end at the first again.
    for begins in (True, False, True, True):
        qtbot.waitUntil(lambda: one.value() == other.value())
        assert (one.value() == 0) is begins
        pair.step(1)


def test_a_side_that_is_not_there_says_what_to_do(gpu_ran: Document, qtbot: QtBot) -> None:
    page = CompilationsPage(gpu_ran, Theme())
    show(page, qtbot)
    what = page.findChild(QComboBox, "compilations.left.what")
    what.setCurrentIndex(what.findData("baseline"))
    what.activated.emit(what.currentIndex())
    empty = page.findChild(QWidget, "compilations.empty")
    qtbot.waitUntil(lambda: "no baseline is pinned: pin one with Ctrl+B" in empty.text)
    gpu_ran.pin_baseline()
    gpu_ran.set_knob("num_warps", 2)
    qtbot.waitUntil(lambda: gpu_ran.compiler.compilations.compared is not None)
    compared = gpu_ran.compiler.compilations.compared
    assert (compared.left.config["num_warps"], compared.right.config["num_warps"]) == (4, 2)


def test_typed_values(gpu_ran: Document) -> None:
    launch, config = gpu_ran.launch, gpu_ran.config
    assert launch is not None
    assert typed_config("num_warps=8, BLOCK_SIZE = 256", launch, config) == config.updated(
        {"num_warps": 8, "BLOCK_SIZE": 256}
    )
    for text, why in (("num_warps", "NAME=VALUE"), ("", "NAME=VALUE"), ("X=1", "no knob"),
                      ("num_warps=3", "power of two")):  # fmt: skip
        with pytest.raises(KnobError, match=why):
            typed_config(text, launch, config)


def test_what_moved_in_words() -> None:
    assert moved(Change("r", 32, 24)) == "−25.0 %"
    assert moved(Change("s", 0, 96, "bytes")) == "+96 B"
    assert moved(Change("s", 4, 4)) == ""
    assert moved(Change("s", None, 4)) == "only on one side"


# ------------------------------------------------------------------------------ every target


def test_every_target_fills_and_a_click_shows_it(
    gpu_ran: Document, gpu_engine: FakeEngine, qtbot: QtBot
) -> None:
    gpu_engine.unfit_targets = {"hip:gfx950": "shared memory 262144 bytes, the target has 65536"}
    page = FitsPage(gpu_ran, Theme())
    show(page, qtbot, 1100)
    table = page.findChild(RecordTable, "compiler.fits")
    assert table.model().rowCount() == 5
    # Facts are there before anything is compiled, with their source.
    assert cell(table, 1, "GPUs") == "NVIDIA H100 SXM, NVIDIA H200"
    assert cell(table, 1, "SMs") == "132"
    tip = table.model().index(1, 1).data(Qt.ItemDataRole.ToolTipRole)
    assert "source:" in tip
    start = page.findChild(QPushButton, "compiler.fits.start")
    assert start.text() == "Compile for 5 targets"
    # A tick taken away by keyboard.
    table.setFocus()
    table.setCurrentIndex(table.model().index(2, 0))
    QTest.keyClick(table, Qt.Key.Key_Space)
    assert start.text() == "Compile for 4 targets"
    start.click()
    qtbot.waitUntil(lambda: not gpu_ran.compiler.fits.running)
    (asked,) = gpu_engine.requests(messages.CompileAll)
    assert asked.targets == ("cuda:80", "cuda:90", "hip:gfx942", "hip:gfx950")
    verdicts = [cell(table, row, "Verdict") for row in range(5)]
    assert verdicts[0] == "fits"
    assert verdicts[2] == "left out"
    assert verdicts[4] == "shared memory 262144 bytes, the target has 65536"
    assert cell(table, 0, "Registers") == "32"
    assert page.findChild(QLabel, "compiler.fits.note").text().strip() == "fits on 3 of 4"
    QTest.mouseClick(
        table.viewport(), Qt.MouseButton.LeftButton,
        pos=table.visualRect(table.model().index(3, 1)).center(),
    )  # fmt: skip
    assert gpu_ran.target == "hip:gfx942"


def test_every_target_says_what_to_do_first(gpu_document: Document, qtbot: QtBot) -> None:
    page = FitsPage(gpu_document, Theme())
    show(page, qtbot)
    assert not page.findChild(QPushButton, "compiler.fits.start").isEnabled()
    assert "F5" in page.findChild(QLabel, "compiler.fits.note").text()


def test_targets_can_be_stopped(gpu_ran: Document, gpu_engine: FakeEngine, qtbot: QtBot) -> None:
    page = FitsPage(gpu_ran, Theme())
    show(page, qtbot)
    gpu_engine.hold = True
    start = page.findChild(QPushButton, "compiler.fits.start")
    start.click()
    assert start.text() == "Stop"
    gpu_engine.release(2)
    assert len(gpu_ran.compiler.fits.fits) == 2
    start.click()
    gpu_engine.hold = False
    gpu_engine.release()
    assert start.text() == "Compile for 5 targets"
    assert len(gpu_ran.compiler.fits.fits) == 2
