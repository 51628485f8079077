"""How lines access memory, beside them: figures, hazards, and one click to the map or the line."""

from __future__ import annotations

from contextlib import contextmanager

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTableView, QTreeWidget

from playground.model.access_site import AccessSite
from playground.model.config import Config
from playground.model.coverage import Coverage, OutOfBounds
from playground.model.finding import Finding
from playground.model.hazard import Hazard, HazardPlace
from playground.model.resources import kernels_dir
from playground.protocol import messages
from playground.ui.access_text import (
    LineAccess,
    efficiency_text,
    hazard_text,
    plain,
    reread_text,
    share_text,
    site_sentence,
    tooltip,
)
from playground.ui.coverage_places import MapPlace, place_of
from playground.ui.editor.access_columns import AccessColumns
from playground.ui.theme import Theme
from tests.ui.windows import open_window


def site(**changed) -> AccessSite:
    figures = {
        "kind": "load", "line": 22, "file": "", "tensors": ("x_ptr",), "lanes": 1000,
        "active": 750, "bytes_requested": 3000, "bytes_looked_at": 3000, "bytes_unique": 375,
        "requests": 24, "sectors": 400, "sectors_least": 100, "executions": 8,
        "programs_looked_at": 8,
    }  # fmt: skip
    return AccessSite(**{**figures, **changed})


def race(**changed) -> Hazard:
    place = HazardPlace("store", 24, "")
    figures = {
        "kind": "writes differ", "tensor": "out_ptr", "elements": 7, "first": (1030,),
        "programs": (1, 2), "places": (place,),
    }  # fmt: skip
    return Hazard(**{**figures, **changed})


def test_figures_in_words():
    one = site()
    assert (efficiency_text(one), reread_text(one)) == ("25 %", "×8")
    assert site_sentence(one) == (
        "load x_ptr: 2.93 KiB, 25 % of the 400 sectors needed (100 would do), "
        "each byte asked for ×8, 25 % of its lanes masked off"
    )
    uneven = site(bytes_unique=1307)
    assert (reread_text(uneven), reread_text(uneven, 2)) == ("×2.30", "×2.3")
    nothing = site(sectors=0, sectors_least=0, bytes_unique=0, bytes_looked_at=0)
    assert (efficiency_text(nothing), reread_text(nothing)) == ("–", "–")
    # Never rounded to all or nothing.
    assert [share_text(x) for x in (0.0, 1.0, 0.9999, 0.00001, 0.5)] == [
        "0 %", "100 %", "99.9 %", "0.1 %", "50 %",
    ]  # fmt: skip


def test_several_sites_on_a_line_count_together():
    both = LineAccess((site(), site(sectors=100, sectors_least=100, bytes_unique=1125)))
    assert both.efficiency == pytest.approx(200 / 500)
    assert both.reread_factor == pytest.approx(6000 / 1500)


def test_a_hazard_names_its_programs_and_what_to_do():
    said = hazard_text(race())
    assert said == (
        "a race: programs store different values: 7 elements of out_ptr, the first at [1030], "
        "by programs 1 and 2"
    )
    assert "unless its atomics" in hazard_text(race(ordered=True))
    tip = tooltip(LineAccess((site(),), (race(),)), "#ff0000", "old")
    for part in ("#ff0000", "programs 1 and 2", "use an atomic", "25 %", "all 8 programs", "old"):
        assert part in tip
    sampled = tooltip(LineAccess((site(sampled=True, programs_looked_at=64),)), "#ff0000")
    assert "a sample of 64 programs" in sampled
    assert plain(LineAccess((), (race(kind="unwritten read", programs=(3,)),))).endswith(
        "by program 3"
    )
    assert LineAccess((), (race(kind="writes agree"),)).gravity == "muted"
    assert LineAccess((), (race(ordered=True),)).gravity == "warn"
    assert LineAccess((), (race(ordered=True), race())).gravity == "bad"


