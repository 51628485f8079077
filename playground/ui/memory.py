"""What a window keeps for the next one: unsaved text, how files were looked at, and the layout."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from playground.model.finding import Finding
from playground.ui.file_memory import FileMemory
from playground.ui.settings import LAYOUT_VERSION
from playground.ui.unsaved import Unsaved

if TYPE_CHECKING:
    from playground.ui.unsaved import Lost
    from playground.ui.window import MainWindow

_MOST_OFFERED = 3


class Memory(QObject):
    """Keeps while the window is open, and offers what a crash left behind when it starts."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.unsaved = Unsaved(window.document)
        self.files = FileMemory(window.document, window.editor)
        window.closed.connect(self.close)
        window.document.opened.connect(self._on_opened)

    def start(self) -> None:
        """Begin to keep; offer what windows that crashed had not saved."""
        settings = self._window.settings
        self.unsaved.start()
        self.files.start()
        self._on_opened()
        for number, lost in enumerate(self.unsaved.lost()[:_MOST_OFFERED]):
            self._offer(number, lost)
        notes = tuple(filter(None, (settings.note, self.unsaved.note, self.files.note)))
        self._window.document.set_findings(
            "memory", tuple(Finding("warning", "engine", note) for note in notes)
        )

    def close(self) -> None:
        """Write the rest; the window is closed, and the user was asked about unsaved text."""
        self.files.close()
        self.unsaved.close()

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
        if not window.files.may_discard():
            return  # the text stays where it is, and is offered again by the next window
        if not window.document.open_unsaved(lost.path, lost.text):
            return
        self.unsaved.keep_now()
        self.unsaved.forget(lost)
        now = window.document.file.saved_text.encode("utf-8", "surrogatepass")
        if lost.base and hashlib.sha256(now).hexdigest() != lost.base:
            name = os.path.basename(lost.path)
            found = Finding(
                "warning", "engine", f"{name} on disk is not what these changes were made to",
                "undo shows what the file holds; save to put the text shown here in its place",
                file=lost.path,
            )  # fmt: skip
            window.document.set_findings("file", (found,))

    # ---------------------------------------------------------------------- another window

    def _on_opened(self) -> None:
        window, path = self._window, self._window.document.path
        window.settings.last_open = path
        window.settings.save_layout(window.saveGeometry(), window.saveState(LAYOUT_VERSION))
        notices = window.area.notices
        notices.take_back("elsewhere")
        if self.unsaved.is_open_elsewhere(path):
            notices.ask(
                "elsewhere",
                f"{os.path.basename(path)} is open in another window too. Each tells when the "
                "other has saved; neither overwrites that without asking.",
                (("understood", "Understood", lambda: None),),
            )
