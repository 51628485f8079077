"""Questions to the engine of which only the newest counts, and which can be wanted again."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from playground.protocol import messages
from playground.ui.document import Document
from tests.ui.fake_engine import FakeEngine


def test_a_question_given_up_and_wanted_again_is_asked_again(
    ran: Document, engine: FakeEngine, qtbot: QtBot
) -> None:
    programs = ran.programs
    programs.steps.want("test", True)
    engine.hold = True
    for program in (5, 6, 5):
        programs.choose((program,))
    engine.hold = False
    engine.release()
    qtbot.waitUntil(lambda: programs.steps.reply is not None)
    assert programs.steps.reply.program == 5
    assert [request.program for request in engine.requests(messages.GetSteps)] == [5, 5]


def test_one_that_was_answered_all_the_same_is_not(
    ran: Document, engine: FakeEngine, qtbot: QtBot, monkeypatch
) -> None:
    # An engine whose answer was on its way already when it was told to stop.
    monkeypatch.setattr(engine, "_cancel", lambda _job: None)
    programs = ran.programs
    programs.steps.want("test", True)
    engine.hold = True
    for program in (5, 6, 5):
        programs.choose((program,))
    engine.hold = False
    engine.release()
    qtbot.waitUntil(lambda: programs.steps.reply is not None and not programs.steps.running)
    assert programs.steps.reply.program == 5
    assert len(engine.requests(messages.GetSteps)) == 1
