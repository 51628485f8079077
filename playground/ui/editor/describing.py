"""What a name in the text is: its signature, its documentation, where it is defined.

Everything is read from source text and from Triton's own documentation; the user's file is not
executed. These functions run in the completion's helper process.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_LINES = 36
"""So many lines of a documentation are shown beside the text; the definition has the rest."""


class Description(TypedDict):
    """What is told of one name; `where` is the module that defines it."""

    name: str
    signature: str
    doc: str
    where: str


class Place(TypedDict):
    """Where a name is defined: a file, a 1-based line, a 0-based column."""

    path: str
    line: int
    column: int


@dataclass(frozen=True)
class Defined:
    """A function or class as its source has it."""

    signature: str
    doc: str


def describe(
    name: Any, language: Mapping[str, Mapping[str, str]], own: tuple[str, str]
) -> Description:
    """Return what is known of a jedi `name`.

    `language` has Triton's own functions by full name; `own` is the path and text of the file in
    the editor, which may not be saved.
    """
    full = name.full_name or name.name
    known = language.get(full)
    where = "" if str(name.module_path or "") == own[0] else (name.module_name or "")
    if name.type == "module":
        return Description(name=name.name, signature=f"module {full}", doc="", where="")
    if known is not None:
        return Description(
            name=name.name, signature=known["signature"], doc=_cut(known["doc"]), where=where
        )
    defined = _defined(name, own)
    if defined is not None:
        return Description(
            name=name.name, signature=defined.signature, doc=_cut(defined.doc), where=where
        )
    signatures = [item.to_string() for item in name.get_signatures()]
    doc = name.docstring(raw=True)
    shown = signatures[0] if signatures else name.name
    if not signatures and name.type == "statement":
        shown = (name.get_line_code() or "").strip() or name.name
    return Description(name=name.name, signature=shown, doc=_cut(doc), where=where)


def definition(script: Any, line: int, column: int) -> Place | None:
    """Return where the name at a place is defined, through imports; None where no text is."""
    for name in script.goto(line, column, follow_imports=True):
        if name.module_path is not None and name.line is not None:
            return Place(path=str(name.module_path), line=name.line, column=name.column or 0)
    return None


def called(script: Any, text: str, line: int, column: int) -> tuple[Any, int, str] | None:
    """Return the name that is called around a place, the argument's number and its keyword.

    The number counts from 0; the keyword is empty for an argument by position.
    """
    signatures = script.get_signatures(line, column)
    if not signatures:
        return None
    row, at = signatures[0].bracket_start
    lines = text.split("\n")
    before = lines[row - 1][:at].rstrip()
    if not before or not (before[-1].isalnum() or before[-1] == "_"):
        return None
    names = script.goto(row, len(before), follow_imports=True)
    inside = "\n".join([*lines[row - 1 : line - 1], lines[line - 1][:column]])[at + 1 :]
    if row == line:
        inside = lines[line - 1][at + 1 : column]
    number, keyword = argument(inside)
    return (names[0] if names else signatures[0]), number, keyword


def argument(inside: str) -> tuple[int, str]:
    """Return which argument is being written after an opening bracket, and its keyword.

    >>> argument("x, mask=m[0, 1], oth")
    (2, '')
    >>> argument("x, other=")
    (1, 'other')
    """
    depth, number, start = 0, 0, 0
    quote = ""
    for at, letter in enumerate(inside):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        elif letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        elif letter == "," and depth == 0:
            number, start = number + 1, at + 1
    found = re.match(r"\s*([A-Za-z_]\w*)\s*=(?!=)", inside[start:])
    return number, found[1] if found else ""


def _defined(name: Any, own: tuple[str, str]) -> Defined | None:
    """Read a function's or class's own source, so that what a decorator made of it is no matter."""
    if name.module_path is None or name.line is None:
        return None
    path = str(name.module_path)
    if path.endswith(".pyi"):
        return None
    definitions = _definitions(own[1] if path == own[0] else _source(path))
    return definitions.get((name.line, name.name))


@lru_cache(maxsize=32)
def _source(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


@lru_cache(maxsize=16)
def _definitions(text: str) -> dict[tuple[int, str], Defined]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return {}
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            doc = ast.get_docstring(node) or ""
            found[node.lineno, node.name] = Defined(f"{node.name}({ast.unparse(node.args)})", doc)
        elif isinstance(node, ast.ClassDef):
            found[node.lineno, node.name] = Defined(
                f"{node.name}({_first_arguments(node)})", ast.get_docstring(node) or ""
            )
    return found


def _first_arguments(node: ast.ClassDef) -> str:
    """Return what a class takes to be made, from its `__init__` or its fields."""
    for part in node.body:
        if isinstance(part, ast.FunctionDef) and part.name == "__init__":
            return re.sub(r"^self(, )?", "", ast.unparse(part.args))
    return ", ".join(
        ast.unparse(part) for part in node.body
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
    )  # fmt: skip


def _cut(doc: str) -> str:
    lines = doc.rstrip().split("\n")
    return "\n".join(lines[:MAX_LINES]) + ("\n…" if len(lines) > MAX_LINES else "")
