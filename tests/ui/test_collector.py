"""Cycles are collected in the window's thread, whatever other threads allocate."""

from __future__ import annotations

import gc
import threading
import weakref

import pytest

from playground.ui.collector import Collector


class Knot:
    """Refers to itself, so that only the collector ends it."""

    def __init__(self) -> None:
        self.me = self


def allocate() -> None:
    """Make far more objects than Python's collector waits for."""
    kept = [[number] for number in range(200_000)]
    del kept


@pytest.fixture
def collector(qapp):
    made = Collector(qapp)
    made.start()
    yield made
    made.stop()
    gc.disable()  # as tests with windows have it
    made.deleteLater()


def test_another_thread_collects_nothing_and_the_timer_does(qtbot, collector) -> None:
    ended: list[int] = []
    for _ in range(10):
        weakref.finalize(Knot(), lambda: ended.append(threading.get_ident()))
    thread = threading.Thread(target=allocate)
    thread.start()
    thread.join()
    assert ended == []
    keep = [[number] for number in range(200_000)]
    qtbot.waitUntil(lambda: len(ended) == 10, timeout=5000)
    assert set(ended) == {threading.get_ident()}
    assert len(keep) == 200_000


def test_what_is_not_due_is_left(collector) -> None:
    gc.collect()
    ended: list[int] = []
    weakref.finalize(Knot(), lambda: ended.append(1))
    collector.collect()
    assert ended == []


def test_the_work_is_given_back(qapp) -> None:
    made = Collector(qapp)
    made.start()
    assert not gc.isenabled()
    made.stop()
    assert gc.isenabled()
    gc.disable()
    made.deleteLater()
