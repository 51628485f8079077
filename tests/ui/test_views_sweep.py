"""The sweep panel by mouse and keyboard: set-up, progress, every view of the results."""

from __future__ import annotations

import csv
import io

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from playground.protocol import messages
from playground.ui.document import Document
from playground.ui.theme import Theme
from playground.ui.views.elided import ElidedLabel
from playground.ui.views.sweep import PAGES, SweepView
from playground.ui.views.sweep_picture import SweepPicture
from playground.ui.views.table_twin import RecordTable
from tests.ui.fake_engine import FakeEngine
from tests.ui.sweep_engine import SweepEngine


def show(document: Document, qtbot: QtBot, size: tuple[int, int] = (760, 620)) -> SweepView:
    view = SweepView(document, Theme())
    qtbot.addWidget(view)
    view.resize(*size)
    view.show()
    qtbot.waitExposed(view)
    return view


def sweep(view: SweepView, document: Document, qtbot: QtBot) -> None:
    QTest.mouseClick(view.head.start, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not document.sweep.running)


def click(picture: QWidget, place: QPointF) -> None:
    QTest.mouseMove(picture, place.toPoint())
    QTest.mouseClick(
        picture, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place.toPoint()
    )


def cell(table: RecordTable, row: int, title: str) -> str:
    model = table.model()
    titles = [model.headerData(i, Qt.Orientation.Horizontal) for i in range(model.columnCount())]
    return model.index(row, titles.index(title)).data()


# ------------------------------------------------------------------------------ set-up


def test_the_count_follows_the_fields_and_explains(gpu_ran: Document, qtbot: QtBot) -> None:
    view = show(gpu_ran, qtbot)
    count = view.findChild(QLabel, "sweep.count")
    assert count.text() == "80 configs to try"
    field = view.findChild(QLineEdit, "sweep.values:BLOCK_SIZE")
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, "256, 512")
    # 32 combinations, and the one config of the file's own beside them.
    assert count.text() == "33 configs to try"
    QTest.keyClicks(field, ", 300")
    assert "power of two" in count.text()
    assert field.property("invalid") == "true"
    assert not view.head.start.isEnabled()


def test_edits_survive_another_run(gpu_ran: Document, qtbot: QtBot) -> None:
    view = show(gpu_ran, qtbot)
    view.findChild(QLineEdit, "sweep.values:BLOCK_SIZE").setText("512")
    gpu_ran.run()
    qtbot.waitUntil(lambda: gpu_ran.is_current(gpu_ran.coverage))
    assert view.findChild(QLineEdit, "sweep.values:BLOCK_SIZE").text() == "512"
    view.findChild(QPushButton, "sweep.around").click()
    assert "1024" in view.findChild(QLineEdit, "sweep.values:BLOCK_SIZE").text()


def test_a_wrong_condition_is_underlined_where_it_is_wrong(swept: Document, qtbot: QtBot) -> None:
    view = show(swept, qtbot)
    editor = view.setup.conditions.editor
    editor.setFocus()
    QTest.keyClicks(editor, "BLOCK_M < 100")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    QTest.keyClicks(editor, "num_warps == BLOK")
    (mark,) = editor.extraSelections()
    assert mark.cursor.selectedText() == "BLOK"
    said = view.findChild(QLabel, "sweep.conditionsProblem")
    assert said.isVisible()
    assert said.text().startswith("line 2, column 14: BLOK is no knob")
    for _ in "BLOK":
        QTest.keyClick(editor, Qt.Key.Key_Backspace)
    QTest.keyClicks(editor, "8")
    assert not editor.extraSelections()
    # Half of the 72 have 8 warps, half of those the narrower tile.
    assert view.head.plan.text() == "18 of 72 configs meet the conditions"


def test_sizes_strategy_and_workers_reach_the_request(
    swept: Document, sweep_engine: SweepEngine, qtbot: QtBot
) -> None:
    view = show(swept, qtbot)
    for name in ("m", "n"):
        view.findChild(QLineEdit, f"sweep.size:{name}").setText("512, 1024")
    view.setup.strategy.setCurrentIndex(view.setup.strategy.findData("random"))
    view.setup.strategy.activated.emit(view.setup.strategy.currentIndex())
    view.setup.most.setValue(7)
    view.setup.budget.setValue(20)
    view.setup.workers.count.setValue(2)
    sweep(view, swept, qtbot)
    request = sweep_engine.requests(messages.Sweep)[-1]
    assert request.sizes == ((("m", 512), ("n", 512)), (("m", 1024), ("n", 1024)))
    assert (request.strategy, request.most, request.total_s) == ("random", 7, 20.0)
    assert request.workers.count == 2


