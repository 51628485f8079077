"""The private folder of one engine's sockets, and what windows that crashed left of theirs."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import sys
import tempfile
from pathlib import Path

from playground.ui import window_lock

_PREFIX = "tpg-"
_SOCKET_PATH_LIMIT = 100
"""A Unix socket's path may have 107 bytes; the kernel appends the channel's number."""


class SocketFolder:
    """A folder that only this user can enter (0700), locked while its window lives."""

    def __init__(self) -> None:
        base = Path(_short_folder() or tempfile.gettempdir())
        _remove_left_over(base)
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=base))
        self._lock = window_lock.take(self.path / "lock")

    def remove(self) -> None:
        """Delete the folder with all in it."""
        os.close(self._lock)  # first: Windows deletes no open file
        shutil.rmtree(self.path, ignore_errors=True)


def _short_folder() -> str | None:
    """Return a folder in which socket paths stay short, None for the usual temporary one."""
    for folder in (os.environ.get("XDG_RUNTIME_DIR"), tempfile.gettempdir(), "/tmp"):
        if folder and len(folder) < _SOCKET_PATH_LIMIT - 40 and os.access(folder, os.W_OK):
            return folder
    return None


def _remove_left_over(base: Path) -> None:
    for folder in base.glob(f"{_PREFIX}*"):
        # Another window, or another user, may do the same at this moment.
        with contextlib.suppress(OSError):
            status = folder.lstat()
            mine = _is_mine(status) and stat.S_ISDIR(status.st_mode)
            # Without a lock nothing is known of its window: this raises, and the folder stays.
            if mine and not window_lock.is_held(folder / "lock"):
                shutil.rmtree(folder)


def _is_mine(status: os.stat_result) -> bool:
    # Windows gives every user a temporary folder of their own, and files no such owner.
    return sys.platform == "win32" or status.st_uid == os.getuid()
