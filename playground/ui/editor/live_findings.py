"""What is wrong with a text by reading it alone: names that nothing defines, and the like.

pyflakes does the reading; nothing is executed or imported. Only what will fail or surely is not
meant is told: half-written code is full of names that are not used yet.
"""

from __future__ import annotations

import ast
import difflib
import functools
import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playground.model.finding import Finding
from playground.model.source_tree import column_of, tree_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playground.model.finding import Severity

_IMPORTS = {
    "tl": "import triton.language as tl",
    "triton": "import triton",
    "torch": "import torch",
    "math": "import math",
    "np": "import numpy as np",
    "numpy": "import numpy",
    "os": "import os",
    "sys": "import sys",
    "time": "import time",
    "libdevice": "from triton.language.extra import libdevice",
    "F": "import torch.nn.functional as F",
    "nn": "from torch import nn",
}
_LANGUAGE = "triton.language"


def live_findings(text: str, path: str) -> tuple[Finding, ...]:
    """Return what reading `text` finds, in the order of its lines; nothing while it is no Python.

    Parameters
    ----------
    text
        The text as it stands in the editor.
    path
        The file that it is the text of.
    """
    try:
        tree = tree_of(text)
    except (SyntaxError, ValueError):
        return ()  # told by whoever reads the outline
    # Imported here: the window is on screen before anything is checked.
    from pyflakes import checker

    lines = text.split("\n")
    nodes = list(ast.walk(tree))
    found = []
    for message in checker.Checker(tree, path).messages:
        told = _told(message, nodes)
        if told is not None:
            severity, words, hint = told
            found.append(Finding(
                severity, "syntax", words, hint, path, message.lineno,
                _column(lines, message.lineno, message.col),
            ))  # fmt: skip
    for node, alias in _unknown_attributes(nodes):
        name = node.attr
        close = difflib.get_close_matches(name, sorted(_language()), 1, 0.7)
        hint = f"did you mean {alias}.{close[0]}?" if close else ""
        found.append(Finding(
            "error", "syntax", f"there is no {alias}.{name} in this triton", hint, path,
            node.lineno, _column(lines, node.lineno, node.col_offset),
        ))  # fmt: skip
    return tuple(sorted(found, key=lambda finding: (finding.line or 0, finding.column or 0)))


def _told(message: Any, nodes: list[ast.AST]) -> tuple[Severity, str, str] | None:
    """Return severity, words and hint of what pyflakes says; None for what is left out."""
    kind = type(message).__name__
    text = str(message.message % message.message_args)
    if kind in ("UndefinedName", "UndefinedLocal"):
        name = str(message.message_args[0])
        if name in _IMPORTS and kind == "UndefinedName":
            return "error", f"{name} is not defined", f"write `{_IMPORTS[name]}` at the top"
        if kind == "UndefinedLocal":
            return "error", f"{name} is used before it has a value here", "set it first"
        close = difflib.get_close_matches(name, sorted(_names(nodes) - {name}), 1, 0.7)
        return "error", f"{name} is not defined", f"did you mean {close[0]}?" if close else ""
    if kind in _FAILS:
        return "error", text[0].lower() + text[1:], ""
    if kind in _SUSPECT or kind.startswith("PercentFormat"):
        return "warning", text, ""
    return None


_FAILS = frozenset(
    {
        *("ReturnOutsideFunction", "YieldOutsideFunction", "BreakOutsideLoop", "DuplicateArgument"),
        *("ContinueOutsideLoop", "DefaultExceptNotLast", "TwoStarredExpressions"),
        *("TooManyExpressionsInStarredAssignment", "LateFutureImport", "FutureFeatureNotDefined"),
    }
)
_SUSPECT = frozenset(
    {
        *("IfTuple", "AssertTuple", "IsLiteral", "RaiseNotImplemented", "InvalidPrintSyntax"),
        *("MultiValueRepeatedKeyLiteral", "StringDotFormatMissingArgument"),
    }
)


def _column(lines: list[str], line: int, offset_bytes: int) -> int | None:
    """Return the column in characters, None for a line that the text does not have."""
    if not 0 < line <= len(lines):
        return None
    return column_of(lines[line - 1], offset_bytes)


def _names(nodes: list[ast.AST]) -> set[str]:
    """Return every name that the text binds anywhere, for what was meant by one it does not."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found.update((item.asname or item.name).partition(".")[0] for item in node.names)
    return found


def _unknown_attributes(nodes: list[ast.AST]) -> Iterator[tuple[ast.Attribute, str]]:
    """Yield uses of names that `triton.language` does not have, with its name in the file."""
    aliases = _aliases(nodes)
    known = _language()
    if not aliases or not known:
        return
    unknown = [
        (node, node.value.id) for node in nodes
        if isinstance(node, ast.Attribute)
        and node.attr not in known
        and isinstance(node.value, ast.Name)
        and node.value.id in aliases
        and isinstance(node.ctx, ast.Load)
        and not node.attr.startswith("_")
    ]  # fmt: skip
    if not unknown:
        return
    # A text of the file: a name in `hasattr(tl, "name")` is used with care.
    texts = {node.value for node in nodes if isinstance(node, ast.Constant)}
    stored = {node.id for node in nodes
              if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}  # fmt: skip
    for node, alias in unknown:
        if node.attr not in texts and alias not in stored:
            yield node, alias


def _aliases(nodes: list[ast.AST]) -> set[str]:
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {item.asname for item in node.names if item.name == _LANGUAGE and item.asname}
        elif isinstance(node, ast.ImportFrom) and node.module == "triton" and not node.level:
            found |= {item.asname or item.name for item in node.names if item.name == "language"}
    return found


@functools.cache
def _language() -> frozenset[str]:
    """Return the names of `triton.language`, read from its text; empty where triton is not found.

    The window does not import triton. What the package imports, binds or holds as a module counts.
    """
    spec = importlib.util.find_spec("triton")
    folders = spec.submodule_search_locations if spec is not None else None
    if not folders:
        return frozenset()
    folder = Path(next(iter(folders)), "language")
    try:
        tree = ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))
    except (OSError, SyntaxError):
        return frozenset()
    nodes = list(ast.walk(tree))
    found = _names(nodes)
    if any(isinstance(node, ast.ImportFrom) and node.names[0].name == "*" for node in nodes):
        return frozenset()  # its names cannot be told by reading this file alone
    found |= {path.stem for path in folder.iterdir() if not path.name.startswith("_")}
    return frozenset(found)