def test_who_looks_at_the_panel_has_the_bench_process_started(
    swept: Document, sweep_engine: SweepEngine, qtbot: QtBot
) -> None:
    assert not sweep_engine.requests(messages.PrepareSweep)
    view = show(swept, qtbot)
    assert len(sweep_engine.requests(messages.PrepareSweep)) == 1
    view.findChild(QLineEdit, "sweep.values:BLOCK_M").setText("64")
    assert len(sweep_engine.requests(messages.PrepareSweep)) == 1


# ------------------------------------------------------------------------------ running


def test_verbs_while_it_runs(swept: Document, sweep_engine: SweepEngine, qtbot: QtBot) -> None:
    view = show(swept, qtbot)
    qtbot.waitUntil(lambda: not sweep_engine._queue)
    sweep_engine.hold = True
    QTest.mouseClick(view.head.start, Qt.MouseButton.LeftButton)
    sweep_engine.release(1)
    qtbot.waitUntil(lambda: view.ranking.table.model().rowCount() == 36)
    assert view.page == "ranking"  # from the set-up to what comes in
    assert view.head.start.text() == "Cancel"
    assert view.head.summary.text().startswith("36 of 72 configs, about 1.5 s left · Best ")
    QTest.mouseClick(view.head.pause, Qt.MouseButton.LeftButton)
    assert view.head.pause.text() == "Go on"
    qtbot.waitUntil(lambda: "paused" in view.head.summary.text())
    QTest.mouseClick(view.head.start, Qt.MouseButton.LeftButton)
    sweep_engine.hold = False
    sweep_engine._schedule()
    qtbot.waitUntil(lambda: not swept.sweep.running)
    assert view.head.resume.isVisible()
    QTest.mouseClick(view.head.resume, Qt.MouseButton.LeftButton)
    assert sweep_engine.requests(messages.Sweep)[-1].resume
    qtbot.waitUntil(lambda: not swept.sweep.running)
    assert not view.head.resume.isVisible()


def test_the_ranking_is_filtered_and_a_row_is_applied(
    gpu_ran: Document, gpu_engine: FakeEngine, qtbot: QtBot, qapp: QApplication
) -> None:
    gpu_ran.sweep.set_choice(source="values")
    view = show(gpu_ran, qtbot)
    gpu_engine.wrong_configs.add(gpu_ran.config.updated({"BLOCK_SIZE": 256, "num_warps": 2}))
    sweep(view, gpu_ran, qtbot)
    table = view.ranking.table
    assert table.model().rowCount() == 80
    best = gpu_ran.sweep.best()
    assert view.head.summary.text().startswith("Best ")
    assert best.config.label() in view.head.summary.text()
    assert "20 do not fit" in view.head.details.text()
    assert table.record_at(0).config == best.config  # the fastest first
    assert {cell(table, row, "Status") for row in range(80)} == {
        "correct", "wrong", "does not fit",
    }  # fmt: skip
    view.ranking.filter.setText("num_warps == 8 and ms < 1")
    assert {cell(table, row, "num_warps") for row in range(table.model().rowCount())} == {"8"}
    view.ranking.filter.setText("num_wraps == 8")
    assert "num_wraps is no knob" in view.findChild(QLabel, "sweep.filterProblem").text()
    assert table.model().rowCount() == 80
    view.ranking.filter.setText("shared memory")
    assert table.model().rowCount() == 20
    view.ranking.filter.clear()
    view.ranking._choices["resources"].setChecked(False)
    assert table.model().rowCount() == 60
    assert view.ranking.statuses.text() == "60 of 80"
    table.selectRow(0)
    QTest.keyClick(table, Qt.Key.Key_Return)
    assert gpu_ran.config == best.config


def test_the_interpreter_ranks_nothing(ran: Document, qtbot: QtBot) -> None:
    ran.sweep.start_values({"BLOCK_SIZE": (512, 1024)})
    view = show(ran, qtbot)
    assert "nothing is ranked by time" in view.findChild(QWidget, "sweep.notice").text
    qtbot.waitUntil(lambda: not ran.sweep.running)
    view.show_view("ranking")
    model = view.ranking.table.model()
    titles = [model.headerData(i, Qt.Orientation.Horizontal) for i in range(model.columnCount())]
    assert "Median" not in titles
    assert "Best" not in view.head.summary.text()
    for name in ("heat", "parallel", "importance", "convergence"):
        view.show_view(name)  # without times each says so, or shows what is right


