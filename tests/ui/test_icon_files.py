"""Icons of the stylesheet as files: written once for all windows, and nothing is left in /tmp."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from playground.ui import icon_files, icons
from tests.child_environment import ROOT, child_environment

SHEET = (
    "from PySide6.QtWidgets import QApplication\n"
    "from playground.ui.theme import Theme\n"
    "app = QApplication([])\n"
    "Theme().apply(app)\n"
    "print(app.styleSheet())\n"
)


def file_of(url: str) -> Path:
    return Path(url.removeprefix('url("').removesuffix('")'))


def test_a_file_is_written_once_and_again_where_it_is_cut(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "with space"))
    path = file_of(icon_files.url("check", "#123456"))
    assert path.read_text() == icons.recoloured("check", "#123456")
    assert "#123456" in path.read_text()
    written = path.stat().st_mtime_ns
    assert file_of(icon_files.url("check", "#123456")) == path
    assert path.stat().st_mtime_ns == written
    path.write_text("")  # the disk was full
    icon_files.url("check", "#123456")
    assert path.read_text() == icons.recoloured("check", "#123456")
    assert [each.suffix for each in path.parent.iterdir()] == [".svg"]


@pytest.mark.parametrize("writable", [True, False])
def test_a_window_that_ends_leaves_nothing_in_the_temporary_folder(tmp_path, writable):
    temporary, cache = tmp_path / "tmp", tmp_path / "cache"
    temporary.mkdir()
    if writable:
        cache.mkdir()
    else:
        cache.write_text("no folder: nothing can be written below it")
    environment = child_environment(
        interpret=True, TMPDIR=str(temporary), XDG_CACHE_HOME=str(cache)
    )
    done = subprocess.run(
        [sys.executable, "-c", SHEET], env=environment, cwd=ROOT, capture_output=True, text=True,
        timeout=60, check=True,
    )  # fmt: skip
    named = re.findall(r'url\("([^"]+)"\)', done.stdout)
    assert named
    assert all(Path(each).is_file() for each in named) == writable
    assert all(each.startswith(str(cache if writable else temporary)) for each in named)
    assert list(temporary.iterdir()) == []
