"""Engines elsewhere: by the connection file of a running kernel, and over SSH.

The host is this machine as a real sshd shows it; where there is none, a stand-in for `ssh`.
"""

import json
import os
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
from tests.app import real_sshd
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


class Ssh:
    """The `ssh` that is ahead on the path: what it was called with, and what is at its other end.

    `python` is the host's, which finds this checkout: sshd hands on no environment.
    """

    def __init__(self, folder, server):
        self.server = server
        self.log = folder / "ssh.log"
        self.log.write_text("")
        self.python = str(folder / "python")
        values = child_environment(interpret=True)
        told = " ".join(
            f"{name}='{values[name]}'"
            for name in ("PYTHONPATH", "TRITON_INTERPRET", "HOME") if name in values
        )  # fmt: skip
        self._program(self.python, f'exec env {told} "{sys.executable}" "$@"')
        self.bin = folder / "bin"
        self.bin.mkdir()
        script = Path(__file__).with_name("fake_ssh.py")
        real = f"{server.path}/ssh" if server is not None else f'{sys.executable}" "{script}'
        self._program(self.bin / "ssh", f'echo "$@" >> "{self.log}"\nexec "{real}" "$@"')

    @staticmethod
    def _program(path, line):
        Path(path).write_text(f"#!/bin/sh\n{line}\n")
        Path(path).chmod(0o755)

    def far(self, engine):
        """Return what runs on the host for an engine."""
        roots = self.server.sessions() if self.server else [psutil.Process(engine.pid)]
        return [one for root in roots for one in root.children(recursive=True)]

    def break_off(self, engine):
        """End the connection: on the host's side, where there is one."""
        if self.server is None:
            psutil.Process(engine.pid).kill()
            return
        for session in self.server.sessions():
            for one in (*session.children(recursive=True), session):
                if "sshd" in one.name():  # what it has started is to end by itself
                    one.kill()


@pytest.fixture(scope="module")
def sshd(tmp_path_factory):
    """A real server, or None where none can be had."""
    try:
        server = real_sshd.start(tmp_path_factory.mktemp("sshd"))
    except real_sshd.NoSshdError:
        yield None
        return
    yield server
    server.close()


@pytest.fixture
def ssh(sshd, tmp_path, monkeypatch):
    """A program `ssh` ahead on the path."""
    made = Ssh(tmp_path, sshd)
    monkeypatch.setenv("PATH", f"{made.bin}{os.pathsep}{os.environ['PATH']}")
    return made


def listening(processes):
    """Return the TCP addresses that these processes listen on."""
    return [
        connection.laddr
        for one in processes
        for connection in one.net_connections("tcp")
        if connection.status == psutil.CONN_LISTEN
    ]


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
    far = reach(RemotePlace("gpuhost", python=ssh.python))
    far.until_ready()
    before = ssh.far(far.engine)
    assert any("playground.engine" in one.cmdline() for one in before)
    # What is said goes through the SSH connection, from file to file.
    assert listening([*before, psutil.Process(far.engine.pid)]) == []
    ssh.break_off(far.engine)
    wait_for(lambda: far.deaths, 30, "the end of the connection")
    assert "the connection to the engine at gpuhost ended" in far.deaths[0]
    far.deaths.clear()
    wait_for(lambda: far.engine.state == "ready", 60, "the engine again")
    wait_for(lambda: not any(one.is_running() for one in before), 20, "what was there before")
    far.run()
    assert far.document.check.status == "correct"
    assert far.latencies
    call = ssh.log.read_text().splitlines()[-1]
    assert "ExitOnForwardFailure=yes" in call
    assert "gpuhost" in call
    # The key of the messages is in no command line: others of the machine could read it there.
    assert far.engine.kernel.info["key"] not in call
    started = ssh.far(far.engine)
    remote = call[call.index("/tmp/tpg-") :].split("/k-")[0]
    assert Path(remote).stat().st_mode & 0o077 == 0
    far.engine.shutdown()
    wait_for(lambda: not any(one.is_running() for one in started), 20, "the far processes")
    assert not Path(remote).exists()


def test_what_the_host_says_of_a_python_without_the_program_is_told(ssh, reach):
    far = reach(RemotePlace("gpuhost", python="/nosuch/python"))
    wait_for(lambda: far.engine.state == "dead", 30)
    assert "no engine was started at gpuhost" in far.deaths[0]
    assert "/nosuch/python" in far.deaths[0]


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
    assert listening([psutil.Process(far.engine.pid)]) == []  # the tunnel's ends here are files
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
