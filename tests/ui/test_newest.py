"""Questions of which only the newest matters."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QObject

from playground.ui.views import newest
from playground.ui.views.newest import Newest


@pytest.fixture
def asked(qtbot, monkeypatch):
    """Return a `Newest` that gives up at once, and the callbacks of what it sent."""
    monkeypatch.setattr(newest, "LOST_MS", 20)
    parent = QObject()
    questions = Newest(0, parent)
    sent: list = []
    yield questions, sent, parent
    questions.forget()


def test_a_late_answer_is_taken(asked, qtbot):
    questions, sent, _ = asked
    taken: list[str] = []
    questions.ask(sent.append, taken.append)
    qtbot.waitUntil(lambda: len(sent) == 1)
    qtbot.waitUntil(lambda: questions.idle)  # given up
    sent[0]("late")
    assert taken == ["late"]


def test_an_answer_to_an_older_question_is_not(asked, qtbot):
    questions, sent, _ = asked
    taken: list[str] = []
    questions.ask(sent.append, taken.append)
    qtbot.waitUntil(lambda: len(sent) == 1)
    qtbot.waitUntil(lambda: questions.idle)
    questions.ask(sent.append, taken.append)
    qtbot.waitUntil(lambda: len(sent) == 2)
    sent[0]("old")
    sent[1]("new")
    assert taken == ["new"]
