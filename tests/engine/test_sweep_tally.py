"""How long a sweep still takes: worked out of what was tried, whatever came for nothing."""

from __future__ import annotations

import pytest

from playground.engine import job as jobs
from playground.engine import sweep_tally
from playground.engine.job import Job
from playground.model.config import Config
from playground.model.search import Shuffled
from playground.model.sweep import SweepRow
from playground.protocol.messages import SweepProgress


class Clock:
    """Stands for the module `time`."""

    now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(jobs, "time", made)
    monkeypatch.setattr(sweep_tally, "time", made)
    return made


def row(number: int, status: str = "correct", *, kept: bool = False) -> SweepRow:
    return SweepRow(Config.of({"B": number}), status, kept=kept)  # type: ignore[arg-type]


def test_the_rest_is_told_by_what_was_tried(clock: Clock) -> None:
    told: list[float | None] = []
    job = Job(lambda reply: told.append(reply.eta_s) if isinstance(reply, SweepProgress) else None)
    tally = sweep_tally.Tally(Shuffled(()), 60, job, None)
    for number in range(30):  # ruled out, and kept from before: they came at once
        tally.add(row(number, "constraint" if number < 20 else "correct", kept=number >= 20))
    assert told == [None] * 30
    clock.now += 6.0  # the worker starts, the first compiles
    tally.add(row(30))
    clock.now += 2.0
    tally.add(row(31))
    clock.now += 1.0
    job.pause()
    clock.now += 500.0
    job.resume()
    clock.now += 1.0
    tally.add(row(32))
    # 29 left after 6 s for one; 28 and 27 left at 2 s each.
    assert told[30:] == pytest.approx([6.0 * 29, 2.0 * 28, 2.0 * 27])
    assert tally.elapsed_s == pytest.approx(10.0)
    assert tally.rows()[-1].at_s == pytest.approx(10.0)  # no gap in the curve of the best so far


def test_another_size_begins_at_nothing(clock: Clock) -> None:
    job = Job()
    job.pause()
    clock.now += 40.0
    job.resume()
    tally = sweep_tally.Tally(Shuffled(()), 2, job, None)
    clock.now += 3.0
    assert tally.elapsed_s == pytest.approx(3.0)
