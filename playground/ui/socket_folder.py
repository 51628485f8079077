"""The private folder of one engine's sockets, and what windows that crashed left of theirs."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import stat
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
        self._lock = os.open(self.path / "lock", os.O_CREAT | os.O_RDWR, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)

    def remove(self) -> None:
        """Delete the folder with all in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)


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
            mine = status.st_uid == os.getuid() and stat.S_ISDIR(status.st_mode)
            # Without a lock nothing is known of its window: this raises, and the folder stays.
            if mine and not window_lock.is_held(folder / "lock"):
                shutil.rmtree(folder)
