"""The entry in the desktop's menu: written for the user alone, and taken away again."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path

from playground.model.resources import assets_dir

NAME = "triton-playground"


class DesktopError(Exception):
    """Why there is no entry now; the message is fit for the user."""


def data_folder() -> Path:
    """Return where the user's own desktop entries and icons lie."""
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")


def install(folder: Path | None = None) -> list[Path]:
    """Write entry and icon for this user; return the files.

    Raises
    ------
    DesktopError
        This is no Linux desktop, or a file cannot be written.
    """
    if not sys.platform.startswith("linux"):
        raise DesktopError("desktop entries are for Linux; start triton-playground as it is")
    entry, icon = _places(folder or data_folder())
    text = (assets_dir() / "desktop" / f"{NAME}.desktop").read_text(encoding="utf-8")
    # The desktop does not know this environment's programs by name.
    text = text.replace(f"Exec={NAME} %f", f"Exec={_command()} %f")
    try:
        for path in (entry, icon):
            path.parent.mkdir(parents=True, exist_ok=True)
        entry.write_text(text, encoding="utf-8")
        shutil.copyfile(assets_dir() / "icons" / "app.svg", icon)
    except OSError as error:
        raise DesktopError(f"cannot write {error.filename}: {error.strerror}") from error
    return [entry, icon]


def remove(folder: Path | None = None) -> list[Path]:
    """Take entry and icon away; return the files that were there."""
    gone = [path for path in _places(folder or data_folder()) if path.exists()]
    for path in gone:
        path.unlink()
    return gone


def _places(folder: Path) -> tuple[Path, Path]:
    icons = folder / "icons" / "hicolor" / "scalable" / "apps"
    return folder / "applications" / f"{NAME}.desktop", icons / f"{NAME}.svg"


def _command() -> str:
    """Return what starts this installation, as a desktop entry writes it."""
    beside = Path(sys.executable).with_name(NAME)
    words = [str(beside)] if beside.exists() else [sys.executable, "-m", "playground"]
    # A per cent sign begins a field there, and quotes are double.
    return " ".join(_quoted(word) for word in words)


def _quoted(word: str) -> str:
    word = word.replace("%", "%%")
    if shlex.quote(word) == word:
        return word
    return '"' + "".join(f"\\{letter}" if letter in '"`$\\' else letter for letter in word) + '"'
