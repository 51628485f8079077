"""Unsaved text, kept on disk while it is typed, so that no crash takes more than two seconds of it.

Every window has a lock file in the state folder, which the system unlocks when its process ends,
however it ends, and beside it for each tab a file with the path that is open and its unsaved text.
A window that starts looks for such files whose lock is free.
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
    """What one tab of a window has open.

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
    """Keeps the unsaved texts of one window; `lost` finds those of windows that crashed.

    Parameters
    ----------
    document
        The one that the window begins with; `follow` adds those of further tabs.
    """

    def __init__(self, document: Document, folder: Path | None = None) -> None:
        super().__init__(document)
        self._chosen = folder
        self._folder: Path | None = None
        self._lock: int | None = None
        self._name = uuid.uuid4().hex
        self._keepers: dict[Document, _Keeper] = {}
        self.note = ""
        """What had to be set aside, for the user."""
        self.follow(document)

    def start(self) -> None:
        """Begin to keep what is typed."""
        try:
            self._folder = self._chosen or private_folder(state_folder() / "windows")
            private_folder(self._folder)
            self._lock = window_lock.take(self._lock_of(self._name))
        except (StateProblem, OSError) as error:
            for keeper in self._keepers.values():
                keeper.tell(str(error))
            return
        for document, keeper in self._keepers.items():
            keeper.start(self._place(document))

    def follow(self, document: Document) -> None:
        """Keep the text of a further tab as well."""
        keeper = self._keepers[document] = _Keeper(document)
        if self._lock is not None:
            keeper.start(self._place(document))

    def leave(self, document: Document) -> None:
        """Forget the text of a tab: it was closed, and the user was asked about it."""
        keeper = self._keepers.pop(document, None)
        if keeper is not None:
            keeper.close()

    def keep_now(self, _what: object = None) -> None:
        """Write what is open now, unless it is written already."""
        for keeper in self._keepers.values():
            keeper.keep_now()

    def close(self) -> None:
        """Forget the texts: the window was closed, and the user was asked about them."""
        for keeper in self._keepers.values():
            keeper.close()
        if self._folder is None or self._lock is None:
            return
        os.close(self._lock)
        _remove(self._lock_of(self._name))
        self._lock = None

    def _place(self, document: Document) -> Path:
        # The first one is named as that of a window with one file always was.
        name = f"{self._name}-{document.number}" if document.number else self._name
        return self._in_folder() / f"{name}.json"

    def _lock_of(self, name: str) -> Path:
        return self._in_folder() / f"{name.partition('-')[0]}.lock"

    def _in_folder(self) -> Path:
        if self._folder is None:
            raise RuntimeError("nothing is kept yet")
        return self._folder

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
            lock = self._lock_of(place.stem)
            if lock == self._lock_of(self._name) or _is_locked(lock) != alive:
                continue
            state, note = read_state(place, WindowState, VERSION)
            self.note = note or self.note
            if state is not None:
                found.append((place, state))
        return found

    def _drop(self, place: Path) -> None:
        _remove(place)
        lock = self._lock_of(place.stem)
        if not any(lock == self._lock_of(other.stem) for other in place.parent.glob("*.json")):
            _remove(lock)


class _Keeper(QObject):
    """Keeps the unsaved text of one document in a file of its own."""

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self._document = document
        self._place: Path | None = None
        self._kept: WindowState | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(KEEP_AFTER_MS)
        self._timer.timeout.connect(self.keep_now)

    def start(self, place: Path) -> None:
        """Begin to keep what is typed at `place`."""
        document = self._document
        self._place = place
        document.edited.connect(self._wait)
        document.dirtyChanged.connect(self._wait)
        document.pathChanged.connect(self.keep_now)
        self.keep_now()

    def close(self) -> None:
        """Forget the text."""
        self._timer.stop()
        place, self._place = self._place, None
        if place is not None:
            _remove(place)

    def keep_now(self, _what: object = None) -> None:
        """Write what is open now, unless it is written already."""
        self._timer.stop()
        if self._place is None:
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
            write_state(self._place, now, VERSION)
        except StateProblem as problem:
            self.tell(str(problem))
            self._timer.start()  # the disk may have room again
            return
        self._kept = now
        document.set_findings("unsaved", ())

    def _wait(self, _what: object = None) -> None:
        # Not started anew by each key: who types without a pause is kept as well.
        if not self._timer.isActive():
            self._timer.start()

    def tell(self, why: str) -> None:
        """Say that the text is not kept, and why."""
        hint = "the text is only in this window until you save it"
        found = Finding("warning", "engine", f"unsaved text is not kept: {why}", hint)
        self._document.set_findings("unsaved", (found,))


def _remove(place: Path) -> None:
    with contextlib.suppress(OSError):
        place.unlink()


def _is_locked(path: Path) -> bool:
    """Tell whether a process that runs now holds the lock at `path`; where there is none, no."""
    try:
        return window_lock.is_held(path)
    except OSError:
        return False
