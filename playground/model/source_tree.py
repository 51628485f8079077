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
