"""The advisor's panel: its order, evidence, tries that are measured and undone, stale advice."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from playground.model.advice import TryResult
from playground.protocol import messages
from playground.ui.document import Document
from playground.ui.theme import Theme
from playground.ui.views.advice_card import AdviceCard
from playground.ui.views.advisor import AdvisorView
from playground.ui.views.chips import Chip
from tests.ui.fake_advice import EDIT, KNOBS

TEXT = "first\nsecond\nthird\nfourth\n"


@pytest.fixture
def view(gpu_ran: Document, qtbot: QtBot) -> AdvisorView:
    gpu_ran.set_text(TEXT)
    gpu_ran.run()
    qtbot.waitUntil(lambda: gpu_ran.is_current(gpu_ran.coverage))
    gpu_ran.set_knob("BLOCK_SIZE", 32)
    qtbot.waitUntil(lambda: gpu_ran.is_current(gpu_ran.coverage))
    made = AdvisorView(gpu_ran, Theme())
    qtbot.addWidget(made)
    made.resize(600, 700)
    made.show()
    qtbot.waitExposed(made)
    return made


def ask(view: AdvisorView, document: Document, qtbot: QtBot) -> None:
    QTest.mouseClick(button(view, "advisor.ask"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: document.advice.advisory is not None and not document.advice.running)


def button(view: AdvisorView, name: str) -> QPushButton:
    found = view.findChild(QPushButton, name)
    assert found is not None, name
    return found


def shown(view: AdvisorView) -> str:
    return "\n".join(label.text() for label in view.findChildren(QLabel) if label.isVisibleTo(view))


def chip(view: AdvisorView, name: str) -> Chip:
    found = view.findChild(Chip, name)
    assert found is not None, name
    return found


def test_nothing_is_asked_before_somebody_asks(view: AdvisorView, gpu_ran: Document) -> None:
    assert gpu_ran.advice.advisory is None
    assert not gpu_ran.engine.requests(messages.GetAdvice)
    assert "What would an expert change?" in shown(view)


def test_points_stand_in_the_checklists_order(
    view: AdvisorView, gpu_ran: Document, qtbot: QtBot
) -> None:
    ask(view, gpu_ran, qtbot)
    text = shown(view)
    places = [text.index(f"{number} · ") for number in range(1, 6)]
    assert places == sorted(places)
    assert "Figures of parallelism" in text
    assert "•  threads of a program: 128 threads  (compiled)" in text
    assert [card.item.cause for card in view.findChildren(AdviceCard)] == [
        "missing-hint", "idle-threads",
    ]  # fmt: skip
    # What promises most is where to start, wherever it stands in the list.
    assert "first: more threads than elements" in chip(view, "advisor.count").text
    assert chip(view, "advisor.gain").text == "up to 1.4 ×"


def test_a_line_is_a_link(view: AdvisorView, gpu_ran: Document, qtbot: QtBot) -> None:
    ask(view, gpu_ran, qtbot)
    with qtbot.waitSignal(view.sourceLineRequested) as wanted:
        button(view, "advisor.line:21").click()
    assert wanted.args == [21]


def test_a_try_is_measured_put_in_place_and_undone(
    view: AdvisorView, gpu_ran: Document, qtbot: QtBot
) -> None:
    ask(view, gpu_ran, qtbot)
    button(view, "advisor.try.idle-threads.0").click()
    qtbot.waitUntil(lambda: gpu_ran.advice.trying is None and bool(gpu_ran.advice.tried))
    (request,) = gpu_ran.engine.requests(messages.TryAdvice)
    assert request.attempt == KNOBS
    assert request.config["BLOCK_SIZE"] == 32
    assert gpu_ran.config["BLOCK_SIZE"] == 1024
    assert chip(view, "advisor.result.idle-threads.0").text.startswith("2.5 × faster")
    # The advice is of another config now, and says so.
    assert not gpu_ran.advice.is_current()
    assert not button(view, "advisor.try.missing-hint.0").isEnabled()
    button(view, "advisor.undo.idle-threads.0").click()
    assert gpu_ran.config["BLOCK_SIZE"] == 32
    assert not button(view, "advisor.undo.idle-threads.0").isVisibleTo(view)
    gpu_ran.knob_history.undo()  # taking it back is a step like any other
    assert gpu_ran.config["BLOCK_SIZE"] == 1024


def test_a_change_of_lines_runs_the_file_and_is_undone(
    view: AdvisorView, gpu_ran: Document, qtbot: QtBot
) -> None:
    ask(view, gpu_ran, qtbot)
    runs = len(gpu_ran.engine.requests(messages.Run))
    button(view, "advisor.try.missing-hint.0").click()
    qtbot.waitUntil(lambda: gpu_ran.advice.trying is None and bool(gpu_ran.advice.tried))
    assert gpu_ran.text == TEXT.replace("third", "third, hinted")
    qtbot.waitUntil(lambda: len(gpu_ran.engine.requests(messages.Run)) == runs + 1)
    button(view, "advisor.undo.missing-hint.0").click()
    assert gpu_ran.text == TEXT


def test_a_text_that_was_edited_since_is_left_alone(
    view: AdvisorView, gpu_ran: Document, qtbot: QtBot
) -> None:
    ask(view, gpu_ran, qtbot)
    gpu_ran.set_text(TEXT.replace("third", "other"))
    button(view, "advisor.try.missing-hint.0").click()
    qtbot.waitUntil(lambda: gpu_ran.advice.trying is None and bool(gpu_ran.advice.tried))
    assert gpu_ran.text == TEXT.replace("third", "other")
    assert "was edited since" in gpu_ran.advice.why
    assert not gpu_ran.advice.tried[-1].applied


def test_what_computes_a_wrong_result_is_not_kept(
    view: AdvisorView, gpu_ran: Document, qtbot: QtBot
) -> None:
    gpu_ran.engine.outcomes = {KNOBS.label: TryResult(KNOBS, None, "wrong", "3 of 9 differ")}
    ask(view, gpu_ran, qtbot)
    button(view, "advisor.try.idle-threads.0").click()
    qtbot.waitUntil(lambda: gpu_ran.advice.trying is None and bool(gpu_ran.advice.tried))
    assert gpu_ran.config["BLOCK_SIZE"] == 32
    text = chip(view, "advisor.result.idle-threads.0").text
    assert text == "wrong result, not kept: 3 of 9 differ"


def test_advice_on_another_config_says_so(
    view: AdvisorView, gpu_ran: Document, qtbot: QtBot
) -> None:
    ask(view, gpu_ran, qtbot)
    gpu_ran.set_knob("BLOCK_SIZE", 64)
    assert "ask again" in shown(view)
    assert not button(view, "advisor.try.idle-threads.0").isEnabled()


def test_nothing_to_say_is_said(view: AdvisorView, gpu_ran: Document, qtbot: QtBot) -> None:
    gpu_ran.engine.advised = ()
    ask(view, gpu_ran, qtbot)
    assert chip(view, "advisor.count").text == "nothing to say"
    assert not view.findChildren(AdviceCard)


def test_the_engines_end_ends_a_question(
    view: AdvisorView, gpu_ran: Document, qtbot: QtBot
) -> None:
    gpu_ran.engine.hold = True
    gpu_ran.advice.ask()
    assert button(view, "advisor.ask").text() == "Cancel"
    gpu_ran.engine.crash()
    assert not gpu_ran.advice.running
    assert "the engine ended" in gpu_ran.advice.why
    gpu_ran.engine.hold = False


def test_an_edit_knows_its_lines() -> None:
    assert EDIT.text(TEXT) == TEXT.replace("third", "third, hinted")
