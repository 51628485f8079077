"""Lock files by which one window sees whether another still lives.

The system unlocks such a file when the process that holds it ends, however it ends.
"""

from __future__ import annotations

import fcntl
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def is_held(path: Path) -> bool:
    """Tell whether a process that runs now holds the lock at `path`.

    Raises
    ------
    OSError
        There is no lock file, or it may not be opened: nothing is known of its window.
    """
    lock = os.open(path, os.O_RDWR)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(lock)
    return False
