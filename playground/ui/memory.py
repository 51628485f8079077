"""What a window keeps for the next one: unsaved text, how files were looked at, and the layout."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from playground.model.finding import Finding
from playground.ui.file_memory import FileMemory
from playground.ui.of_file import OfFile
from playground.ui.settings import LAYOUT_VERSION
from playground.ui.unsaved import Unsaved

if TYPE_CHECKING:
    from playground.ui.document import Document
    from playground.ui.unsaved import Lost
    from playground.ui.window import MainWindow

_MOST_OFFERED = 3


class Memory(QObject):
    """Keeps while the window is open, and offers what a crash left behind when it starts."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        files = window.open_files
        self.unsaved = Unsaved(files.home)
        self._looked: dict[Document, FileMemory] = {}
        self._started = False
        for document in files.documents:
            self._follow(document)
        window.closed.connect(self.close)
        files.added.connect(self._add)
        files.removed.connect(self._leave)
        files.changed.connect(self._keep_list)

    def start(self) -> None:
        """Begin to keep; offer what windows that crashed had not saved."""
        settings = self._window.settings
        self._started = True
        self.unsaved.start()
        for document, looked in self._looked.items():
            looked.start()
            self._on_opened(document)
        for number, lost in enumerate(self.unsaved.lost()[:_MOST_OFFERED]):
            self._offer(number, lost)
        looked_notes = (each.note for each in self._looked.values())
        notes = tuple(filter(None, (settings.note, self.unsaved.note, *looked_notes)))
        self._window.open_files.current.set_findings(
            "memory", tuple(Finding("warning", "engine", note) for note in notes)
        )

    def looked_at(self, document: Document) -> FileMemory:
        """Return what keeps how a document is looked at."""
        return self._looked[document]

    def close(self) -> None:
        """Write the rest; the window is closed, and the user was asked about unsaved text."""
        for looked in self._looked.values():
            looked.close()
        self.unsaved.close()

    # ----------------------------------------------------------------------------- tabs

    def _add(self, document: Document) -> None:
        self.unsaved.follow(document)
        self._follow(document)
        if self._started:
            self._looked[document].start()

    def _follow(self, document: Document) -> None:
        self._looked[document] = FileMemory(document, self._window.area)
        document.opened.connect(OfFile(self, document, self._on_opened).take)

    def _leave(self, document: Document) -> None:
        if document is self._window.open_files.home:
            return  # it was emptied, and waits for another file
        self._looked.pop(document).close()
        self.unsaved.leave(document)

    def _keep_list(self) -> None:
        """Remember which files are open, for the next window."""
        files, settings = self._window.open_files, self._window.settings
        if not self._started or files.is_filling:
            return
        paths, front = files.paths, files.current.path
        if (paths, front) != (tuple(settings.open_files), settings.last_open):
            settings.open_files = list(paths)
            settings.last_open = front

    # ------------------------------------------------------------------------ after a crash

    def _offer(self, number: int, lost: Lost) -> None:
        name = os.path.basename(lost.path) or "a file without a name"
        self._window.area.notices.ask(
            f"lost{number}",
            f"{name} had unsaved changes when its window ended unexpectedly ({lost.when()}).",
            (
                ("restore", "Restore them", lambda: self._restore(lost)),
                ("later", "Not now", lambda: None),
                ("drop", "Throw them away", lambda: self.unsaved.forget(lost)),
            ),
        )

    def _restore(self, lost: Lost) -> None:
        window = self._window
        there = window.open_files.find(lost.path)
        if there is not None and not window.files.may_discard((there,)):
            return  # the text stays where it is, and is offered again by the next window
        document = window.open_files.open_unsaved(lost.path, lost.text)
        if document is None:
            return
        self.unsaved.keep_now()
        self.unsaved.forget(lost)
        now = document.file.saved_text.encode("utf-8", "surrogatepass")
        if lost.base and hashlib.sha256(now).hexdigest() != lost.base:
            name = os.path.basename(lost.path)
            found = Finding(
                "warning", "engine", f"{name} on disk is not what these changes were made to",
                "undo shows what the file holds; save to put the text shown here in its place",
                file=lost.path,
            )  # fmt: skip
            document.set_findings("file", (found,))

    # ---------------------------------------------------------------------- another window

    def _on_opened(self, document: Document) -> None:
        if not self._started:
            return
        window, path = self._window, document.path
        window.settings.save_layout(window.saveGeometry(), window.saveState(LAYOUT_VERSION))
        self._keep_list()
        notices = window.area.notices
        notices.take_back("elsewhere", document)
        if self.unsaved.is_open_elsewhere(path):
            notices.ask(
                "elsewhere",
                f"{os.path.basename(path)} is open in another window too. Each tells when the "
                "other has saved; neither overwrites that without asking.",
                (("understood", "Understood", lambda: None),),
                document,
            )
