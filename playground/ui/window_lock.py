"""Lock files by which one window sees whether another still lives.

The system unlocks such a file when the process that holds it ends, however it ends.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def _lock(file: int) -> None:
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def take(path: Path) -> int:
    """Make the lock file, hold it, and return its descriptor: closing that lets it go.

    Raises
    ------
    OSError
        The file can't be made, or another process holds it.
    """
    file = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        _lock(file)
    except OSError:
        os.close(file)
        raise
    return file


def is_held(path: Path) -> bool:
    """Tell whether a process that runs now holds the lock at `path`.

    Raises
    ------
    OSError
        There is no lock file, or it may not be opened: nothing is known of its window.
    """
    file = os.open(path, os.O_RDWR)
    try:
        _lock(file)
    except OSError:
        return True
    finally:
        os.close(file)
    return False
