"""What a user has to type for this Python, in an activated environment and outside of one."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from playground.model.python_command import python_command


def test_python_is_named_as_the_shell_finds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment, other = tmp_path / "my venv" / "bin", tmp_path / "bin"
    for folder in (environment, other):
        folder.mkdir(parents=True)
        (folder / "python").symlink_to(os.path.realpath(sys.executable))
    monkeypatch.setattr(sys, "executable", str(environment / "python"))
    monkeypatch.chdir(tmp_path)

    monkeypatch.setenv("PATH", str(environment))
    assert python_command() == "python"
    # Another Python of the same program is first, or none at all: it has no torch.
    for path in (f"{other}{os.pathsep}{environment}", str(tmp_path)):
        monkeypatch.setenv("PATH", path)
        assert python_command() == "'my venv/bin/python'"
        assert python_command(str(other)) == f"'{environment}/python'"
