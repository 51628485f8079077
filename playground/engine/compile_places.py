"""Where in the user's file a compile error comes from, when the compiler itself does not say.

Some errors of Triton carry no syntax node: a function that is no kernel, a chained assignment, an
instruction that the assembler refuses. The file's own text tells their place, or the assembly.
"""

from __future__ import annotations

import ast
import linecache
import os
import re
from typing import TYPE_CHECKING

from playground.engine import source_lines
from playground.model.source_tree import column_of, tree_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Place = tuple[str, int, int | None]
"""A file, a line of it counted from 1, and a column counted from 0 where that is known."""

_LIBRARIES = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")
"""Parts of a path that no file of the user's own has."""

_DIAGNOSTIC = re.compile(
    r'^(?:loc\()?"?(?P<file>[^"\n:]+)"?:(?P<line>\d+):(?P<column>\d+)\)?: '
    r"(?P<kind>error|note): (?P<text>.*)$",
    re.MULTILINE,
)


def in_library(file: str) -> bool:
    """Tell whether a file is an installed package's, none of the user's own."""
    return any(part in file for part in _LIBRARIES)


def place_of(message: str, stages: Mapping[str, str | bytes], file: str, line: int) -> Place | None:
    """Return the place that `message` is about, None where nothing tells.

    Parameters
    ----------
    message
        The compiler's message.
    stages
        The stages that were through; of them, the assembler's input.
    file, line
        Where the kernel's decorators or `def` start: it is searched first.
    """
    if "ptxas" in message:
        return _assembler_place(message, "ptx", stages)
    if "AMD assembler" in message:
        return _assembler_place(message, "amdgcn", stages)
    found: tuple[int, int] | None = None
    called = re.search(r"Unsupported function referenced: <(?:built-in )?\w+ ([\w.]+)", message)
    if called is not None:
        found = call_of(called[1].rpartition(".")[2], file, line)
    elif "MLIR pass pipeline" in message:
        found = call_of("dot", file, line)
    elif "multiple assignment" in message.lower():
        found = _first(
            file, line, lambda node: isinstance(node, ast.Assign) and len(node.targets) > 1
        )
    return None if found is None else (file, *found)


def printed_place(printed: str) -> tuple[Place, str] | None:
    """Return place and text of the first error that a compiler pass printed.

    One within Triton's own library is told at the user's line that called it.
    """
    found = list(_DIAGNOSTIC.finditer(printed))
    error = next((item for item in found if item["kind"] == "error"), None)
    if error is None:
        return None
    for item in found[found.index(error) :]:
        if item is not error and (item["kind"] == "error" or "called from" not in item["text"]):
            break
        if not in_library(item["file"]) and os.path.isabs(item["file"]):
            file, line = item["file"], int(item["line"])
            words = error["text"].strip()
            operation = re.match(r"'\w+\.(\w+)' op ", words)
            name = operation[1] if operation is not None else ""
            # What a product is taken apart into has no call of its own.
            around = call_around("dot" if name == "extf" else name, file, line) if name else None
            line, column = around or (line, _column(file, line, int(item["column"])))
            return (file, line, column), words
    return None


def _column(file: str, line: int, told: int) -> int | None:
    """Return the column of the expression that begins where the compiler says.

    It counts in the function's own text, which has no indentation, from 0 or from 1.
    """
    function = function_around(file, line)
    indent = function.col_offset if function is not None else 0
    begins = {
        node.col_offset for node in ast.walk(_tree(file))
        if isinstance(node, (ast.expr, ast.stmt)) and node.lineno == line
    }  # fmt: skip
    at = next((each for each in (told - 1 + indent, told + indent) if each in begins), None)
    return None if at is None else column_of(linecache.getline(file, line), at)


def call_of(name: str, file: str, line: int) -> tuple[int, int] | None:
    """Return line and column of the first call of `name` in the kernel, else in any kernel."""
    return _first(file, line, lambda node: _is_call_of(node, name))


def call_around(name: str, file: str, line: int) -> tuple[int, int] | None:
    """Return line and column of the call of `name` that a line is part of.

    Triton 3.6 places an operation at the argument it read last.
    """
    for node in ast.walk(_tree(file)):
        if _is_call_of(node, name):
            first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0)
            if first <= line <= last:
                return _at(node, file)
    return None


