"""Finding the partner of the bracket at the cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playground.ui.editor.marked_text import MarkedText

_PAIRS = {"(": ")", "[": "]", "{": "}"}
_BACK = {close: start for start, close in _PAIRS.items()}
_MAX_LETTERS = 20_000


def pair_at(editor: MarkedText) -> tuple[int, ...]:
    """Return the positions of the bracket at the cursor and its partner; none is an empty tuple.

    Brackets within strings and comments do not count.
    """
    position = editor.textCursor().position()
    document = editor.document()
    for candidate in (position - 1, position):
        letter = document.characterAt(candidate) if candidate >= 0 else ""
        if (letter in _PAIRS or letter in _BACK) and letter and not _in_string(editor, candidate):
            partner = _partner(editor, candidate, letter)
            return (candidate, partner) if partner is not None else ()
    return ()


def _partner(editor: MarkedText, position: int, letter: str) -> int | None:
    step = 1 if letter in _PAIRS else -1
    wanted = _PAIRS.get(letter) or _BACK[letter]
    document = editor.document()
    limit = document.characterCount()
    depth = 0
    here = position
    for _ in range(_MAX_LETTERS):
        if not 0 <= here < limit:
            return None
        found = document.characterAt(here)
        if found in (letter, wanted) and not _in_string(editor, here):
            depth += 1 if found == letter else -1
            if depth == 0:
                return here
        here += step
    return None


def _in_string(editor: MarkedText, position: int) -> bool:
    block = editor.document().findBlock(position)
    return editor.highlighter.is_string(block.blockNumber(), position - block.position())
