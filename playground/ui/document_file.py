"""The open file on disk: its bytes' style, whether the buffer differs, and changes from outside."""

from __future__ import annotations

import os

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal

from playground.ui.files import FileProblem, TextFile, read_text_file, write_text_file

SETTLE_MS = 150
"""Editors save in several steps (truncate, write, rename); look once after the last."""


class ChangedMeanwhile(FileProblem):
    """Somebody else wrote the file since it was read, and it was not overwritten."""


class DocumentFile(QObject):
    """Reads, saves and watches one file; the signals tell when someone else wrote or removed it."""

    changedOnDisk = Signal(str)
    deletedOnDisk = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.path = ""
        self._saved = TextFile("")
        self._gone = False
        self._watcher = QFileSystemWatcher(self)
        self._watcher.fileChanged.connect(self._on_changed)
        self._watcher.directoryChanged.connect(self._on_changed)
        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.setInterval(SETTLE_MS)
        self._settle.timeout.connect(self._look)

    @property
    def saved_text(self) -> str:
        """The text as it was last read or written."""
        return self._saved.text

    @property
    def is_gone(self) -> bool:
        """Whether the file was there once and is no more."""
        return self._gone

    def differs_from(self, text: str) -> bool:
        """Tell whether `text` is not what the file holds, or held before it was deleted."""
        return self._gone or text != self._saved.text

    def adopt(self, path: str) -> None:
        """Take `path`, which is not there, as the name of a text that was never saved to it."""
        self._saved = TextFile("")
        self._gone = bool(path)
        self._watch(os.path.abspath(path) if path else "")

    def read(self, path: str) -> str:
        """Read `path`, watch it from now on, and return its text; raises `FileProblem`."""
        file = read_text_file(path)
        self._saved = file
        self._gone = False
        self._watch(os.path.abspath(path))
        return file.text

    def write(self, path: str, text: str) -> None:
        """Save `text` to `path` in the file's own style and watch it.

        Raises
        ------
        ChangedMeanwhile
            Somebody else wrote the open file, and nobody was told yet; the next call overwrites it.
        FileProblem
            It can't be written; the file is as it was.
        """
        if os.path.abspath(path) == self.path and self._changed():
            raise ChangedMeanwhile(f"{os.path.basename(path)} changed on disk: it was not saved")
        style = self._saved
        file = TextFile(text, style.encoding, style.newline, style.bom)
        write_text_file(path, file)
        self._saved = file
        self._gone = False
        self._watch(os.path.abspath(path))

    def close(self) -> None:
        """Stop watching."""
        self._settle.stop()
        self._unwatch()

    def _unwatch(self) -> None:
        watched = [*self._watcher.files(), *self._watcher.directories()]
        if watched:
            self._watcher.removePaths(watched)

    def _watch(self, path: str) -> None:
        self.path = path
        self._unwatch()
        # The folder as well: an atomic save replaces the file, and its watch goes with the old one.
        there = [place for place in (path, os.path.dirname(path)) if os.path.exists(place)]
        if there:
            self._watcher.addPaths(there)

    def _on_changed(self, _path: str) -> None:
        self._settle.start()

    def _look(self) -> None:
        if not self.path:
            return
        if not os.path.exists(self.path):
            if not self._gone:
                self._gone = True
                self.deletedOnDisk.emit(self.path)
            return
        if self.path not in self._watcher.files():
            self._watcher.addPath(self.path)
        came_back, self._gone = self._gone, False
        if self._changed() or came_back:
            self.changedOnDisk.emit(self.path)

    def _changed(self) -> bool:
        """Tell whether the file holds another text than the one known, which it is from now on."""
        try:
            now = read_text_file(self.path)
        except FileProblem:
            return False  # half-written or unreadable for a moment: the next change looks again
        changed = now.text != self._saved.text
        if changed:
            self._saved = now
        return changed
