"""The completion popup: names that fit at the cursor, each with what is known of it beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QObject, QStringListModel, Qt, QTimer
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QAbstractItemView, QCompleter

from playground.ui.editor.doc_box import DocBox
from playground.ui.editor.hints import Hints
from playground.ui.editor.name_reader import NameReader

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
        self.reader = NameReader(editor, document)
        self.reader.answered.connect(self._take)
        self.hints = Hints(editor, self.reader)
        self._names: list[str] = []
        self._doc: DocBox | None = None
        self._model = QStringListModel(self)
        self.completer = QCompleter(self._model, self)
        self.completer.setWidget(editor)
        self.completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
        self.completer.setMaxVisibleItems(10)
        self._popup()  # a window of its own, which takes another theme only where it is there
        self.completer.activated.connect(self._insert)
        self.completer.highlighted.connect(self._on_marked)  # the overload that carries the name
        self._popup_named = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(TYPING_DELAY_MS)
        self._timer.timeout.connect(self._ask)
        editor.completionWanted.connect(self._on_wanted)
        editor.cursorPositionChanged.connect(self._narrow)
        editor.sheetChanged.connect(self._forget)

    def _forget(self) -> None:
        """Ask and show nothing: what was asked was about another text."""
        self._timer.stop()
        self._hide()
        for kind in ("complete", "item", "define"):
            self.reader.forget(kind)
        self.hints.hide()

    def close(self) -> None:
        """End the helper process."""
        self._timer.stop()
        self.reader.close()

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
        self.reader.ask("complete", line, column, word=self._editor.word_before_cursor())

    def _on_marked(self, name: str) -> None:
        if name in self._names:
            self.reader.ask_item(self._names.index(name))

    # ------------------------------------------------------------------------ showing

    def _take(self, answer: dict[str, Any]) -> None:
        if answer["kind"] == "item" and self._shown() and answer.get("description"):
            self._show_doc(answer["description"])
        if answer["kind"] != "complete":
            return
        names = self._names = [item["name"] for item in answer.get("names", ())]
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

    def _show_doc(self, description: dict[str, str]) -> None:
        if self._doc is None:
            self._doc = DocBox("completionDoc", self._editor)
        self._doc.set_description(description, self._editor.font().family())
        popup = self._popup()
        area = popup.rect()
        area.moveTopLeft(popup.mapToGlobal(area.topLeft()))
        self._doc.place_beside(area)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take the documentation away with the names."""
        if event.type() == QEvent.Type.Hide and self._doc is not None:
            self._doc.hide()
        return super().eventFilter(watched, event)

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
            popup.installEventFilter(self)
        popup.setCurrentIndex(self.completer.completionModel().index(0, 0))
        area = self._editor.cursorRect()
        area.translate(self._editor.viewportMargins().left(), 0)
        width = popup.sizeHintForColumn(0) + 2 * self._editor.fontMetrics().height()
        area.setWidth(min(max(width, 160), 480))
        self.completer.complete(area)
        self._on_marked(popup.currentIndex().data())

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
