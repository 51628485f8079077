"""Small files in the user's state folder: written whole or not at all, read back with care.

They hold plain data as JSON. One that is damaged or of a newer program is renamed, never deleted,
and counts as absent.
"""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import shutil
import tempfile
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from playground.model.places import state_place

if TYPE_CHECKING:
    from pathlib import Path

T = TypeVar("T")

KEEP_AFTER_MS = 2000
"""From the first change that is not kept yet until it is written."""


class StateProblem(Exception):
    """A state file that could not be written; the message is fit for the user."""


def state_folder() -> Path:
    """Return the folder of what is kept between sessions, made for this user alone (0700).

    `PLAYGROUND_CONFIG_DIR` names another folder for everything that the window remembers.

    Raises
    ------
    StateProblem
        The folder can't be made.
    """
    return private_folder(state_place())


def private_folder(folder: Path) -> Path:
    """Make `folder` if it is not there, with access for this user alone; raises `StateProblem`."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o700)
    except OSError as error:
        raise StateProblem(f"{folder} cannot be made: {error.strerror or error}") from error
    return folder


def write_state(path: Path, value: Any, version: int) -> None:
    """Write `value` so that a crash or a full disk leaves the old file or the new one, whole.

    Raises
    ------
    StateProblem
        The file can't be written.
    """
    # The standard library's JSON: a text may hold characters that no UTF-8 can.
    data = json.dumps({"version": version, **msgspec.to_builtins(value)}).encode()
    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(prefix=".", suffix=".tmp", dir=path.parent)
        with os.fdopen(handle, "wb") as out:
            out.write(data)
        os.replace(temporary, path)
    except OSError as error:
        if temporary:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        raise StateProblem(f"{path} cannot be written: {error.strerror or error}") from error


def read_state(path: Path, kind: type[T], version: int) -> tuple[T | None, str]:
    """Return what `path` holds, or None, and a note if the file had to be set aside."""
    try:
        data = path.read_bytes()
    except OSError:
        return None, ""
    try:
        held = msgspec.convert(json.loads(data), dict[str, Any])
        found = held.pop("version")
        if not isinstance(found, int) or found > version:
            return None, set_aside(path, f"it is of version {found}, this program knows {version}")
        return msgspec.convert(held, kind), ""
    # json gives up on deep nesting by a RecursionError.
    except (ValueError, AttributeError, KeyError, RecursionError, msgspec.ValidationError) as error:
        return None, set_aside(path, f"it is damaged ({type(error).__name__})")


def set_aside(path: Path, why: str, *, copy: bool = False) -> str:
    """Rename or copy a file that can't be used, and return a sentence that tells of it."""
    stamp = datetime.datetime.now(tz=datetime.UTC).strftime("%Y%m%d-%H%M%S-%f")
    aside = path.with_name(f"{path.name}.aside-{stamp}")
    try:
        if copy:
            shutil.copyfile(path, aside)
        else:
            path.rename(aside)
    except OSError as error:
        return f"{path} cannot be used and not be renamed ({error.strerror or error}): {why}"
    done = "copied" if copy else "set aside"
    return f"{path} was {done} as {aside.name}: {why}"
