"""The end of a process is heard of once, also on systems that have to be asked."""

import subprocess
import sys

import pytest

from playground.ui import process_end
from playground.ui.process_end import ProcessEnd


@pytest.fixture
def child():
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    yield process
    process.kill()
    process.wait()
    process.stdin.close()


@pytest.mark.parametrize("system", ["linux", "darwin", "win32"])
def test_the_end_is_told_once(qtbot, monkeypatch, child, system):
    monkeypatch.setattr(process_end, "POLL_MS", 10)
    monkeypatch.setattr(process_end.sys, "platform", system)
    watch = ProcessEnd(child.pid)
    told = []
    watch.ended.connect(lambda: told.append(child.pid))
    qtbot.wait(60)
    assert told == []
    child.kill()  # and nobody waits for it: it stays listed, as a zombie
    qtbot.waitUntil(lambda: bool(told), timeout=5000)
    qtbot.wait(60)
    assert told == [child.pid]
    watch.deleteLater()


@pytest.mark.parametrize("system", ["linux", "darwin"])
def test_who_stopped_looking_hears_nothing(qtbot, monkeypatch, child, system):
    monkeypatch.setattr(process_end, "POLL_MS", 10)
    monkeypatch.setattr(process_end.sys, "platform", system)
    watch = ProcessEnd(child.pid)
    told = []
    watch.ended.connect(lambda: told.append(child.pid))
    watch.stop()
    child.kill()
    child.wait()
    qtbot.wait(60)
    assert told == []
    watch.deleteLater()


def test_a_process_that_is_gone_has_ended(qtbot, monkeypatch, child):
    child.kill()
    child.wait()
    monkeypatch.setattr(process_end, "POLL_MS", 10)
    monkeypatch.setattr(process_end.sys, "platform", "darwin")
    watch = ProcessEnd(child.pid)
    with qtbot.waitSignal(watch.ended, timeout=5000):
        pass
    watch.deleteLater()