def test_a_column_is_as_wide_as_what_the_file_has_and_gone_without(qapp):
    columns, metrics = AccessColumns(Theme()), QFontMetrics(qapp.font())
    text = metrics.horizontalAdvance
    widths = []
    for lines in (
        {},
        {1: LineAccess((), (race(),))},
        {1: LineAccess((site(sectors=100, bytes_unique=3000),))},
        {1: LineAccess((site(bytes_unique=1307),))},
        {1: LineAccess((site(bytes_unique=1307),), (race(),))},
    ):
        columns.set_lines(lines)
        widths.append(columns.width_px(metrics))
    none, mark, plain_load, reread, both = widths
    gaps = metrics.height() // 4 + metrics.height() // 3
    assert none == 0
    assert mark == metrics.height() + metrics.height() // 4
    assert plain_load == text("100%") + text("×1") + gaps
    assert reread == text("25%") + text("×2.3") + gaps
    assert both == reread + metrics.height()


def test_the_place_of_a_finding():
    beyond = OutOfBounds("x_ptr", "load", 96, 5, 5, 22, "f.py")
    empty = Coverage(0, Config(), (97, 1, 1), (), 0, 0, 0, (beyond,), "gpu", 1.0)
    coverage = Coverage(
        0, Config(), (97, 1, 1), (), 0, 0, 0, (beyond,), "gpu", 1.0, hazards=(race(),)
    )
    outside = Finding("error", "coverage", "k: load outside x_ptr: 5 lanes", line=22)
    assert place_of(outside, empty) == MapPlace("x_ptr", (), (96,))
    racing = Finding("warning", "coverage", "k: a race in out_ptr", line=24)
    assert place_of(racing, coverage) == MapPlace("out_ptr", (1030,), (1, 2))
    later = race(first=(2050,), programs=(2, 3))
    two = Coverage(0, Config(), (97, 1, 1), (), 0, 0, 0, (), "gpu", 1.0, hazards=(race(), later))
    second = Finding("error", "coverage", "k: 7 of out_ptr, the first at [2050]", line=24)
    assert place_of(second, two) == MapPlace("out_ptr", (2050,), (2, 3))
    assert place_of(Finding("error", "compile", "out_ptr", line=24), coverage) is None
    assert place_of(racing, None) is None


@contextmanager
def vector_add(tmp_path, qapp, qtbot):
    """The window on a vector add with a race; within the test, as a fixture would outlive it."""
    with open_window(tmp_path, qapp, path=kernels_dir() / "vector_add.py", views=True) as window:
        window.engine.hazards = (window.engine.race(),)
        window.document.run()
        qtbot.waitUntil(lambda: window.document.is_current(window.document.coverage))
        qtbot.waitUntil(lambda: window.editor.gutter.access.shown)
        yield window


def access_spot(window, line):
    gutter = window.editor.gutter
    window.editor.go_to(line)
    top = next(t for block, t in window.editor.visible_blocks() if block.blockNumber() + 1 == line)
    return QPoint(gutter.width() - 6, top + 3)


def test_the_margin_shows_sites_and_hazards_by_line(tmp_path, qapp, qtbot):
    with vector_add(tmp_path, qapp, qtbot) as window:
        gutter = window.editor.gutter
        assert gutter.accessibleName().endswith("memory accesses")
        assert gutter.access.at(22).sites[0].tensors == ("x_ptr",)
        assert gutter.access.at(24).hazards == window.engine.hazards
        tip = gutter.tip(22, gutter.width() - 4)
        assert "load x_ptr" in tip
        assert "100 %" in tip
        # Over the line's number it is what the compiler made of it that is told.
        assert "load x_ptr" not in gutter.tip(22, gutter._numbers_px() - 8)
        width = gutter.width()
        window.actions_table["view.accessMargin"].trigger()
        assert gutter.width() < width
        assert not window.settings.access_margin


