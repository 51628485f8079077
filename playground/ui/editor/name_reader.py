"""The helper process that knows names, seen from the window: questions go out, answers come in."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, Signal

if TYPE_CHECKING:
    from playground.ui.document import Document
    from playground.ui.editor.code_editor import CodeEditor


class NameReader(QObject):
    """Asks about places in the editor's text; an answer that a newer question overtook is dropped.

    `answered` carries the helper's answer (see `completer`). The process is started by the first
    question, and anew after it fell over.
    """

    answered = Signal(dict)

    def __init__(self, editor: CodeEditor, document: Document) -> None:
        super().__init__(editor)
        self._editor = editor
        self._document = document
        self.process: QProcess | None = None
        self._pending = b""
        self._number = 0
        self._newest: dict[str, int] = {}

    def ask(self, kind: str, line: int, column: int, **more: Any) -> None:
        """Ask about a place of the text, `line` from 0."""
        path = self._document.path
        self._send({
            "kind": kind, "text": self._editor.text(), "path": path,
            "folder": os.path.dirname(path), "line": line + 1, "column": column, **more,
        })  # fmt: skip

    def ask_item(self, number: int) -> None:
        """Ask about one of the completions of the last answer."""
        self._send({"kind": "item", "number": number})

    def forget(self, kind: str) -> None:
        """Drop the answer to the last question of a kind when it comes."""
        self._newest.pop(kind, None)

    def close(self) -> None:
        """End the helper process."""
        process, self.process = self.process, None
        if process is not None:
            process.closeWriteChannel()
            if not process.waitForFinished(300):
                process.kill()
                process.waitForFinished(1000)

    def _send(self, request: dict[str, Any]) -> None:
        self._number += 1
        self._newest[request["kind"]] = self._number
        line = json.dumps({"id": self._number, **request}).encode() + b"\n"
        self._helper().write(line)

    def _helper(self) -> QProcess:
        if self.process is None:
            process = QProcess(self)
            environment = QProcessEnvironment.systemEnvironment()
            # From a checkout the helper must find this package without the current folder on its
            # path, where a user's own `jedi.py` may lie.
            root = str(Path(__file__).resolve().parents[3])
            paths = [root, environment.value("PYTHONPATH")]
            environment.insert("PYTHONPATH", os.pathsep.join(filter(None, paths)))
            process.setProcessEnvironment(environment)
            process.setProgram(sys.executable)
            process.setArguments(["-P", "-m", "playground.ui.editor.completer"])
            process.readyReadStandardOutput.connect(self._on_output)
            process.finished.connect(self._on_finished)
            process.start()
            self.process = process
        return self.process

    def _on_finished(self) -> None:
        # A helper that fell over is started anew by the next request.
        if self.process is not None:
            self.process.deleteLater()
            self.process = None
        self._pending = b""

    def _on_output(self) -> None:
        if self.process is None:
            return
        self._pending += bytes(self.process.readAllStandardOutput().data())
        *lines, self._pending = self._pending.split(b"\n")
        for line in lines:
            answer = json.loads(line)
            if self._newest.get(answer["kind"]) == answer["id"]:
                self.answered.emit(answer)
