"""Compare: rivals, the verdict on the noise band, more rounds, what goes wrong."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QLabel,
    QPushButton,
    QSpinBox,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from playground.protocol import messages
from playground.protocol.timing import Compare
from playground.ui.document import Document
from playground.ui.document_timing import Rival
from playground.ui.settings import Settings
from playground.ui.theme import Theme
from playground.ui.views.chips import Chip
from playground.ui.views.compare import CompareView
from playground.ui.views.ratio_gauge import RatioGauge
from tests.ui.fake_engine import FakeEngine
from tests.ui.fake_timing import ROUNDS

KEPT: list[CompareView] = []


def show(document: Document, qtbot: QtBot) -> CompareView:
    view = CompareView(document, Theme())
    # qtbot only refers to it weakly: painted once more after the test, it could be collected then.
    KEPT.append(view)
    qtbot.addWidget(view, before_close_func=lambda _view: KEPT.clear())
    view.resize(560, 480)
    view.show()
    qtbot.waitExposed(view)
    return view


def settle(document: Document, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: document.timing.comparing is None)


def verdict(view: CompareView) -> Chip:
    return view.findChild(Chip, "compare.verdict")


def typed(view: CompareView, code: str) -> None:
    view.chooser.choose("expression")
    view.chooser.expression.edit.clear()
    QTest.keyClicks(view.chooser.expression.edit, code)
    QTest.keyClick(view.chooser.expression.edit, Qt.Key.Key_Return)


def test_without_a_gpu_it_says_why_and_what_works(ran: Document, qtbot: QtBot) -> None:
    view = show(ran, qtbot)
    empty = view.findChild(QWidget, "compare.empty")
    assert empty.isVisible()
    assert "says nothing about a GPU" in empty.text
    assert "roofline" in empty.text
    view.start()
    assert ran.timing.comparing is None


def test_the_baseline_is_compared_with_once_there_is_one(
    gpu_ran: Document, gpu_engine: FakeEngine, qtbot: QtBot
) -> None:
    view = show(gpu_ran, qtbot)
    start = view.findChild(QPushButton, "compare.start")
    assert not start.isEnabled()
    assert "Ctrl+B" in view.findChild(QLabel, "compare.baseline").text()
    gpu_ran.pin_baseline()
    pinned = gpu_ran.config
    assert view.findChild(QLabel, "compare.baseline").text() == pinned.label()
    gpu_ran.set_knob("num_warps", 8)
    start.click()
    assert start.text() == "Cancel"
    settle(gpu_ran, qtbot)
    (request,) = gpu_engine.requests(Compare)
    assert (request.config, request.against, request.cache) == (gpu_ran.config, pinned, "cold")
    comparison = gpu_ran.timing.comparison
    assert comparison.verdict == "slower"
    assert verdict(view).text.startswith("slower: +")
    assert verdict(view).tone == "bad"
    who = view.findChild(QLabel, "compare.who").text()
    assert who == "num_warps=8 against num_warps=4"
    assert view.findChild(QLabel, "compare.method").text() == (
        f"{ROUNDS} interleaved rounds · CUPTI kernel records, cold L2"
    )
    gauge = view.findChild(RatioGauge, "compare.gauge")
    assert "differences under ±0.4 % mean nothing" in gauge.accessibleName()
    assert comparison.text() in view.plot.accessibleDescription()
    assert gpu_ran.timing.floor(0, "cold") == comparison.floor
    gpu_ran.set_knob("num_warps", 4)
    assert view.findChild(QLabel, "compare.who").text().startswith("not of the knobs as they stand")


def test_a_typed_expression_is_remembered(
    gpu_ran: Document, gpu_engine: FakeEngine, qtbot: QtBot
) -> None:
    view = show(gpu_ran, qtbot)
    typed(view, "torch.add(x_ptr, y_ptr)")
    settle(gpu_ran, qtbot)
    (request,) = gpu_engine.requests(Compare)
    assert (request.against, request.expression) == (None, "torch.add(x_ptr, y_ptr)")
    assert gpu_ran.timing.comparison.verdict == "faster"
    assert verdict(view).tone == "good"
    typed(view, "same")
    settle(gpu_ran, qtbot)
    assert gpu_ran.timing.comparison.verdict == "same"
    assert gpu_ran.timing.expressions == ("same", "torch.add(x_ptr, y_ptr)")
    box = view.chooser.expression
    assert [box.itemText(row) for row in range(box.count())] == list(gpu_ran.timing.expressions)


def test_names_of_the_arguments_are_offered(gpu_ran: Document, qtbot: QtBot) -> None:
    view = show(gpu_ran, qtbot)
    view.chooser.choose("expression")
    edit = view.chooser.expression.edit
    QTest.keyClicks(edit, "torch.add(x")
    assert edit.offered() == ["x_ptr"]
    assert edit._list.isVisible()
    QTest.keyClick(edit, Qt.Key.Key_Tab)
    assert edit.text() == "torch.add(x_ptr"
    assert "out_ptr" in edit.placeholderText()


def test_the_budget_is_chosen_beside_measuring_more(
    gpu_ran: Document, gpu_engine: FakeEngine, qtbot: QtBot
) -> None:
    view = show(gpu_ran, qtbot)
    budget = view.findChild(QComboBox, "compare.budget")
    assert budget.currentText() == "1 s"
    budget.setCurrentIndex(budget.findText("5 s"))
    budget.activated.emit(budget.currentIndex())
    typed(view, "reference + 0")
    settle(gpu_ran, qtbot)
    assert gpu_engine.requests(Compare)[-1].budget_ms == 5000
    budget.setCurrentIndex(budget.findText("0.25 s"))
    budget.activated.emit(budget.currentIndex())
    view.findChild(QPushButton, "compare.more").click()
    settle(gpu_ran, qtbot)
    assert gpu_engine.requests(Compare)[-1].budget_ms == 250
    gpu_ran.timing.set_budget(750.0)
    assert budget.currentText() == "0.75 s"


def test_more_rounds_are_added(gpu_ran: Document, gpu_engine: FakeEngine, qtbot: QtBot) -> None:
    view = show(gpu_ran, qtbot)
    more = view.findChild(QPushButton, "compare.more")
    assert not more.isEnabled()
    typed(view, "reference + 0")
    settle(gpu_ran, qtbot)
    first = gpu_ran.timing.comparison
    gpu_ran.set_knob("num_warps", 8)
    more.click()
    settle(gpu_ran, qtbot)
    request = gpu_engine.requests(Compare)[-1]
    assert request.more is first
    assert request.config == gpu_engine.requests(Compare)[0].config
    assert gpu_ran.timing.comparison.rounds == 2 * first.rounds


def test_other_files_and_the_reference(
    gpu_ran: Document, gpu_engine: FakeEngine, qtbot: QtBot
) -> None:
    view = show(gpu_ran, qtbot)
    start = view.findChild(QPushButton, "compare.start")
    view.chooser.choose("file")
    assert not start.isEnabled()
    view.chooser.path.setText("other.py")
    view.findChild(QSpinBox, "compare.launch").setValue(2)
    start.click()
    settle(gpu_ran, qtbot)
    assert gpu_engine.requests(Compare)[-1].expression == "other.py:2"
    view.chooser.choose("reference")
    start.click()
    settle(gpu_ran, qtbot)
    assert gpu_engine.requests(Compare)[-1].expression == "reference"
    assert gpu_ran.timing.expressions == ()


def test_what_cannot_be_compared_says_why(
    gpu_ran: Document, gpu_engine: FakeEngine, qtbot: QtBot
) -> None:
    view = show(gpu_ran, qtbot)
    gpu_engine.compare_refusal = "the expression runs nothing on the GPU"
    typed(view, "1 + 1")
    settle(gpu_ran, qtbot)
    notice = view.findChild(QWidget, "compare.problem")
    assert notice.isVisible()
    assert notice.text == "the expression runs nothing on the GPU: type another expression"
    gpu_engine.compare_refusal = ""
    typed(view, "same")
    settle(gpu_ran, qtbot)
    assert not notice.isVisible()


def test_cancelling_keeps_what_was_there(
    gpu_ran: Document, gpu_engine: FakeEngine, qtbot: QtBot
) -> None:
    view = show(gpu_ran, qtbot)
    typed(view, "same")
    settle(gpu_ran, qtbot)
    before = gpu_ran.timing.comparison
    gpu_engine.hold = True
    typed(view, "reference * 1")
    view.findChild(QPushButton, "compare.start").click()
    gpu_engine.hold = False
    gpu_engine.release()
    settle(gpu_ran, qtbot)
    assert gpu_ran.timing.comparison is before
    assert gpu_engine.requests(messages.Cancel)


def test_a_new_run_forgets_and_a_dead_engine_ends_it(
    gpu_ran: Document, gpu_engine: FakeEngine, qtbot: QtBot
) -> None:
    view = show(gpu_ran, qtbot)
    typed(view, "same")
    settle(gpu_ran, qtbot)
    gpu_engine.hold = True
    typed(view, "reference * 1")
    assert gpu_ran.timing.comparing is not None
    gpu_engine.hold = False
    gpu_engine.crash()
    assert gpu_ran.timing.comparing is None
    assert gpu_ran.timing.comparison is None
    assert verdict(view).text == "not compared yet"


def test_table_twin_and_csv(gpu_ran: Document, qtbot: QtBot, qapp: QApplication) -> None:
    view = show(gpu_ran, qtbot)
    typed(view, "same")
    settle(gpu_ran, qtbot)
    QTest.mouseClick(view.findChild(QToolButton, "compare.showTable"), Qt.MouseButton.LeftButton)
    table = view.findChild(QWidget, "compare.table")
    assert table.isVisible()
    assert table.model().rowCount() == ROUNDS
    comparison = gpu_ran.timing.comparison
    lines = view._as_csv().splitlines()
    assert lines[0] == f"this,{comparison.a}"
    assert lines[4] == "Round,This (ms),Other (ms),This / other"
    assert float(lines[5].split(",")[3]) == comparison.a_ms[0] / comparison.b_ms[0]


@pytest.mark.parametrize(("ratio", "reach"), [(1.004, 0.01), (1.03, 0.05), (0.4, 3.0), (1e4, 99.0)])
def test_the_gauge_has_few_axes(qtbot: QtBot, ratio: float, reach: float) -> None:
    gauge = RatioGauge("gauge", Theme())
    qtbot.addWidget(gauge)
    gauge.show_ratio((ratio, ratio, ratio), 0.002, "as fast")
    assert gauge.reach == reach
    gauge.grab()


def test_late_rounds_stand_at_the_edge(gpu_ran: Document, qtbot: QtBot) -> None:
    view = show(gpu_ran, qtbot)
    gpu_ran.timing.compare(Rival(expression="same"))
    settle(gpu_ran, qtbot)
    view._theme.set_name("dark")
    change = [a / b - 1 for a, b in zip(*_times(gpu_ran), strict=True)]
    low, high = (value / 100 for value in view.plot.viewRange()[1])
    assert sum(not low <= value <= high for value in change) <= view.plot.beyond


def _times(document: Document) -> tuple[tuple[float, ...], tuple[float, ...]]:
    comparison = document.timing.comparison
    return comparison.a_ms, comparison.b_ms


def test_expressions_are_kept_in_the_settings(tmp_path: object) -> None:
    settings = Settings(tmp_path / "window.ini")
    assert settings.expressions == []
    settings.expressions = ["torch.add(x, y)"]
    settings.flush()
    assert Settings(tmp_path / "window.ini").expressions == ["torch.add(x, y)"]
    settings.expressions = ["a", "b"]
    assert settings.expressions == ["a", "b"]
