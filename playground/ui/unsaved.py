"""Unsaved text, kept on disk while it is typed, so that no crash takes more than two seconds of it.

Every window has a lock file in the state folder, which the system unlocks when its process ends,
however it ends, and beside it a file with the path that is open and its unsaved text. A window that
starts looks for such files whose lock is free.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from playground.model.finding import Finding
from playground.ui import window_lock
from playground.ui.state_files import (
    KEEP_AFTER_MS,
    StateProblem,
    private_folder,
    read_state,
    state_folder,
    write_state,
)

if TYPE_CHECKING:
    from pathlib import Path

    from playground.ui.document import Document

VERSION = 1


@dataclass(frozen=True)
class WindowState:
    """What one window has open.

    Parameters
    ----------
    unsaved
        The text where it differs from the file, else None.
    base
        Hash of the text on disk that the unsaved one began as.
    at
        When it was kept, in seconds since 1970.
    """

    path: str
    unsaved: str | None = None
    base: str = ""
    at: float = 0.0


@dataclass(frozen=True)
class Lost:
    """Unsaved text of a window that ended without asking; `place` is the file that holds it."""

    place: Path
    path: str
    text: str
    base: str
    at: float

    def when(self) -> str:
        """Return when it was kept, for people."""
        return time.strftime("%d %b %H:%M", time.localtime(self.at))


class Unsaved(QObject):
    """Keeps the unsaved text of one window; `lost` finds that of windows that crashed."""

    def __init__(self, document: Document, folder: Path | None = None) -> None:
        super().__init__(document)
        self._document = document
        self._chosen = folder
        self._folder: Path | None = None
        self._lock: int | None = None
        self._name = uuid.uuid4().hex
        self._kept: WindowState | None = None
        self.note = ""
        """What had to be set aside, for the user."""
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(KEEP_AFTER_MS)
        self._timer.timeout.connect(self.keep_now)

    def start(self) -> None:
        """Begin to keep what is typed."""
        document = self._document
        try:
            self._folder = self._chosen or private_folder(state_folder() / "windows")
            private_folder(self._folder)
            self._lock = window_lock.take(self._folder / f"{self._name}.lock")
        except (StateProblem, OSError) as error:
            self._tell(str(error))
            return
        document.edited.connect(self._wait)
        document.dirtyChanged.connect(self._wait)
        document.pathChanged.connect(self.keep_now)
        self.keep_now()

    def close(self) -> None:
        """Forget the text: the window was closed, and the user was asked about it."""
        self._timer.stop()
        if self._folder is None or self._lock is None:
            return
        self._remove(self._place())
        os.close(self._lock)
        self._lock = None
        self._remove(self._folder / f"{self._name}.lock")

    def keep_now(self, _what: object = None) -> None:
        """Write what is open now, unless it is written already."""
        self._timer.stop()
        if self._lock is None:
            return
        document = self._document
        dirty = document.dirty
        base = hashlib.sha256(document.file.saved_text.encode("utf-8", "surrogatepass"))
        now = WindowState(
            document.path, document.text if dirty else None, base.hexdigest(), time.time()
        )
        kept = self._kept
        if kept is not None and (kept.path, kept.unsaved) == (now.path, now.unsaved):
            return
        try:
            write_state(self._place(), now, VERSION)
        except StateProblem as problem:
            self._tell(str(problem))
            self._timer.start()  # the disk may have room again
            return
        self._kept = now
        document.set_findings("unsaved", ())

    def _wait(self, _what: object = None) -> None:
        # Not started anew by each key: who types without a pause is kept as well.
        if not self._timer.isActive():
            self._timer.start()

    def _tell(self, why: str) -> None:
        hint = "the text is only in this window until you save it"
        found = Finding("warning", "engine", f"unsaved text is not kept: {why}", hint)
        self._document.set_findings("unsaved", (found,))

    # ------------------------------------------------------------------ of other windows

    def lost(self) -> tuple[Lost, ...]:
        """Return the unsaved texts of windows that ended without asking, the newest first."""
        found = []
        for place, state in self._others(alive=False):
            if state.unsaved is None:
                self._drop(place)
            else:
                found.append(Lost(place, state.path, state.unsaved, state.base, state.at))
        return tuple(sorted(found, key=lambda each: -each.at))

    def is_open_elsewhere(self, path: str) -> bool:
        """Tell whether another window that runs now has the same file open."""
        if not path:
            return False
        real = os.path.realpath(path)
        return any(
            bool(state.path) and os.path.realpath(state.path) == real
            for _, state in self._others(alive=True)
        )

    def forget(self, lost: Lost) -> None:
        """Delete a text that was taken over, or is not wanted."""
        self._drop(lost.place)

    def _others(self, *, alive: bool) -> list[tuple[Path, WindowState]]:
        if self._folder is None:
            return []
        found = []
        for place in sorted(self._folder.glob("*.json")):
            if place == self._place() or _is_locked(place.with_suffix(".lock")) != alive:
                continue
            state, note = read_state(place, WindowState, VERSION)
            self.note = note or self.note
            if state is not None:
                found.append((place, state))
        return found

    def _place(self) -> Path:
        if self._folder is None:
            raise RuntimeError("nothing is kept yet")
        return self._folder / f"{self._name}.json"

    def _drop(self, place: Path) -> None:
        self._remove(place)
        self._remove(place.with_suffix(".lock"))

    @staticmethod
    def _remove(place: Path) -> None:
        with contextlib.suppress(OSError):
            place.unlink()


def _is_locked(path: Path) -> bool:
    """Tell whether a process that runs now holds the lock at `path`; where there is none, no."""
    try:
        return window_lock.is_held(path)
    except OSError:
        return False
