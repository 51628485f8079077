"""Where a file does its work in child processes, in which no launch is captured."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_POOLS = ("Pool", "ProcessPoolExecutor")
_STARTERS = {
    "multiprocessing": ("Process", *_POOLS),
    "torch.multiprocessing": ("Process", "spawn", "start_processes", *_POOLS),
    "concurrent.futures": ("ProcessPoolExecutor",),
    "subprocess": ("run", "call", "check_call", "check_output", "Popen", "getoutput"),
    "os": ("system", "popen", "fork", "spawnv", "spawnl", "spawnvp", "spawnlp", "posix_spawn"),
}
_HANDING_ON = ("map", "imap", "imap_unordered", "starmap", "apply", "apply_async", "map_async",
               "starmap_async", "submit")  # fmt: skip
"""Methods of a pool that take the function which its processes call."""
_MOST_TEXT = 60


class Start(NamedTuple):
    """A call that starts a process: its line, its text, and the file's function it hands on."""

    line: int
    text: str
    function: str


def starts(tree: ast.Module) -> list[Start]:
    """Return the calls of a file that start child processes, in the order of their lines."""
    modules, names = _imports(tree)
    own = {
        node.name for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }  # fmt: skip
    found = []
    handed_to_pools = [
        name
        for call in _calls(tree)
        if isinstance(call.func, ast.Attribute) and call.func.attr in _HANDING_ON
        for name in _functions_in(call, own)
    ]
    for call in _calls(tree):
        starter = _starter(call.func, modules, names)
        if starter is None:
            continue
        handed = _functions_in(call, own)
        if not handed and starter in _POOLS:
            handed = handed_to_pools
        text = ast.unparse(call)
        if len(text) > _MOST_TEXT:
            text = ast.unparse(call.func) + "(…)"
        found.append(Start(call.lineno, text, handed[0] if handed else ""))
    return sorted(found)


def _calls(tree: ast.Module) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def _imports(tree: ast.Module) -> tuple[dict[str, str], dict[str, str]]:
    """Return modules by the name that the file gives them, and starters by theirs."""
    modules: dict[str, str] = {}
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for item in node.names:
                modules[item.asname or item.name] = item.name
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for item in node.names:
                given = item.asname or item.name
                modules[given] = f"{node.module}.{item.name}"
                if item.name in _STARTERS.get(node.module, ()):
                    names[given] = item.name
    return modules, names


def _starter(called: ast.expr, modules: dict[str, str], names: dict[str, str]) -> str | None:
    """Return the name of what a call starts a process with, None where it does not."""
    if isinstance(called, ast.Name):
        return names.get(called.id)
    if not isinstance(called, ast.Attribute):
        return None
    owner: ast.expr = called.value
    if isinstance(owner, ast.Call):  # multiprocessing.get_context("spawn").Process(…)
        owner = owner.func
        if isinstance(owner, ast.Attribute) and owner.attr == "get_context":
            owner = owner.value
    written = ast.unparse(owner)
    root, _, rest = written.partition(".")
    module = modules.get(written, f"{modules.get(root, '')}.{rest}" if rest else "")
    return called.attr if called.attr in _STARTERS.get(module, ()) else None


def _functions_in(call: ast.Call, own: set[str]) -> list[str]:
    """Return the file's own functions among a call's arguments."""
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    return [item.id for item in given if isinstance(item, ast.Name) and item.id in own]
