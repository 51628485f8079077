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

if TYPE_CHECKING:
    from playground.protocol.messages import Exported
    from playground.ui.document import Document
    from playground.ui.settings import Settings
    from playground.ui.window import MainWindow

_FILTER = "Python files (*.py);;All files (*)"

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

    def __init__(self, window: MainWindow, document: Document, settings: Settings) -> None:
        super().__init__(window)
        self._window = window
        self._document = document
        self._settings = settings
        document.exported.connect(self._on_exported)
        document.pathChanged.connect(self._on_path)

    # ----------------------------------------------------------------------------- open

    def new(self) -> None:
        """Ask for a name, and start there with a small kernel that runs."""
        if not self.may_discard():
            return
        from PySide6.QtWidgets import QFileDialog

        folder = os.path.dirname(self._document.path)
        start = os.path.join(folder, "kernel.py")
        path, _ = QFileDialog.getSaveFileName(self._window, "New kernel file", start, _FILTER)
        if not path:
            return
        path = _with_suffix(path)
        try:
            write_text_file(path, TextFile(NEW_FILE))
        except FileProblem as problem:
            found = Finding("error", "engine", str(problem), file=path)
            self._document.set_findings("file", (found,))
            return
        self.written.emit(path)
        self._document.open_file(os.path.abspath(path))

    def open(self) -> None:
        """Ask which file to open, and open it."""
        from PySide6.QtWidgets import QFileDialog

        folder = os.path.dirname(self._document.path)
        path, _ = QFileDialog.getOpenFileName(self._window, "Open a kernel file", folder, _FILTER)
        if path:
            self.open_path(path)

    def open_path(self, path: str) -> bool:
        """Open `path` after asking about unsaved text; nothing of it is executed."""
        if not self.may_discard():
            return False
        return self._document.open_file(os.path.abspath(path))

    def open_dropped(self, paths: list[str]) -> None:
        """Open the first of the files dropped on the window."""
        files = [path for path in paths if os.path.isfile(path)]
        if files:
            self.open_path(files[0])

    def reload(self) -> None:
        """Read the file again; undo brings the present text back."""
        self._document.reload()

    def close(self) -> None:
        """Close the file after asking about unsaved text."""
        if self.may_discard():
            self._document.close_file()

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
        """Save; a file without a name asks for one."""
        if not self._document.path:
            return self.save_as()
        return self._document.save()

    def save_as(self) -> bool:
        """Ask for a name and save under it."""
        from PySide6.QtWidgets import QFileDialog

        start = self._document.path or "kernel.py"
        path, _ = QFileDialog.getSaveFileName(self._window, "Save the kernel file", start, _FILTER)
        ours = not self._document.path
        if not path or not self._document.save(_with_suffix(path)):
            return False
        if ours:
            self.written.emit(self._document.path)
        return True

    def may_discard(self) -> bool:
        """Ask about unsaved text; True when it was saved or is to be thrown away."""
        if not self._document.dirty:
            return True
        from PySide6.QtWidgets import QMessageBox

        name = os.path.basename(self._document.path) or "the new file"
        box = QMessageBox(self._window)
        box.setObjectName("unsaved")
        box.setIcon(QMessageBox.Icon.Warning)
        box.setWindowTitle("Unsaved changes")
        box.setText(f"Save the changes to {name}?")
        box.setInformativeText("They are lost if you don't.")
        buttons = QMessageBox.StandardButton
        box.setStandardButtons(buttons.Save | buttons.Discard | buttons.Cancel)
        box.setDefaultButton(buttons.Save)
        answer = box.exec()
        if answer == buttons.Save:
            return self.save()
        return answer == buttons.Discard

    # --------------------------------------------------------------------------- export

    def export(self) -> None:
        """Ask the engine for the tuned file; the dialog comes with its answer."""
        self._document.export()

    def _on_exported(self, exported: Exported) -> None:
        if not exported.text:
            return
        from PySide6.QtWidgets import QFileDialog

        start = os.path.join(self._export_folder(), exported.suggested_name)
        is_data = exported.suggested_name.endswith(".json")
        title = "Save the sweep's results" if is_data else "Save the tuned kernel"
        kinds = "JSON files (*.json)" if is_data else _FILTER
        path, _ = QFileDialog.getSaveFileName(self._window, title, start, kinds)
        if path:
            self.write_export(path if is_data else _with_suffix(path), exported)

    def write_export(self, path: str, exported: Exported) -> bool:
        """Write the tuned file to `path`; the outcome becomes a finding."""
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
        self._document.set_findings("export", (*exported.findings, found))
        if found.severity == "info" and not path.endswith(".json"):
            self._window.export_check.offer(path)
        return found.severity == "info"

    def _export_folder(self) -> str:
        """Return where exports are offered to go: beside the file, unless it is a bundled one."""
        folder = os.path.dirname(self._document.path)
        bundled = os.path.realpath(folder) == os.path.realpath(kernels_dir())
        if folder and not bundled:
            return folder
        here = os.getcwd()
        return here if os.access(here, os.W_OK) else os.path.expanduser("~")


def _with_suffix(path: str) -> str:
    return path if os.path.splitext(path)[1] else f"{path}.py"