def test_the_margin_follows_edits_and_says_when_it_is_old(tmp_path, qapp, qtbot):
    with vector_add(tmp_path, qapp, qtbot) as window:
        window.editor.go_to(1)
        QTest.keyClick(window.editor, Qt.Key.Key_Home)
        QTest.keyClick(window.editor, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: window.editor.gutter.access.at(25) is not None)
        gutter = window.editor.gutter
        assert "as it was run last" in gutter.tip(23, gutter.width() - 4)
        # A line that was changed has nothing any more.
        window.editor.go_to(23)
        QTest.keyClick(window.editor, Qt.Key.Key_End)
        QTest.keyClicks(window.editor, "+1")
        qtbot.waitUntil(lambda: gutter.access.at(23) is None)


def test_a_click_on_a_hazard_shows_it_in_the_map(tmp_path, qapp, qtbot):
    with vector_add(tmp_path, qapp, qtbot) as window:
        gutter = window.editor.gutter
        QTest.mouseClick(gutter, Qt.MouseButton.LeftButton, pos=access_spot(window, 24))
        programs = window.document.programs
        assert programs.chosen == (1, 2)
        view = window.docks.views["coverage"]
        assert view.tensor.name == "out_ptr"
        # Element 1030 of a tensor folded into rows of 512 is at row 2, column 6.
        qtbot.waitUntil(lambda: view.canvas.hover == (2, 6))
        assert view.canvas.visible().contains(6, 2)
        assert window.editor.textCursor().blockNumber() == 23
        QTest.mouseClick(gutter, Qt.MouseButton.LeftButton, pos=access_spot(window, 22))
        assert view.tensor.name == "x_ptr"
        # The same by the keyboard, for the line at the cursor.
        window.editor.go_to(23)
        window.actions_table["programs.line"].trigger()
        assert view.tensor.name == "y_ptr"


def test_one_click_on_a_finding_goes_to_the_line_and_the_map(tmp_path, qapp, qtbot):
    with vector_add(tmp_path, qapp, qtbot) as window:
        document = window.document
        finding = Finding("error", "coverage", "add_kernel: a race in out_ptr", line=24)
        document.set_findings("coverage", (finding,))
        window.docks.show("findings")
        window.docks["compiler"].raise_()
        tree = window.findChild(QTreeWidget, "findings.list")
        item = next(
            tree.topLevelItem(row)
            for row in range(tree.topLevelItemCount())
            if "race in out_ptr" in tree.topLevelItem(row).text(0)
        )
        rect = tree.visualItemRect(item)
        QTest.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=rect.center())
        assert window.editor.textCursor().blockNumber() == 23
        assert document.programs.chosen == (1, 2)
        assert window.docks.views["coverage"].isVisible()
        qtbot.waitUntil(lambda: bool(window.engine.requests(messages.GetProgram)))


def test_a_row_of_the_sites_goes_to_its_line(tmp_path, qapp, qtbot):
    with vector_add(tmp_path, qapp, qtbot) as window:
        view = window.docks.views["coverage"]
        window.docks.show("coverage")
        view._actions.show_table(True)
        table = view.findChild(QTableView, "coverage.sites")
        assert [table.model().index(0, column).data() for column in range(5)] == [
            "22", "load", "x_ptr", "100 %", "×1",
        ]  # fmt: skip
        cell = table.visualRect(table.model().index(1, 2))
        QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=cell.center())
        assert window.editor.textCursor().blockNumber() == 22
        assert view.tables.sites_csv().splitlines()[3].startswith("24,store,out_ptr,1.0")


def test_actions_step_through_programs(tmp_path, qapp, qtbot):
    with vector_add(tmp_path, qapp, qtbot) as window:
        programs = window.document.programs
        window.actions_table["programs.next"].trigger()
        assert programs.chosen == (0,)
        window.actions_table["programs.next"].trigger()
        window.actions_table["programs.previous"].trigger()
        assert programs.chosen == (0,)
        window.actions_table["programs.steps"].trigger()
        qtbot.waitUntil(lambda: programs.steps.count == 3)
        window.actions_table["coverage.arrange"].trigger()
        assert window.settings.coverage_arrangement == "all"
