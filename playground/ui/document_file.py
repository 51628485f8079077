"""The open file on disk: its bytes' style, whether the buffer differs, and changes from outside."""

from __future__ import annotations

import os

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal

from playground.ui.files import FileProblem, TextFile, read_text_file, write_text_file

SETTLE_MS = 150
"""Editors save in several steps (truncate, write, rename); look once after the last."""


class DocumentFile(QObject):
    """Reads, saves and watches one file; `changedOnDisk` tells when someone else wrote it."""

    changedOnDisk = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.path = ""
        self._saved = TextFile("")
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

    def read(self, path: str) -> str:
        """Read `path`, watch it from now on, and return its text; raises `FileProblem`."""
        file = read_text_file(path)
        self._saved = file
        self._watch(os.path.abspath(path))
        return file.text

    def write(self, path: str, text: str) -> None:
        """Save `text` to `path` in the file's own style and watch it; raises `FileProblem`."""
        style = self._saved
        file = TextFile(text, style.encoding, style.newline, style.bom)
        write_text_file(path, file)
        self._saved = file
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
        self._watcher.addPaths([path, os.path.dirname(path)])

    def _on_changed(self, _path: str) -> None:
        self._settle.start()

    def _look(self) -> None:
        if not self.path or not os.path.exists(self.path):
            return
        if self.path not in self._watcher.files():
            self._watcher.addPath(self.path)
        try:
            now = read_text_file(self.path)
        except FileProblem:
            return  # half-written or unreadable for a moment: the next change looks again
        if now.text != self._saved.text:
            self._saved = now
            self.changedOnDisk.emit(self.path)
