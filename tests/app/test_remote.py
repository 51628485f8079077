"""Engines elsewhere: by the connection file of a running kernel, and over (a stand-in for) SSH."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import QCoreApplication, QEvent

from playground.model.resources import kernels_dir
from playground.protocol import messages
from playground.ui.document import Document
from playground.ui.engine_process import EngineProcess
from playground.ui.kernel_remote import PlaceError, RemotePlace
from tests.app.conftest import wait_for
from tests.child_environment import child_environment

VECTOR_ADD = str(kernels_dir() / "vector_add.py")


class Far:
    """An engine at a place, with its document."""

    def __init__(self, place):
        self.engine = EngineProcess(launcher=place.launcher())
        self.document = Document(self.engine)
        self.deaths = []
        self.latencies = []
        self.engine.died.connect(self.deaths.append)
        self.engine.latencyMeasured.connect(self.latencies.append)
        self.engine.start()

    def until_ready(self):
        wait_for(lambda: self.engine.state in ("ready", "dead"), 60, "the engine")
        assert self.engine.state == "ready", self.deaths

    def run(self):
        assert self.document.open_file(VECTOR_ADD)
        self.document.run()
        wait_for(lambda: self.document.is_current(self.document.coverage), 60, "a run")

    def close(self):
        self.document.close()
        self.engine.shutdown()
        self.document.deleteLater()
        self.engine.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture
def reach(qapp):
    made = []

    def at(place):
        made.append(Far(place))
        return made[-1]

    yield at
    for far in made:
        far.close()


@pytest.fixture(scope="module")
def kernel(tmp_path_factory):
    """A plain Jupyter kernel that knows nothing of the playground; TCP on this machine alone."""
    file = tmp_path_factory.mktemp("kernel") / "kernel.json"
    process = subprocess.Popen(
        [sys.executable, "-m", "ipykernel_launcher", "-f", str(file)],
        env=child_environment(interpret=True), stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    wait_for(lambda: file.exists() and file.stat().st_size > 0, 30, "the connection file")
    yield file, process
    process.terminate()
    process.wait(timeout=10)


@pytest.fixture
def ssh(tmp_path, monkeypatch):
    """A program `ssh` ahead on the path; what it was called with."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "ssh"
    script = Path(__file__).with_name("fake_ssh.py")
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{script}" "$@"\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    log = tmp_path / "ssh.log"
    log.write_text("")
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("FAKE_SSH_LOG", str(log))
    monkeypatch.setenv("PYTHONPATH", child_environment()["PYTHONPATH"])
    return log


def test_a_running_kernel_becomes_an_engine_and_outlives_the_window(kernel, reach):
    file, process = kernel
    far = reach(RemotePlace(existing=str(file)))
    far.until_ready()
    far.run()
    assert far.document.check.status == "correct"
    assert far.engine.place == "in kernel.json"
    assert 0 < far.latencies[-1] < 5000
    far.engine.restart()
    wait_for(lambda: far.engine.state != "restarting", 60)
    far.until_ready()
    far.engine.shutdown()
    assert process.poll() is None


def test_an_engine_over_ssh_is_made_anew_when_it_breaks_and_ends_with_the_window(ssh, reach):
    far = reach(RemotePlace("gpuhost", python=sys.executable))
    far.until_ready()
    psutil.Process(far.engine.pid).kill()
    wait_for(lambda: far.deaths, 20, "the end of the connection")
    assert "the connection to the engine at gpuhost ended" in far.deaths[0]
    far.deaths.clear()
    wait_for(lambda: far.engine.state == "ready", 60, "the engine again")
    far.run()
    call = ssh.read_text().splitlines()[-1]
    assert "ExitOnForwardFailure=yes" in call
    assert "gpuhost" in call
    # The key of the messages is in no command line: others of the machine could read it there.
    assert far.engine.kernel.info["key"] not in call
    started = psutil.Process(far.engine.pid).children(recursive=True)
    assert any("playground.engine" in child.cmdline() for child in started)
    remote = call[call.index("/tmp/tpg-") :].split("/k-")[0]
    assert Path(remote).stat().st_mode & 0o077 == 0
    far.engine.shutdown()
    wait_for(lambda: not any(child.is_running() for child in started), 10, "the far processes")
    assert not Path(remote).exists()


def test_a_host_that_cannot_be_reached_is_told(ssh, reach):
    far = reach(RemotePlace("unreachable"))
    wait_for(lambda: far.engine.state == "dead", 20)
    assert "Could not resolve hostname" in far.deaths[0]
    assert far.document.findings


def test_a_kernel_at_a_host_is_reached_through_ssh(kernel, ssh, reach):
    file, process = kernel
    far = reach(RemotePlace("gpuhost", str(file)))
    far.until_ready()
    assert far.engine.place == "in kernel.json at gpuhost"
    job = far.engine.send(messages.GetClocks())
    assert job > 0
    far.engine.shutdown()
    assert process.poll() is None


def test_a_silent_connection_counts_as_lost(kernel, reach, monkeypatch):
    from playground.ui import connection_watch

    file, process = kernel
    far = reach(RemotePlace(existing=str(file)))
    far.until_ready()
    monkeypatch.setattr(connection_watch, "LOST_S", 0.3)
    far.engine.watch._timer.setInterval(100)
    psutil.Process(process.pid).suspend()
    try:
        wait_for(lambda: far.deaths, 20, "the loss")
    finally:
        psutil.Process(process.pid).resume()
    monkeypatch.setattr(connection_watch, "LOST_S", 15.0)
    assert "has not answered for" in far.deaths[0]
    wait_for(lambda: far.engine.state == "ready", 60, "the engine again")


@pytest.mark.parametrize(
    ("place", "why"),
    [
        (RemotePlace("-oProxyCommand=x"), "is no host"),
        (RemotePlace("a b"), "is no host"),
        (RemotePlace(existing="/nosuch.json"), "cannot read"),
    ],
)
def test_what_is_no_place_is_refused(place, why):
    with pytest.raises(PlaceError, match=why):
        place.launcher()


def test_a_file_that_is_no_connection_file_is_refused(tmp_path):
    path = tmp_path / "x.json"
    for text, why in (("{", "no connection file"), (json.dumps({"ip": "1"}), "no control_port")):
        path.write_text(text)
        with pytest.raises(PlaceError, match=why):
            RemotePlace(existing=str(path)).launcher()
