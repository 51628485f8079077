"""Which of the frames on Python's stack run the user's own code, and on which line."""

from __future__ import annotations

import sys
from typing import Any

_files: set[str] = set()


def register(file: str) -> None:
    """Note that `file` is the user's: the kernel file, or a helper that came with it."""
    _files.add(file)


def is_user(file: str) -> bool:
    """Tell whether `file` was executed here as one of the user's."""
    return file in _files


def innermost(frame: Any = None) -> tuple[str, int] | None:
    """Return file and line of the innermost frame that runs the user's code, from `frame` outward.

    Starts at the caller where no frame is given.
    """
    walk = sys._getframe(1) if frame is None else frame
    while walk is not None:
        if walk.f_code.co_filename in _files:
            return walk.f_code.co_filename, walk.f_lineno
        walk = walk.f_back
    return None


def last_of(error: BaseException) -> tuple[str, int] | None:
    """Return file and line of the innermost frame of the user's that `error` came through."""
    found = None
    walk = error.__traceback__
    while walk is not None:
        if walk.tb_frame.f_code.co_filename in _files:
            found = walk.tb_frame.f_code.co_filename, walk.tb_lineno
        walk = walk.tb_next
    return found
