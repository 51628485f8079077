"""What host code decided, noted where it decides: which branch it took, what it caught.

When a run launches nothing, the reason lies in the user's own `if x.is_cuda:` or `except
Exception:`. So these are looked at when a file is loaded: the test of an `if` that has a launch on
one side only is passed through a function that notes its outcome, a handler of any exception notes
what it caught, and loops that are there to be timed ask how far they go
(`timing_loops`). Nothing else of the syntax tree changes, lines least of all, and a kernel's own
text never.
"""

from __future__ import annotations

import ast
import contextlib
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from playground.engine import asserted_results, timing_loops
from playground.model.outline import is_jit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_BRANCH = "__playground_branch__"
_CAUGHT = "__playground_caught__"
_KEPT = 64


@dataclass(frozen=True)
class Branch:
    """An `if` that went the way without a launch: its place, its test as written, its outcome."""

    file: str
    line: int
    test: str
    outcome: bool


@dataclass(frozen=True)
class Caught:
    """An exception that the user's code caught by itself."""

    file: str
    line: int
    error: BaseException


events: list[Branch | Caught] = []
"""Branches without a launch taken, and what handlers caught, in this run; the latest last."""


def forget() -> None:
    """Begin a run: nothing was decided and nothing caught."""
    events.clear()


def attach(namespace: dict[str, Any]) -> None:
    """Put what watched code calls into the module that it runs in."""
    namespace[_BRANCH] = _branch
    namespace[_CAUGHT] = _caught
    timing_loops.attach(namespace)
    asserted_results.attach(namespace)


def _branch(outcome: Any, file: str, line: int, test: str, launches_if: bool) -> bool:
    result = bool(outcome)
    if result is not launches_if and len(events) < _KEPT:
        events.append(Branch(file, line, test, result))
    return result


def _caught(file: str, line: int) -> None:
    error = sys.exc_info()[1]
    if error is not None and len(events) < _KEPT:
        events.append(Caught(file, line, error))


def watch(tree: ast.Module, path: str) -> None:
    """Change the syntax tree of the file at `path` so that its decisions are noted."""
    functions = _functions(tree)
    launchers = _launchers(functions)
    for scope in _scopes(tree):
        _watch_branches(scope, path, launchers)
        timing_loops.shorten(scope, functions, lambda body: _launches(body, launchers))
        asserted_results.note(scope, lambda node: _is_launch(node, launchers))
    for node in list(ast.walk(tree)):
        if isinstance(node, ast.ExceptHandler) and _catches_anything(node):
            call = _call(_CAUGHT, [ast.Constant(path), ast.Constant(node.lineno)])
            node.body.insert(0, _placed(ast.Expr(call), node.body[0]))


# ---------------------------------------------------------------- what launches


def _scopes(tree: ast.Module) -> Iterator[ast.Module | ast.FunctionDef | ast.AsyncFunctionDef]:
    yield tree
    stack: list[ast.AST] = [tree]
    while stack:
        for child in ast.iter_child_nodes(stack.pop()):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                if is_jit(child):
                    continue
                yield child
            stack.append(child)


def _functions(tree: ast.Module) -> dict[str, ast.AST]:
    """Return the file's host functions and classes, methods too, by name."""
    named: dict[str, ast.AST] = {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and is_jit(node):
            continue
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            named[node.name] = node
    return named


def _launchers(named: dict[str, ast.AST]) -> frozenset[str]:
    """Return the names of functions, methods' classes too, whose call leads to a launch."""
    found: set[str] = set()
    while True:
        more = {
            name for name, node in named.items() if name not in found and _launches(node, found)
        }
        if not more:
            return frozenset(found)
        found |= more


def _launches(node: ast.AST | Iterable[ast.AST], launchers: Iterable[str]) -> bool:
    nodes = [node] if isinstance(node, ast.AST) else list(node)
    return any(_is_launch(item, launchers) for part in nodes for item in ast.walk(part))


def _is_launch(node: ast.AST, launchers: Iterable[str]) -> bool:
    if not isinstance(node, ast.Call):
        return False
    called = node.func
    if "Timer" in (getattr(called, "id", ""), getattr(called, "attr", "")):
        return any(_launches(code, launchers) for code in _timed_code(node))
    if isinstance(called, ast.Subscript):
        return not isinstance(called.slice, ast.Constant) or not isinstance(called.slice.value, str)
    if isinstance(called, ast.Attribute):
        # `Function.apply`, and a kernel's own doors.
        owner = called.value.id if isinstance(called.value, ast.Name) else ""
        if called.attr in ("apply", "run", "forward", "warmup") and owner in launchers:
            return True
        return called.attr in launchers
    return isinstance(called, ast.Name) and called.id in launchers


def _timed_code(timer: ast.Call) -> Iterator[ast.AST]:
    """Yield the code that `Timer("run(x)", …)` is handed as text."""
    texts = [*timer.args[:1], *(one.value for one in timer.keywords if one.arg == "stmt")]
    for text in texts:
        if isinstance(text, ast.Constant) and isinstance(text.value, str):
            with contextlib.suppress(SyntaxError):
                yield ast.parse(text.value)


# ---------------------------------------------------------------- branches


def _watch_branches(scope: ast.AST, path: str, launchers: frozenset[str]) -> None:
    body = getattr(scope, "body", [])
    if not _launches(body, launchers):
        return
    for node in _own_statements(body):
        if not isinstance(node, (ast.If, ast.IfExp)) or _is_main(node.test):
            continue
        then = node.body if isinstance(node.body, list) else [node.body]
        other = node.orelse if isinstance(node.orelse, list) else [node.orelse]
        here, there = _launches(then, launchers), _launches(other, launchers)
        if here == there:
            # `if not x.is_cuda: return torch_way(x)`, and the launch further down.
            if here or not (isinstance(node, ast.If) and _leaves(then)):
                continue
            if not _launches_after(body, node, launchers):
                continue
        text = ast.unparse(node.test)
        call = _call(
            _BRANCH,
            [node.test, ast.Constant(path), ast.Constant(node.lineno), ast.Constant(text),
             ast.Constant(here)],
        )  # fmt: skip
        node.test = ast.copy_location(call, node.test)


def _own_statements(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    stack = list(body)
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            stack.extend(ast.iter_child_nodes(node))


def _leaves(body: list[Any]) -> bool:
    return isinstance(body[-1], (ast.Return, ast.Raise, ast.Continue, ast.Break))


def _launches_after(body: list[Any], node: ast.AST, launchers: frozenset[str]) -> bool:
    end = getattr(node, "end_lineno", 0) or 0
    return any(
        _is_launch(item, launchers) and getattr(item, "lineno", 0) > end
        for part in body
        for item in ast.walk(part)
    )


def _is_main(test: ast.expr) -> bool:
    return any(isinstance(node, ast.Name) and node.id == "__name__" for node in ast.walk(test))


def _catches_anything(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = {getattr(kind, "id", getattr(kind, "attr", "")) for kind in kinds}
    return not names <= {"ImportError", "ModuleNotFoundError", "KeyError", "StopIteration",
                         "AttributeError", "IndexError", "FileNotFoundError"}  # fmt: skip


# ---------------------------------------------------------------- what is put in


def _call(name: str, arguments: list[ast.expr]) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), arguments, [])


def _placed(node: ast.stmt, like: ast.AST) -> ast.stmt:
    return ast.copy_location(node, like)
