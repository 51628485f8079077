"""The find and replace bar under the editor."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent, QTextCursor
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QLineEdit, QToolButton, QWidget

from playground.ui.editor.edits import qt_position
from playground.ui.icons import icon

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.ui.editor.code_editor import CodeEditor
    from playground.ui.theme import Theme


class FindBar(QWidget):
    """Searches the editor while the user types; all matches are lit, the current one selected."""

    def __init__(self, editor: CodeEditor, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._editor = editor
        self._theme = theme
        self.setObjectName("findBar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.query = self._field("find.query", "Find")
        self.replacement = self._field("find.replacement", "Replace with")
        self.case = self._switch("find.case", "Aa", "Match case")
        self.word = self._switch("find.word", "W", "Whole words")
        self.regex = self._switch("find.regex", ".*", "Regular expression")
        self.count = QLabel()
        self.count.setObjectName("find.count")
        self.count.setProperty("role", "muted")
        self._icons: list[tuple[QToolButton, str]] = []
        previous = self._button("find.previous", "prev", "Previous match (Shift+F3)", self.previous)
        following = self._button("find.next", "next", "Next match (F3)", self.next)
        close = self._button("find.close", "cross", "Close (Esc)", self.close_bar)
        self._one = self._text_button("find.replaceOne", "Replace", self.replace_one)
        self._all = self._text_button("find.replaceAll", "Replace all", self.replace_all)
        metrics = self.fontMetrics()
        space = metrics.height() // 4
        grid = QGridLayout(self)
        grid.setContentsMargins(2 * space, space, 2 * space, space)
        grid.setSpacing(space)
        grid.addWidget(self.query, 0, 0)
        row = QHBoxLayout()
        row.setSpacing(space)
        for widget in (self.case, self.word, self.regex, previous, following, self.count):
            row.addWidget(widget)
        row.addStretch()
        row.addWidget(close)
        grid.addLayout(row, 0, 1)
        grid.addWidget(self.replacement, 1, 0)
        second = QHBoxLayout()
        second.setSpacing(space)
        second.addWidget(self._one)
        second.addWidget(self._all)
        second.addStretch()
        grid.addLayout(second, 1, 1)
        grid.setColumnStretch(0, 3)
        grid.setColumnStretch(1, 4)
        self.query.textChanged.connect(self._search_from_selection)
        self.query.returnPressed.connect(self.next)
        self.replacement.returnPressed.connect(self.replace_one)
        for switch in (self.case, self.word, self.regex):
            switch.toggled.connect(self._search_from_selection)
        editor.textChanged.connect(self._on_text_changed)
        editor.sheetChanged.connect(self._on_text_changed)
        theme.changed.connect(self._redraw_icons)
        self.hide()

    def event(self, event: QEvent) -> bool:
        """Claim Esc before the window's own shortcut (cancel) gets it."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Escape
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close on Esc."""
        if event.key() == Qt.Key.Key_Escape:
            self.close_bar()
            event.accept()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            # The fields have acted on it; what lies behind the bar must not get it as well.
            event.accept()
        else:
            super().keyPressEvent(event)

    # ---------------------------------------------------------------------------- verbs

    def open_bar(self, *, replace: bool) -> None:
        """Show the bar with the selected word in it."""
        for widget in (self.replacement, self._one, self._all):
            widget.setVisible(replace)
        self.show()
        selected = self._editor.textCursor().selectedText()
        if selected and "\u2029" not in selected:
            self.query.setText(re.escape(selected) if self.regex.isChecked() else selected)
        self.query.setFocus()
        self.query.selectAll()
        self._light_up()

    def close_bar(self) -> None:
        """Hide the bar and go back to the text."""
        self.hide()
        self._editor.set_matches(())
        self._editor.setFocus()

    def next(self) -> None:
        """Select the next match, from the top again after the last."""
        self._step(1)

    def previous(self) -> None:
        """Select the previous match, from the bottom again before the first."""
        self._step(-1)

    def replace_one(self) -> None:
        """Replace the selected match and select the next one."""
        cursor = self._editor.textCursor()
        spans = self._spans()
        if (cursor.selectionStart(), cursor.selectionEnd()) in spans:
            index = spans.index((cursor.selectionStart(), cursor.selectionEnd()))
            cursor.insertText(self._expand(self._matches()[index]))
        self.next()

    def replace_all(self) -> int:
        """Replace every match as one undo step; return how many there were."""
        found = list(zip(self._matches(), self._spans(), strict=True))
        cursor = QTextCursor(self._editor.document())
        cursor.beginEditBlock()
        # From the end, so that the positions of those before stay right.
        for match, (start, end) in reversed(found):
            cursor.setPosition(start)
            cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
            cursor.insertText(self._expand(match))
        cursor.endEditBlock()
        self.count.setText(f"{len(found)} replaced")
        return len(found)

    # --------------------------------------------------------------------------- search

    def _pattern(self) -> re.Pattern[str] | None:
        query = self.query.text()
        if not query:
            return None
        expression = query if self.regex.isChecked() else re.escape(query)
        if self.word.isChecked():
            expression = rf"\b(?:{expression})\b"
        flags = re.MULTILINE | (0 if self.case.isChecked() else re.IGNORECASE)
        try:
            pattern = re.compile(expression, flags)
        except re.error as error:
            self._set_invalid(f"not a regular expression: {error}")
            return None
        self._set_invalid("")
        return pattern

    def _expand(self, match: re.Match[str]) -> str:
        text = self.replacement.text()
        if not self.regex.isChecked():
            return text
        try:
            return match.expand(text)
        except (re.error, IndexError) as error:
            self._set_invalid(f"the replacement does not fit: {error}")
            return match[0]

    def _matches(self) -> list[re.Match[str]]:
        pattern = self._pattern()
        if pattern is None:
            return []
        return [m for m in pattern.finditer(self._editor.text()) if m.end() > m.start()]

    def _spans(self) -> list[tuple[int, int]]:
        return [
            (qt_position(m.string, m.start()), qt_position(m.string, m.end()))
            for m in self._matches()
        ]

    def _search_from_selection(self) -> None:
        cursor = self._editor.textCursor()
        start = cursor.selectionStart()
        spans = self._spans()
        found = next((span for span in spans if span[0] >= start), spans[0] if spans else None)
        if found:
            self._select(found)
        self._light_up()

    def _step(self, direction: int) -> None:
        spans = self._spans()
        if not spans:
            self._light_up()
            return
        cursor = self._editor.textCursor()
        if direction > 0:
            after = cursor.selectionEnd()
            found = next((s for s in spans if s[0] >= after), spans[0])
        else:
            before = cursor.selectionStart()
            found = next((s for s in reversed(spans) if s[1] <= before), spans[-1])
        self._select(found)
        self._light_up()

    def _select(self, span: tuple[int, int]) -> None:
        cursor = self._editor.textCursor()
        cursor.setPosition(span[0])
        cursor.setPosition(span[1], QTextCursor.MoveMode.KeepAnchor)
        self._editor.setTextCursor(cursor)
        self._editor.ensureCursorVisible()

    def _light_up(self) -> None:
        spans = self._spans()
        self._editor.set_matches(spans)
        if not self.query.text():
            self.count.setText("")
        elif self.query.property("invalid") != "true":
            cursor = self._editor.textCursor()
            current = (cursor.selectionStart(), cursor.selectionEnd())
            place = f"{spans.index(current) + 1} of " if current in spans else ""
            self.count.setText(f"{place}{len(spans)}" if spans else "no match")

    def _on_text_changed(self) -> None:
        if self.isVisible():
            self._light_up()

    def _set_invalid(self, why: str) -> None:
        value = "true" if why else "false"
        if why:
            self.count.setText(why)
        if self.query.property("invalid") != value:
            self.query.setProperty("invalid", value)
            self.query.style().unpolish(self.query)
            self.query.style().polish(self.query)

    # -------------------------------------------------------------------------- pieces

    def _field(self, name: str, text: str) -> QLineEdit:
        field = QLineEdit(self)
        field.setObjectName(name)
        field.setAccessibleName(text)
        field.setPlaceholderText(text)
        field.setClearButtonEnabled(False)
        return field

    def _switch(self, name: str, text: str, tip: str) -> QToolButton:
        switch = QToolButton(self)
        switch.setObjectName(name)
        switch.setAccessibleName(tip)
        switch.setText(text)
        switch.setToolTip(tip)
        switch.setCheckable(True)
        return switch

    def _button(self, name: str, picture: str, tip: str, slot: Callable[[], object]) -> QToolButton:
        button = QToolButton(self)
        button.setObjectName(name)
        button.setAccessibleName(tip)
        button.setToolTip(tip)
        button.setIcon(icon(picture, self._theme))
        button.clicked.connect(slot)
        self._icons.append((button, picture))
        return button

    def _text_button(self, name: str, text: str, slot: Callable[[], object]) -> QToolButton:
        button = QToolButton(self)
        button.setObjectName(name)
        button.setAccessibleName(text)
        button.setText(text)
        button.clicked.connect(slot)
        return button

    def _redraw_icons(self) -> None:
        for button, picture in self._icons:
            button.setIcon(icon(picture, self._theme))
