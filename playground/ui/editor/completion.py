"""The completion popup: names from the engine's kernel where it has them, else from jedi."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, QStringListModel, Qt, QTimer
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QAbstractItemView, QCompleter

if TYPE_CHECKING:
    from playground.ui.document import Document
    from playground.ui.editor.code_editor import CodeEditor

TYPING_DELAY_MS = 120
_MIN_LETTERS = 2


class Completion(QObject):
    """Asks for names at the cursor and shows them in a popup that narrows while the user types."""

    def __init__(self, editor: CodeEditor, document: Document) -> None:
        super().__init__(editor)
        self._editor = editor
        self._document = document
        self._process: QProcess | None = None
        self._pending = b""
        self._request = 0
        self._model = QStringListModel(self)
        self.completer = QCompleter(self._model, self)
        self.completer.setWidget(editor)
        self.completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
        self.completer.setMaxVisibleItems(10)
        self.completer.activated.connect(self._insert)
        self._popup_named = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(TYPING_DELAY_MS)
        self._timer.timeout.connect(self._ask)
        editor.completionWanted.connect(self._on_wanted)
        editor.cursorPositionChanged.connect(self._narrow)

    def close(self) -> None:
        """End the helper process."""
        self._timer.stop()
        process, self._process = self._process, None
        if process is not None:
            process.closeWriteChannel()
            if not process.waitForFinished(300):
                process.kill()
                process.waitForFinished(1000)

    # ------------------------------------------------------------------------- asking

    def _on_wanted(self, explicit: bool) -> None:
        if explicit:
            self._ask()
            return
        before = self._editor.textCursor().block().text()
        before = before[: self._editor.textCursor().positionInBlock()]
        if before.endswith(".") or len(self._editor.word_before_cursor()) >= _MIN_LETTERS:
            if not self._shown():
                self._timer.start()
        else:
            self._timer.stop()

    def _ask(self) -> None:
        self._timer.stop()
        cursor = self._editor.textCursor()
        line, column = cursor.blockNumber(), cursor.positionInBlock()
        if self._editor.highlighter.is_string(line, max(column - 1, 0)):
            return
        path = self._document.path
        self._request += 1
        request = {
            "id": self._request, "text": self._editor.text(), "path": path,
            "folder": os.path.dirname(path), "line": line + 1, "column": column,
            "word": self._editor.word_before_cursor(),
        }  # fmt: skip
        self._helper().write(json.dumps(request).encode() + b"\n")

    def _helper(self) -> QProcess:
        if self._process is None:
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
            self._process = process
        return self._process

    def _on_finished(self) -> None:
        # A helper that fell over is started anew by the next request.
        if self._process is not None:
            self._process.deleteLater()
            self._process = None
        self._pending = b""

    def _on_output(self) -> None:
        if self._process is None:
            return
        self._pending += bytes(self._process.readAllStandardOutput().data())
        *lines, self._pending = self._pending.split(b"\n")
        for line in lines:
            self._take(json.loads(line))

    # ------------------------------------------------------------------------ showing

    def _take(self, answer: dict[str, Any]) -> None:
        if answer["id"] != self._request:
            return
        names = [item["name"] for item in answer["names"]]
        word = self._editor.word_before_cursor()
        if not names or names == [word]:
            self._hide()
            return
        self._model.setStringList(names)
        self._show()

    def _popup(self) -> QAbstractItemView:
        popup = self.completer.popup()
        if popup is None:
            raise RuntimeError("the completer has no popup")
        return popup

    def _shown(self) -> bool:
        return self._popup_named and self._popup().isVisible()

    def _hide(self) -> None:
        if self._popup_named:
            self._popup().hide()

    def _show(self) -> None:
        if not self._editor.hasFocus() and not self._shown():
            return
        self.completer.setCompletionPrefix(self._editor.word_before_cursor())
        if self.completer.completionCount() == 0:
            self._hide()
            return
        popup = self._popup()
        if not self._popup_named:
            popup.setObjectName("completions")
            popup.setAccessibleName("Completions")
            popup.setFont(self._editor.font())
            self._popup_named = True
            self._editor.popup = popup
        popup.setCurrentIndex(self.completer.completionModel().index(0, 0))
        area = self._editor.cursorRect()
        area.translate(self._editor.viewportMargins().left(), 0)
        width = popup.sizeHintForColumn(0) + 2 * self._editor.fontMetrics().height()
        area.setWidth(min(max(width, 160), 480))
        self.completer.complete(area)

    def _narrow(self) -> None:
        if not self._shown():
            return
        before = self._editor.textCursor().block().text()
        before = before[: self._editor.textCursor().positionInBlock()]
        if self._editor.word_before_cursor() or before.endswith("."):
            self._show()
        else:
            self._hide()

    def _insert(self, name: str) -> None:
        cursor = self._editor.textCursor()
        cursor.movePosition(
            QTextCursor.MoveOperation.Left,
            QTextCursor.MoveMode.KeepAnchor,
            len(self._editor.word_before_cursor()),
        )
        cursor.insertText(name)
        self._editor.setTextCursor(cursor)
