"""The watch over a job: a cancel not looked at interrupts, a wait without end is given up."""

import threading
import time

import pytest

from playground.engine import findings, job_watch
from playground.engine.job import Job
from playground.engine.job_watch import JobWatch, run_limit_s


def nothing(error):
    """Taken back as a failure by pytest: an exception in a thread is one."""
    raise error


def for_ever():
    while True:
        pass


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(job_watch, "_LOOK_S", 0.02)
    monkeypatch.setattr(job_watch, "GRACE_S", 0.2)
    monkeypatch.setenv("PLAYGROUND_RUN_LIMIT_S", "0.5")


def test_a_job_that_ends_is_left_alone(quick):
    ended = []
    watch = JobWatch(lambda: True)
    with watch.over(Job(), ended.append):
        time.sleep(0.1)
    time.sleep(0.1)
    assert ended == []


def test_a_cancel_that_is_not_looked_at_interrupts_an_endless_loop(quick):
    job = Job()
    threading.Timer(0.1, job.cancel).start()
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt), JobWatch().over(job, nothing):
        for_ever()
    assert 0.25 < time.monotonic() - started < 3


def test_a_wait_for_a_gpu_that_is_still_busy_is_given_up(quick):
    given_up = threading.Event()
    errors = []

    def end(error):
        errors.append(error)
        given_up.set()

    # The main thread stands in one C call, as it does in `cudaStreamSynchronize`.
    with JobWatch(lambda: True).over(Job(), end):
        assert given_up.wait(5)
    (error,) = errors
    assert findings.is_fatal(error)
    found = findings.finding_from_exception(error, "runtime")
    assert "a kernel has not ended after" in found.message
    assert "its GPU memory is free again" in found.hint


def test_a_cancelled_wait_for_a_busy_gpu_is_given_up_sooner(quick, monkeypatch):
    monkeypatch.setenv("PLAYGROUND_RUN_LIMIT_S", "60")
    job, given_up = Job(), threading.Event()
    threading.Timer(0.05, job.cancel).start()
    with JobWatch(lambda: True).over(job, lambda _error: given_up.set()):
        assert given_up.wait(5)


def test_a_long_wait_for_anything_else_is_left_alone(quick):
    with JobWatch(lambda: False).over(Job(), nothing):
        time.sleep(0.8)


def test_work_that_goes_on_is_left_alone_however_busy_the_gpu_is(quick):
    until = time.monotonic() + 0.8
    with JobWatch(lambda: True).over(Job(), nothing):
        while time.monotonic() < until:
            time.sleep(0.005)


@pytest.mark.parametrize(("given", "limit"), [("7.5", 7.5), ("soon", 30.0), ("", 30.0)])
def test_the_limit_can_be_set(monkeypatch, given, limit):
    monkeypatch.setenv("PLAYGROUND_RUN_LIMIT_S", given)
    assert run_limit_s() == limit
