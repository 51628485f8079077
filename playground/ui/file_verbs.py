"""Opening, saving, exporting: everything that asks the user about files.

The dialogs' classes are imported where they open: the first paint need not wait for them.
"""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from playground.model.finding import Finding
from playground.model.python_command import python_command
from playground.model.resources import kernels_dir
from playground.ui.files import FileProblem, TextFile, write_text_file
from playground.ui.of_file import OfFile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playground.protocol.messages import Exported
    from playground.ui.document import Document
    from playground.ui.window import MainWindow

_FILTER = "Python files (*.py);;All files (*)"
_MOST_LISTED = 12

NEW_FILE = '''"""A new kernel file."""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def scale_kernel(x_ptr, out_ptr, factor, n_elements, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(axis=0)
    offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x * factor, mask=mask)


def example(size: int = 10_000):
    x = torch.arange(size, dtype=torch.float32, device=DEVICE)
    out = torch.empty_like(x)
    grid = lambda meta: (triton.cdiv(size, meta["BLOCK_SIZE"]),)
    scale_kernel[grid](x, out, 2.0, size, BLOCK_SIZE=1024)
    return out


def reference(size: int = 10_000):
    return 2.0 * torch.arange(size, dtype=torch.float32, device=DEVICE)
'''


class FileVerbs(QObject):
    """The file menu's verbs; `recentChanged` tells that the list of recent files is another.

    `written` carries the path of a file that came from this window.
    """

    recentChanged = Signal()
    written = Signal(str)

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._files = window.open_files
        self._settings = window.settings
        for document in self._files.documents:
            self._follow(document)
        self._files.added.connect(self._follow)

    def _follow(self, document: Document) -> None:
        document.exported.connect(OfFile(self, document, self._on_exported).take)
        document.pathChanged.connect(self._on_path)

    # ----------------------------------------------------------------------------- open

    def new(self) -> None:
        """Ask for a name, and start there with a small kernel that runs."""
        from PySide6.QtWidgets import QFileDialog

        folder = os.path.dirname(self._files.current.path)
        start = os.path.join(folder, "kernel.py")
        path, _ = QFileDialog.getSaveFileName(self._window, "New kernel file", start, _FILTER)
        if not path:
            return
        path = os.path.abspath(_with_suffix(path))
        there = self._files.find(path)
        if there is not None and not self.may_discard((there,)):
            return
        try:
            write_text_file(path, TextFile(NEW_FILE))
        except FileProblem as problem:
            found = Finding("error", "engine", str(problem), file=path)
            self._files.current.set_findings("file", (found,))
            return
        self.written.emit(path)
        if there is not None:
            there.reload()
        self._files.open(path)

    def open(self) -> None:
        """Ask which files to open, and open them."""
        from PySide6.QtWidgets import QFileDialog

        folder = os.path.dirname(self._files.current.path)
        paths, _ = QFileDialog.getOpenFileNames(self._window, "Open kernel files", folder, _FILTER)
        for path in paths:
            self.open_path(path)

    def open_path(self, path: str) -> bool:
        """Open `path` in a tab, or bring its tab to the front; nothing of it is executed."""
        return self._files.open(os.path.abspath(path)) is not None

    def open_dropped(self, paths: list[str]) -> None:
        """Open the files dropped on the window."""
        for path in paths:
            if os.path.isfile(path):
                self.open_path(path)

    def reload(self) -> None:
        """Read the file again; undo brings the present text back."""
        self._files.current.reload()

    def close(self) -> None:
        """Close the tab in front after asking about unsaved text."""
        self.close_documents([self._files.current])

    def close_others(self) -> None:
        """Close all tabs but the one in front, after asking about unsaved text."""
        self.close_documents([d for d in self._files.documents if d is not self._files.current])

    def close_documents(self, documents: list[Document]) -> None:
        """Close these tabs after asking about unsaved text in them."""
        if self.may_discard([document for document in documents if document.dirty]):
            for document in documents:
                self._files.close(document)

    def next_tab(self) -> None:
        """Bring the next tab to the front."""
        self._files.step(1)

    def previous_tab(self) -> None:
        """Bring the tab before to the front."""
        self._files.step(-1)

    def copy_path(self, path: str) -> None:
        """Put a file's path on the clipboard."""
        from PySide6.QtGui import QGuiApplication

        QGuiApplication.clipboard().setText(path)
        self._window.statusBar().showMessage(f"{path} is on the clipboard", 4000)

    def copy_path_shown(self) -> None:
        """Put the path of the file in front on the clipboard."""
        self.copy_path(self._files.current.path)

    def reveal(self, path: str) -> None:
        """Open the folder of a file in the desktop's file manager."""
        from PySide6.QtCore import QUrl
        from PySide6.QtGui import QDesktopServices

        folder = os.path.dirname(path)
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(folder)):
            self._window.statusBar().showMessage(f"Nothing here opens folders: {folder}", 6000)

    def reveal_shown(self) -> None:
        """Open the folder of the file in front."""
        self.reveal(self._files.current.path)

    @property
    def last_run(self) -> Document | None:
        """The file that was run last, None while none was."""
        ran = [document for document in self._files.documents if document.work.ran_at]
        return max(ran, key=lambda document: document.work.ran_at, default=None)

    def run_last(self) -> None:
        """Run the file again that was run last, whichever is in front: a helper, say."""
        document = self.last_run
        if document is not None:
            self._files.show(document)
            document.run()

    def clear_recent(self) -> None:
        """Forget the recent files."""
        self._settings.clear_recent()
        self.recentChanged.emit()

    def _on_path(self, path: str) -> None:
        if path:
            self._settings.add_recent(path)
            self.recentChanged.emit()

    # ----------------------------------------------------------------------------- save

    def save(self) -> bool:
        """Save the file in front; one without a name asks for it."""
        return self._save(self._files.current)

    def save_all(self) -> bool:
        """Save every file with changes; tell whether all of them could be."""
        saved = [self._save(document) for document in self._files.unsaved]
        return all(saved)

    def _save(self, document: Document) -> bool:
        if document.path:
            return document.save()
        self._files.show(document)
        return self.save_as()

    def save_as(self) -> bool:
        """Ask for a name and save the file in front under it."""
        from PySide6.QtWidgets import QFileDialog

        document = self._files.current
        start = document.path or "kernel.py"
        path, _ = QFileDialog.getSaveFileName(self._window, "Save the kernel file", start, _FILTER)
        ours = not document.path
        if not path:
            return False
        path = _with_suffix(path)
        other = self._files.find(path)
        if other is not None and other is not document and other.dirty:
            found = Finding(
                "error", "engine", f"{os.path.basename(path)} is open in another tab, with changes",
                "save or close that one first, or choose another name", file=path,
            )  # fmt: skip
            document.set_findings("file", (found,))
            return False
        if not document.save(path):
            return False
        if other is not None and other is not document:
            self._files.close(other)  # one file, one tab: it holds this text now
        if ours:
            self.written.emit(document.path)
        return True

    def may_discard(self, documents: Sequence[Document]) -> bool:
        """Ask about unsaved text, in one question; True when all was saved or is to go."""
        documents = [document for document in documents if document.dirty]
        if not documents:
            return True
        from PySide6.QtWidgets import QMessageBox

        names = self._files.names()
        known = [names.get(document, "") for document in documents]
        box = QMessageBox(self._window)
        box.setObjectName("unsaved")
        box.setIcon(QMessageBox.Icon.Warning)
        box.setWindowTitle("Unsaved changes")
        if len(known) == 1:
            if documents[0] is not self._files.current:
                self._files.show(documents[0])
            name = known[0] if documents[0].path else "the new file"
            box.setText(f"Save the changes to {name}?")
            box.setInformativeText("They are lost if you don't.")
        else:
            box.setText(f"Save the changes to {len(known)} files?")
            listed = [*known[:_MOST_LISTED], *(["…"] if known[_MOST_LISTED:] else [])]
            box.setInformativeText("\n".join([*listed, "", "They are lost if you don't."]))
        buttons = QMessageBox.StandardButton
        save = buttons.Save if len(known) == 1 else buttons.SaveAll
        box.setStandardButtons(save | buttons.Discard | buttons.Cancel)
        box.setDefaultButton(save)
        answer = box.exec()
        if answer == save:
            return all(self._save(document) for document in documents)
        return answer == buttons.Discard

    # --------------------------------------------------------------------------- export

    def export(self) -> None:
        """Ask the engine for the tuned file; the dialog comes with its answer."""
        self._files.current.export()

    def _on_exported(self, document: Document, exported: Exported) -> None:
        if not exported.text:
            return
        from PySide6.QtWidgets import QFileDialog

        start = os.path.join(self._export_folder(document), exported.suggested_name)
        is_data = exported.suggested_name.endswith(".json")
        title = "Save the sweep's results" if is_data else "Save the tuned kernel"
        kinds = "JSON files (*.json)" if is_data else _FILTER
        path, _ = QFileDialog.getSaveFileName(self._window, title, start, kinds)
        if path:
            self.write_export(path if is_data else _with_suffix(path), exported, document)

    def write_export(self, path: str, exported: Exported, document: Document | None = None) -> bool:
        """Write the tuned file to `path`; the outcome becomes a finding of what it was made of."""
        try:
            write_text_file(path, TextFile(exported.text))
        except FileProblem as problem:
            found = Finding("error", "export", str(problem), file=path)
        else:
            self.written.emit(path)
            is_data = path.endswith(".json")
            proof = f"prove it with: {python_command()} {shlex.quote(path)} --check"
            found = Finding(
                "info", "export", f"{'results' if is_data else 'tuned kernel'} written to {path}",
                "" if is_data else proof, file=path,
            )  # fmt: skip
        (document or self._files.current).set_findings("export", (*exported.findings, found))
        if found.severity == "info" and not path.endswith(".json"):
            self._window.export_check.offer(path)
        return found.severity == "info"

    @staticmethod
    def _export_folder(document: Document) -> str:
        """Return where exports are offered to go: beside the file, unless it is a bundled one."""
        folder = os.path.dirname(document.path)
        bundled = os.path.realpath(folder) == os.path.realpath(kernels_dir())
        if folder and not bundled:
            return folder
        here = os.getcwd()
        return here if os.access(here, os.W_OK) else os.path.expanduser("~")


def _with_suffix(path: str) -> str:
    return path if os.path.splitext(path)[1] else f"{path}.py"
