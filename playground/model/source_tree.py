"""The syntax tree of a text, parsed once for everybody who only reads it."""

from __future__ import annotations

import ast
import functools


@functools.lru_cache(maxsize=32)
def tree_of(text: str) -> ast.Module:
    """Return the syntax tree of `text`: one for all, so nobody may change it.

    Raises
    ------
    SyntaxError, ValueError
        The text is no Python.
    """
    return ast.parse(text)


def column_of(line: str, offset_bytes: int) -> int:
    """Return the column of a line's byte: a tree counts UTF-8 bytes, people count characters."""
    if line.isascii():
        return min(offset_bytes, len(line))
    return len(line.encode()[:offset_bytes].decode(errors="ignore"))
