"""A source file's text and its lines, as Python itself decodes and counts them."""

from __future__ import annotations

import ast
import functools
import importlib.util
import re
from pathlib import Path

from playground.model.source_tree import tree_of

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


def read_source(path: str | Path) -> str:
    """Return the text of a source file: encoding as declared, no byte order mark, one line end.

    Raises
    ------
    OSError
        The file cannot be read.
    SyntaxError
        Its bytes are no text in the encoding that it declares (UTF-8 where it declares none).
    """
    data = Path(path).read_bytes()
    try:
        return importlib.util.decode_source(data)
    except (UnicodeDecodeError, SyntaxError) as error:
        hint = "save the file as UTF-8, or declare its encoding in the first line"
        raise SyntaxError(f"{error}: {hint}", (str(path), _bad_line(data), 0, "")) from error


def _bad_line(data: bytes) -> int:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return data.count(b"\n", 0, error.start) + 1
    return 1  # an encoding is declared that Python does not know


def lines_of(text: str, *, keep_ends: bool = False) -> list[str]:
    """Return the lines of `text` as Python numbers them.

    `str.splitlines` also breaks at form feeds and Unicode separators, within strings and comments:
    every line after one would be off.
    """
    found = _LINE.findall(text)
    return found if keep_ends else [line.rstrip("\r\n") for line in found]


@functools.lru_cache(maxsize=64)
def imported_names(text: str) -> frozenset[str]:
    """Return the top-level names of the modules that `text` imports, anywhere in it."""
    names: set[str] = set()
    try:
        tree = tree_of(text)
    except (SyntaxError, ValueError):
        return frozenset()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.split(".")[0])
    return frozenset(names)
