"""Which files may run: those from outside are asked about once, before their first run."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from playground.model.resources import kernels_dir
from playground.ui.of_file import OfFile

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.ui.document import Document
    from playground.ui.window import MainWindow


class Trust(QObject):
    """Stands before every execution that the window starts.

    Trusted are the bundled kernels, what was written here (new files, exports, texts without a
    file), and what the user has allowed: a file, or a folder with all in it.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        # Documents of later tabs take it over from the first one.
        window.open_files.home.may_execute = self.may_execute
        window.files.written.connect(self.allow)
        for document in window.open_files.documents:
            self._follow(document)
        window.open_files.added.connect(self._follow)

    def may_execute(self, path: str, again: Callable[[], None]) -> bool:
        """Tell whether the file at `path` may run; else ask, and call `again` once allowed."""
        if not path or self.is_trusted(path):
            return True
        name, folder = os.path.basename(path), os.path.dirname(os.path.realpath(path))
        files = self._window.open_files

        def allow_file() -> None:
            self.allow(path)
            again()

        def allow_folder() -> None:
            self._window.settings.trust_folder(folder)
            again()

        self._window.area.notices.ask(
            "trust",
            f"{name} has not run here before. Running it executes it with all your rights, like "
            f"`python {name}`.",
            (
                ("file", "Run it", allow_file),
                ("folder", f"Always trust {_shortened(folder)}", allow_folder),
                ("no", "Don't run", lambda: None),
            ),
            files.find(path) or files.current,
        )
        return False

    def is_trusted(self, path: str) -> bool:
        """Tell whether the file at `path` runs without a question."""
        real = os.path.realpath(path)
        bundled = os.path.realpath(kernels_dir())
        return real.startswith(bundled + os.sep) or self._window.settings.trusts(real)

    def allow(self, path: str) -> None:
        """Let the file at `path` run from now on."""
        self._window.settings.trust_file(os.path.realpath(path))

    def _follow(self, document: Document) -> None:
        document.aboutToOpen.connect(OfFile(self, document, self._take_back).take)

    def _take_back(self, document: Document) -> None:
        self._window.area.notices.take_back("trust", document)


def _shortened(folder: str) -> str:
    home = os.path.expanduser("~")
    name = os.path.basename(folder) or folder
    return "your home folder" if folder == home else f"the folder {name}"
