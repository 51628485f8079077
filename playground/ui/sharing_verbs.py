"""What the window hands on of a launch: a report for others to read, a script for others to run."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from playground.model.finding import Finding
from playground.ui.files import FileProblem, TextFile, write_text_file

if TYPE_CHECKING:
    from playground.protocol.messages import Exported, Reply
    from playground.protocol.sharing import Form
    from playground.ui.document import Document
    from playground.ui.window import MainWindow

_MESSAGE_MS = 8000


class SharingVerbs(QObject):
    """Verbs of one window; `made` tells what came of the last question: the form and the text."""

    made = Signal(str, str)

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window

    def report(self) -> None:
        """Write all that is known of the launch as one HTML file, asking where."""
        self._ask("report")

    def copy_reproducer(self) -> None:
        """Put a minimal script that launches the kernel once on the clipboard."""
        self._ask("reproducer")

    def _ask(self, form: Form) -> None:
        from playground.protocol import messages  # with them comes numpy: the window paints first

        # The file in front now, whichever is when the answer comes.
        document = self._window.open_files.current
        if document.launch is None:
            return
        document.progressChanged.emit(f"writing the {form}", None)
        request = messages.Share(document.launch_index, document.config, form)
        document.work.ask(request, "export", lambda reply: self._take(document, form, reply))

    def _take(self, document: Document, form: Form, reply: Reply) -> None:
        from playground.protocol import messages

        if isinstance(reply, messages.Exported):
            if form == "report":
                self._save(document, reply)
            else:
                self._copy(reply)
            self.made.emit(form, reply.text)
        elif isinstance(reply, messages.Finished):
            document.progressChanged.emit("", None)
            if reply.findings:
                document.set_findings("export", reply.findings)

    def _save(self, document: Document, exported: Exported) -> None:
        from PySide6.QtWidgets import QFileDialog

        folder = os.path.dirname(document.path)
        start = os.path.join(folder, exported.suggested_name)
        path, _ = QFileDialog.getSaveFileName(
            self._window, "Save the report", start, "HTML pages (*.html)"
        )
        if path:
            path = path if os.path.splitext(path)[1] else f"{path}.html"
            self.write_report(path, exported, document)

    def write_report(self, path: str, exported: Exported, document: Document) -> bool:
        """Write the report to `path`; the outcome becomes a finding of the file it is about."""
        try:
            write_text_file(path, TextFile(exported.text))
        except FileProblem as problem:
            found = Finding("error", "export", str(problem), file=path)
        else:
            found = Finding(
                "info", "export", f"report written to {path}", "any browser shows it", file=path
            )
        document.set_findings("export", (*exported.findings, found))
        return found.severity == "info"

    def _copy(self, exported: Exported) -> None:
        from PySide6.QtGui import QGuiApplication

        QGuiApplication.clipboard().setText(exported.text)
        lines = exported.text.count("\n")
        self._window.statusBar().showMessage(
            f"A script of {lines} lines is on the clipboard: it needs torch and triton alone, and "
            "to compile no GPU.",
            _MESSAGE_MS,
        )