# ------------------------------------------------------------------------------ pictures


def made(swept: Document, qtbot: QtBot) -> SweepView:
    """Return a panel whose sweep has ended; no fixture, which would outlive what it is of."""
    view = show(swept, qtbot)
    sweep(view, swept, qtbot)
    return view


def test_a_cell_of_the_heat_map_sets_the_sliders(swept: Document, qtbot: QtBot) -> None:
    panel = made(swept, qtbot)
    panel.show_view("heat")
    heat = panel.heat
    heat.across.setCurrentText("BLOCK_N")
    heat.upwards.setCurrentText("BLOCK_M")
    heat.across.activated.emit(heat.across.currentIndex())
    at = heat.picture.grid.xs.index(256), heat.picture.grid.ys.index(128)
    place = heat.picture.cell_rect(at[1], at[0]).center()
    assert heat.picture.row_at(place).config == swept.sweep.best().config
    click(heat.picture, place)
    assert swept.config == swept.sweep.best().config
    # A slice: only configs with that value.
    warps = heat.findChild(QComboBox, "sweep.heat.slice:num_warps")
    warps.setCurrentText("4")
    warps.activated.emit(warps.currentIndex())
    assert all(
        found.best is None or found.best.config["num_warps"] == 4
        for row in heat.picture.grid.cells
        for found in row
    )
    assert "num_warps=4" in panel.findChild(ElidedLabel, "sweep.said").text()


def test_lines_are_picked_and_ranges_keep_what_passes(swept: Document, qtbot: QtBot) -> None:
    panel = made(swept, qtbot)
    panel.show_view("parallel")
    lines = panel.parallel
    assert lines.axes == ("BLOCK_M", "BLOCK_N", "BLOCK_K", "num_warps", "num_stages", "time")
    xs = lines._xs()
    top = QPointF(float(xs[-1]), float(lines._y(lines._heights[-1, -1])))
    assert lines.row_at(top).config == swept.sweep.best().config
    # Only the upper half of the first axis: the wider tile.
    area = lines._area()
    start = QPoint(round(xs[0]), round(area.top()))
    end = QPoint(round(xs[0]), round(area.center().y()))
    QTest.mousePress(lines, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, start)
    QTest.mouseMove(lines, end)
    QTest.mouseRelease(lines, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, end)
    assert {row.config["BLOCK_M"] for row in lines.rows_in_order()} == {128}
    click(lines, QPointF(start))
    assert len(lines.rows_in_order()) == 72
    lines.setFocus()
    QTest.keyClick(lines, Qt.Key.Key_Down)
    QTest.keyClick(lines, Qt.Key.Key_Return)
    assert swept.config == swept.sweep.best().config


def test_a_value_of_a_knob_is_picked(swept: Document, qtbot: QtBot) -> None:
    panel = made(swept, qtbot)
    panel.show_view("importance")
    bars = panel.importance
    index = [knob.name for knob in bars.found.knobs].index("num_warps")
    place, value = bars._chips(index)[0]
    assert value.value == 4
    click(bars, place.center())
    assert swept.config == value.best.config
    assert swept.config["num_warps"] == 4
    assert "ε²" in panel.findChild(ElidedLabel, "sweep.said").text()


def test_a_point_of_the_best_so_far_is_picked(swept: Document, qtbot: QtBot) -> None:
    panel = made(swept, qtbot)
    panel.show_view("convergence")
    plot = panel.convergence
    best = plot.found.points[-1]
    point = next(p for p in plot.points.points() if p.data() is best)
    plot._on_click(plot.points, [point], None)
    assert swept.config == best.row.config
    said = panel.findChild(ElidedLabel, "sweep.said").text()
    near = plot.found.within(0.02)
    assert said.startswith(f"Within 2 % of the best after {near.measured} of 64 timed configs")
    panel._by.button("seconds").click()
    assert plot.by_seconds
    assert plot.points.getData()[0][0] == pytest.approx(plot.found.points[0].at_s)


def test_every_picture_has_a_table_twin_and_csv(
    swept: Document, qtbot: QtBot, qapp: QApplication, tmp_path
) -> None:
    panel = made(swept, qtbot)
    for name in ("heat", "parallel", "convergence"):
        panel.show_view(name)
        panel._actions.show_table(True)
        assert panel.ranking.table.isVisible(), name
        panel._actions.copy_csv()
        rows = list(csv.reader(io.StringIO(qapp.clipboard().text())))
        assert len(rows) == 73
        panel._actions.show_table(False)
        assert panel._actions.save_svg(str(tmp_path / f"{name}.svg"))
    panel.show_view("importance")
    panel._actions.show_table(True)
    panel._actions.copy_csv()
    rows = list(csv.DictReader(io.StringIO(qapp.clipboard().text())))
    # 2 + 3 + 2 + 2 + 3 values of the knobs that differ.
    assert len(rows) == 12
    best = [row for row in rows if float(row["Slower"]) == 1.0]
    assert {row["Knob"] for row in best} == set(panel._scene.knobs)
    assert panel.findChild(RecordTable, "sweep.knobsTable").isVisible()