def function_called(name: str, file: str) -> ast.FunctionDef | None:
    """Return the function at a file's top level that is called `name`."""
    for node in _tree(file).body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return node
    return None


def function_around(file: str, line: int) -> ast.FunctionDef | None:
    """Return the innermost function of a file that holds a line."""
    around = [
        node for node in ast.walk(_tree(file))
        if isinstance(node, ast.FunctionDef) and _holds(node, line)
    ]  # fmt: skip
    return max(around, key=lambda node: node.lineno, default=None)


def last_return(file: str, line: int) -> tuple[int, int] | None:
    """Return line and column of the last `return` with a value in the function at a line."""
    function = function_around(file, line)
    if function is None:
        return None
    found = [
        node for node in ast.walk(function) if isinstance(node, ast.Return) and node.value
    ]  # fmt: skip
    return _at(max(found, key=lambda node: node.lineno), file) if found else None


def where_set(name: str, file: str) -> tuple[int, str] | None:
    """Return the line on which a module sets `name`, and the text of the value."""
    for node in _tree(file).body:
        targets = (
            node.targets if isinstance(node, ast.Assign)
            else [node.target] if isinstance(node, ast.AnnAssign) else []
        )  # fmt: skip
        value = getattr(node, "value", None)
        for target in targets:
            if isinstance(target, ast.Name) and target.id == name and value is not None:
                return node.lineno, ast.unparse(value)
    return None


def _tree(file: str) -> ast.Module:
    try:
        return tree_of("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):  # changed meanwhile
        return ast.Module(body=[], type_ignores=[])


def _first(file: str, line: int, wanted: Callable[[ast.AST], bool]) -> tuple[int, int] | None:
    """Return the place of the first node that is `wanted`: in the kernel, else in any function."""
    functions = [node for node in ast.walk(_tree(file)) if isinstance(node, ast.FunctionDef)]
    functions.sort(key=lambda node: not _holds(node, line))
    for function in functions:
        if not _holds(function, line) and not _is_jitted(function):
            continue
        found = [node for node in ast.walk(function) if wanted(node)]
        if found:
            return _at(min(found, key=lambda node: getattr(node, "lineno", 0)), file)
    return None


def _at(node: ast.AST, file: str) -> tuple[int, int]:
    line = int(getattr(node, "lineno", 1))
    return line, column_of(linecache.getline(file, line), getattr(node, "col_offset", 0))


def _holds(function: ast.FunctionDef, line: int) -> bool:
    start = min([function.lineno, *(item.lineno for item in function.decorator_list)])
    return start <= line <= (function.end_lineno or function.lineno)


def _is_jitted(function: ast.FunctionDef) -> bool:
    return any("jit" in ast.unparse(item) for item in function.decorator_list)


def _is_call_of(node: ast.AST, name: str) -> bool:
    if not isinstance(node, ast.Call):
        return False
    called = node.func
    return (isinstance(called, ast.Name) and called.id == name) or (
        isinstance(called, ast.Attribute) and called.attr == name
    )


def _assembler_place(message: str, stage: str, stages: Mapping[str, str | bytes]) -> Place | None:
    """Return the source line behind the line of assembly that was refused, or a symbol it lacks.

    Code that was inlined from Triton's own library counts for the user's line that called it.
    """
    assembly = str(stages.get(stage, ""))
    lines = assembly.splitlines()
    refused = re.search(r"line (\d+)(?:; (?:error|fatal)| in function)", message)
    missing = re.search(r"Unresolved extern \w+ '([^']+)'", message)
    number = None
    if refused is not None:
        number = int(refused[1]) - 1
    elif stage == "amdgcn":
        # It tells the instruction; only newer tritons tell its line as well.
        wanted = message.rpartition(": ")[2].split()
        number = next((at for at, text in enumerate(lines) if text.split() == wanted), None)
    elif missing is not None:
        # The first mention is its declaration.
        uses = [at for at, text in enumerate(lines) if re.search(rf"\b{missing[1]}\b", text)]
        number = uses[-1] if uses else None
    if number is None:
        return None
    chains = source_lines.chains_for(stage, assembly)
    for chain in reversed(chains[: number + 1]):
        for file, line in chain:
            if line and not in_library(file):
                around = call_around("inline_asm_elementwise", file, line)
                return (file, *around) if around is not None else (file, line, None)
    return None
