"""The entry in the desktop's menu."""

import configparser
import os
import shlex
import subprocess
import sys

import pytest

from playground.cli import desktop
from playground.model.resources import assets_dir

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="desktops of Linux")


def entry_at(path):
    read = configparser.ConfigParser(interpolation=None)
    read.optionxform = str
    read.read(path)
    return read["Desktop Entry"]


def test_the_entry_starts_this_installation(tmp_path):
    entry, icon = desktop.install(tmp_path)
    fields = entry_at(entry)
    assert fields["Type"] == "Application"
    assert icon.read_bytes() == (assets_dir() / "icons" / "app.svg").read_bytes()
    assert icon.stem == fields["Icon"]
    *command, file = shlex.split(fields["Exec"])
    assert file == "%f"
    told = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    assert "playground" in told.stdout.lower()
    assert desktop.remove(tmp_path) == [entry, icon]
    assert desktop.remove(tmp_path) == []


def test_paths_with_blanks_and_signs_are_quoted(monkeypatch):
    monkeypatch.setattr(sys, "executable", '/opt/my py$/100%/a"b')
    assert desktop._command() == '"/opt/my py\\$/100%%/a\\"b" -m playground'


def test_what_cannot_be_written_is_told(tmp_path):
    (tmp_path / "applications").write_text("")
    with pytest.raises(desktop.DesktopError, match="cannot write"):
        desktop.install(tmp_path)


def test_the_command_installs_and_removes(call_afresh, tmp_path, monkeypatch):
    monkeypatch.setitem(os.environ, "XDG_DATA_HOME", str(tmp_path / "data"))
    done = call_afresh("--desktop", "install")
    assert done.status == 0
    assert (tmp_path / "data" / "applications" / "triton-playground.desktop").exists()
    assert call_afresh("--desktop", "remove").out.count("removed") == 2
