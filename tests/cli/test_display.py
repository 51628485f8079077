"""Whether a window can be opened is found out without Qt, which would end the process."""

import os
import subprocess
import sys

import pytest

from playground.cli import display
from tests.child_environment import child_environment


@pytest.fixture(autouse=True)
def bare(monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)


def test_nothing_set():
    assert display.why_none() == "neither DISPLAY nor WAYLAND_DISPLAY is set"


@pytest.mark.parametrize("platform", ["offscreen", "minimal", "offscreen:size=800x600"])
def test_platforms_nobody_sees(monkeypatch, platform):
    monkeypatch.setenv("QT_QPA_PLATFORM", platform)
    monkeypatch.setenv("DISPLAY", ":0")
    assert "QT_QPA_PLATFORM is" in display.why_none()


def test_an_x_server_that_does_not_answer(monkeypatch):
    monkeypatch.setenv("DISPLAY", ":4711")
    assert display.why_none() == "the X server at DISPLAY=:4711 does not answer"


def test_a_wayland_compositor_that_does_not_answer(monkeypatch):
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-4711")
    assert "wayland-4711" in display.why_none()


def test_a_platform_that_does_not_exist(monkeypatch):
    monkeypatch.setenv("QT_QPA_PLATFORM", "nosuch")
    assert "Qt cannot open a window" in display.why_none()


@pytest.mark.xvfb
def test_an_x_server_that_answers(monkeypatch):
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "640x480x24", "-nolisten", "tcp"],
        pass_fds=(write,),
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    try:
        with os.fdopen(read) as numbers:
            number = numbers.readline().strip()
        # In a process of its own, as the command does it: Qt's X11 plugin is loaded there.
        code = "from playground.cli import display; print(repr(display.why_none()))"
        found = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True,
            env=child_environment(DISPLAY=f":{number}"),
        )  # fmt: skip
    finally:
        server.terminate()
        server.wait()
    assert found.stdout.strip() == "''"
