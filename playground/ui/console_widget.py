"""qtconsole's widget as this window needs it: themed, bounded, and unharmed by restarts.

Importing this module imports qtconsole; `console.ConsoleView` does so when the engine is there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pygments.style import Style
from pygments.token import (
    Comment,
    Error,
    Keyword,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Text,
    Token,
)
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from qtconsole.rich_jupyter_widget import RichJupyterWidget

if TYPE_CHECKING:
    from PySide6.QtWidgets import QTextEdit

    from playground.ui.theme import Theme

BANNER = "IPython in the engine: `play` is the session, and the last run's names are here too.\n"
MAX_MESSAGE_CHARACTERS = 100_000
"""Longer output is shown by its end: laying out megabytes of text would freeze the window."""
MAX_LINES = 5_000

_SHEET = """
QPlainTextEdit, QTextEdit {{
    background-color: {surface}; background-clip: padding;
    color: {text}; selection-background-color: {selection}; border: none;
}}
.inverted {{ background-color: {text}; color: {surface}; }}
.error {{ color: {bad}; }}
.in-prompt, .in-prompt-number {{ color: {accent_link}; }}
.out-prompt, .out-prompt-number {{ color: {warn}; }}
.in-prompt-number, .out-prompt-number {{ font-weight: bold; }}
"""


class ConsoleWidget(RichJupyterWidget):  # type: ignore[misc]  # qtconsole ships no types
    """A console that keeps its text over restarts and shows the output of the app's runs."""

    def __init__(self) -> None:
        super().__init__(local_kernel=True, gui_completion="droplist")
        self.banner = BANNER
        self.custom_interrupt = True
        self.custom_restart = True
        self.confirm_restart = False
        self.buffer_size = MAX_LINES
        self._had_kernel = False
        self._tokens: dict[str, str] = {}

    @property
    def edit(self) -> QTextEdit:
        """The text widget inside."""
        control: QTextEdit = self._control
        return control

    def text(self) -> str:
        """Return all text shown."""
        return self.edit.toPlainText()

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of `theme`."""
        tokens = {name: theme.color(name).name() for name in theme.tokens()}
        # The named style only tells qtconsole whether the ground is dark, for ANSI colours.
        self.syntax_style = "monokai" if theme.name == "dark" else "default"
        self.style_sheet = _SHEET.format(**tokens)
        self._highlighter.set_style(_pygments_style(tokens))
        self._highlighter.rehighlight()
        self._recolour_text(self._tokens, tokens)
        self._tokens = tokens

    def _recolour_text(self, before: dict[str, str], now: dict[str, str]) -> None:
        # Prompts keep the colours they were written in; those of another theme cannot be read.
        changed = {before[name]: now[name] for name in before if before[name] != now[name]}
        cursor = QTextCursor(self.edit.document())
        block = self.edit.document().begin()
        while changed and block.isValid():
            pieces = block.begin()
            while not pieces.atEnd():
                piece = pieces.fragment()
                brush = piece.charFormat().foreground()
                colour = changed.get(brush.color().name())
                if colour is not None and brush.style() != Qt.BrushStyle.NoBrush:
                    cursor.setPosition(piece.position())
                    cursor.setPosition(
                        piece.position() + piece.length(), QTextCursor.MoveMode.KeepAnchor
                    )
                    look = QTextCharFormat()
                    look.setForeground(QColor(colour))
                    cursor.mergeCharFormat(look)
                    pieces = block.begin()
                else:
                    pieces += 1
            block = block.next()

    # ------------------------------------------------------- qtconsole's own hooks, overridden

    def reset(self, clear: bool = False) -> None:
        """Show a fresh prompt; a restart leaves the text of the kernel before it readable."""
        self.kernel_banner = ""
        if clear and self._had_kernel:
            self._append_plain_text("\n[the engine was restarted: its variables are gone]\n")
            super().reset(clear=False)
            return
        self._had_kernel = True
        super().reset(clear=clear)

    def _execute(self, source: str, hidden: bool) -> None:
        if not self.kernel_client.channels_running:
            if not hidden:
                self._append_plain_text("[the engine is starting: try again in a moment]\n")
                self._show_interpreter_prompt()
            return
        # With the stock setting an error aborts what was typed while it was being computed.
        message = self.kernel_client.execute(source, hidden, stop_on_error=False)
        self._request_info["execute"][message] = self._ExecutionRequest(message, "user", hidden)
        if not hidden:
            self.executing.emit(source)

    def _handle_history_reply(self, msg: dict[str, Any]) -> None:
        # A fresh kernel knows of no history; what was typed before the restart stays at hand.
        if not self._history:
            super()._handle_history_reply(msg)

    def _handle_stream(self, msg: dict[str, Any]) -> None:
        content = msg["content"]
        content["text"] = _clipped(content["text"])
        super()._handle_stream(msg)
        self._trim()

    def _handle_status(self, msg: dict[str, Any]) -> None:
        # The stock handler announces a restart on `starting`; `reset` has done so already.
        return

    def _trim(self) -> None:
        # While a prompt is open qtconsole lifts its own limit, and runs print above the prompt.
        surplus = self.edit.document().blockCount() - MAX_LINES
        if surplus <= MAX_LINES // 10:
            return
        cursor = QTextCursor(self.edit.document())
        cursor.movePosition(
            QTextCursor.MoveOperation.NextBlock, QTextCursor.MoveMode.KeepAnchor, surplus
        )
        cursor.removeSelectedText()


def _clipped(text: str) -> str:
    if len(text) <= MAX_MESSAGE_CHARACTERS:
        return text
    left_out = len(text) - MAX_MESSAGE_CHARACTERS
    tail = text[-MAX_MESSAGE_CHARACTERS:]
    return f"[{left_out:,} characters of output not shown]\n{tail}"


def _pygments_style(tokens: dict[str, str]) -> type[Style]:
    colours = {
        Token: tokens["text"],
        Text: tokens["text"],
        Punctuation: tokens["text"],
        Operator: tokens["text"],
        Name: tokens["text"],
        Keyword: tokens["code_keyword"],
        Operator.Word: tokens["code_keyword"],
        String: tokens["code_string"],
        Comment: tokens["code_comment"],
        Number: tokens["code_number"],
        Name.Function: tokens["code_name"],
        Name.Class: tokens["code_name"],
        Name.Decorator: tokens["code_decorator"],
        Error: tokens["bad"],
    }
    attributes = {
        "background_color": tokens["surface"],
        "highlight_color": tokens["selection"],
        "styles": colours,
    }
    return type("PlaygroundStyle", (Style,), attributes)