def test_sizes_side_by_side(swept: Document, qtbot: QtBot) -> None:
    view = show(swept, qtbot)
    for name in ("m", "n", "k"):
        swept.sweep.set_size(name, "1024, 4096")
    sweep(view, swept, qtbot)
    parts = view.findChild(QComboBox, "sweep.part")
    assert [parts.itemText(i) for i in range(2)] == ["m=n=k=1024", "m=n=k=4096"]
    view.show_view("sizes")
    first = view.sizes.candidates[0]
    assert "best on average" in first.titles
    assert first.found.losses[0][0] == (("m", 1024), ("n", 1024), ("k", 1024))
    click(view.sizes, view.sizes._cell(1, 0).center())
    assert swept.config == view.sizes.candidates[1].config
    assert "One best for all" in view.findChild(ElidedLabel, "sweep.said").text()
    view._actions.show_table(True)
    table = view.findChild(RecordTable, "sweep.sizesTable")
    assert table.isVisible()
    assert cell(table, 0, "m=n=k=1024") == "best"


# ------------------------------------------------------------------------------ the store


def test_past_sweeps_are_opened_and_compared(swept: Document, qtbot: QtBot) -> None:
    view = show(swept, qtbot)
    view.show_view("past")
    qtbot.waitUntil(lambda: view.past.table.model().rowCount() == 3)
    view.past.table.selectRow(1)
    assert view.past._go_on.isEnabled()  # it was cut short
    view.past.table.selectRow(2)
    assert not view.past._go_on.isEnabled()
    QTest.mouseClick(view.past._compare, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: swept.sweep.past.comparison is not None)
    assert view.page == "compare"
    said = view.findChild(ElidedLabel, "sweep.compare.said").text()
    assert "faster" in said
    assert "timed in both" in said
    assert "triton 3.9.0 → 3.6.0" in view.findChild(ElidedLabel, "sweep.compare.differs").text()
    plot = view.compare.plot
    change = plot.points.points()[-1].data()
    plot._on_click(plot.points, [plot.points.points()[-1]], None)
    assert swept.config == change.config
    view._actions.show_table(True)
    assert view.compare.table.isVisible()
    assert view.compare.model.as_csv().startswith("Change,Time,")
    QTest.mouseClick(view.compare._swap, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: swept.sweep.past.comparison.mean > 1)


def test_one_sweep_is_opened_by_a_double_click(swept: Document, qtbot: QtBot) -> None:
    view = show(swept, qtbot)
    view.show_view("past")
    qtbot.waitUntil(lambda: view.past.table.model().rowCount() == 3)
    view.past.table.selectRow(2)
    QTest.keyClick(view.past.table, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: swept.sweep.opened is not None)
    assert view.page == "ranking"
    assert view.head.summary.text().startswith("Sweep 3 of ")


def test_exports_are_offered_where_they_make_sense(swept: Document, qtbot: QtBot) -> None:
    panel = made(swept, qtbot)
    exports = panel.head.exports
    exports.show_choices()
    on = [action.isEnabled() for action in exports.menu().actions() if action.text()]
    # Frozen, tuner and T4; tables by size need several sizes.
    assert on == [True, True, False, True, False]
    exported: list[messages.Exported] = []
    swept.exported.connect(exported.append)
    exports._t4.trigger()
    qtbot.waitUntil(lambda: bool(exported))
    assert exported[0].suggested_name == "sweep.t4.json"


def test_every_picture_names_what_it_shows(swept: Document, qtbot: QtBot) -> None:
    panel = made(swept, qtbot)
    for name, _, _ in PAGES:
        if name != "sizes":
            panel.show_view(name)
    for picture in panel.findChildren(SweepPicture):
        assert picture.accessibleName()
        if picture is not panel.sizes:
            assert picture.accessibleDescription() or picture is panel.parallel


def test_the_theme_may_change_at_any_time(swept: Document, qtbot: QtBot) -> None:
    panel = made(swept, qtbot)
    for name, _, _ in PAGES:
        panel.show_view(name)
        panel._theme.toggle()
