"""Newest wins: one replay in flight, one waiting, no backlog."""

import pytest
from PySide6.QtWidgets import QApplication

from playground.model.config import Config
from playground.protocol import messages
from playground.ui.replay_queue import ReplayQueue
from tests.ui.fake_engine import FakeEngine


def replay(block: int, revision: int) -> messages.Replay:
    config = Config.of({"BLOCK_SIZE": block, "num_warps": 4, "num_stages": 3})
    return messages.Replay(0, config, ("compile",), revision, 30.0, "none")


@pytest.fixture
def held(engine: FakeEngine, qapp: QApplication) -> FakeEngine:
    engine.hold = True
    return engine


def test_the_first_goes_out_at_once(held: FakeEngine) -> None:
    queue = ReplayQueue(held)
    queue.submit(replay(64, 1))
    assert queue.job == held.sent[-1][0]
    assert queue.running == replay(64, 1)
    assert queue.waiting is None


def test_twenty_values_leave_one_running_and_the_newest_waiting(held: FakeEngine) -> None:
    queue = ReplayQueue(held)
    for revision in range(20):
        queue.submit(replay(64 + revision, revision))
    assert [r.revision for r in held.requests(messages.Replay)] == [0]
    assert queue.waiting is not None
    assert queue.waiting.revision == 19
    assert [c.job for c in held.requests(messages.Cancel)] == [queue.job]
    queue.finished(queue.job or 0)
    assert [r.revision for r in held.requests(messages.Replay)] == [0, 19]
    assert queue.waiting is None


def test_idle_is_told_when_the_last_one_ends(held: FakeEngine) -> None:
    queue = ReplayQueue(held)
    idle = []
    queue.idle.connect(lambda: idle.append(True))
    queue.submit(replay(64, 1))
    queue.submit(replay(128, 2))
    queue.finished(queue.job or 0)
    assert not idle
    queue.finished(queue.job or 0)
    assert idle == [True]


def test_each_running_one_can_be_cancelled_once(held: FakeEngine) -> None:
    queue = ReplayQueue(held)
    queue.submit(replay(64, 1))
    queue.cancel_running()
    queue.cancel_running()
    assert len(held.requests(messages.Cancel)) == 1
    queue.submit(replay(128, 2))
    queue.finished(queue.job or 0)
    queue.cancel_running()
    assert len(held.requests(messages.Cancel)) == 2


def test_a_paused_queue_holds_back(held: FakeEngine) -> None:
    queue = ReplayQueue(held)
    queue.pause(True)
    queue.submit(replay(64, 1))
    assert not held.requests(messages.Replay)
    queue.pause(False)
    assert len(held.requests(messages.Replay)) == 1


def test_another_jobs_end_changes_nothing(held: FakeEngine) -> None:
    queue = ReplayQueue(held)
    queue.submit(replay(64, 1))
    job = queue.job
    queue.finished(12345)
    assert queue.job == job


def test_reset_forgets_what_a_dead_engine_had(held: FakeEngine) -> None:
    queue = ReplayQueue(held)
    queue.submit(replay(64, 1))
    queue.submit(replay(128, 2))
    queue.reset()
    assert queue.job is None
    assert queue.waiting is None
    queue.submit(replay(256, 3))
    assert [r.revision for r in held.requests(messages.Replay)] == [1, 3]
