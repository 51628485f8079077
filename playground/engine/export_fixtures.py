"""Fixtures of a test that an exported file calls, written out: pytest does not make them there."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from playground.model.file_map import defaults_of

if TYPE_CHECKING:
    from collections.abc import Mapping

_OF_PYTEST = {
    "request": ("types", "types.SimpleNamespace(node=types.SimpleNamespace(name='TEST'))"),
    "tmp_path": ("pathlib, tempfile", "pathlib.Path(tempfile.mkdtemp())"),
}
"""What stands for pytest's own fixtures: the modules it takes, and its text."""


def with_fixtures(code: str, module: ast.Module) -> str:
    """Return a driver's code with what pytest would pass to the test that it calls.

    Fixtures of the file itself are written out, and those of pytest's that are asked for most;
    others are left for the check to name.
    """
    functions = {node.name: node for node in module.body if isinstance(node, ast.FunctionDef)}
    tree = ast.parse(code)
    last = tree.body[-1] if tree.body else None
    call = last.value if isinstance(last, ast.Expr) else None
    if not isinstance(call, ast.Call) or call.args or not isinstance(call.func, ast.Name):
        return code
    test = functions.get(call.func.id)
    if test is None or not test.name.startswith("test"):
        return code
    added = _made(test, functions, {each.arg for each in call.keywords if each.arg}, ())
    if not added:
        return code
    call.keywords += added
    text = ast.unparse(ast.fix_missing_locations(tree))
    asked = {each.arg for each in added}
    modules = sorted(module for name, (module, _) in _OF_PYTEST.items() if name in asked)
    return "".join(f"import {module}\n" for module in modules) + text


def _made(
    function: ast.FunctionDef,
    functions: Mapping[str, ast.FunctionDef],
    given: set[str],
    within: tuple[str, ...],
) -> list[ast.keyword]:
    """Return the fixtures that a function asks for, as arguments by name."""
    defaults = defaults_of(function)
    names = [
        each.arg
        for each in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
        if each.arg not in given and each.arg not in defaults
    ]
    found = []
    for name in names:
        fixture = functions.get(name)
        if fixture is None and name in _OF_PYTEST:
            made = _OF_PYTEST[name][1].replace("TEST", function.name)
            found.append(ast.keyword(name, ast.parse(made, mode="eval").body))
            continue
        if fixture is None or name in within or not _is_fixture(fixture):
            continue
        # What pytest wraps says that it is not to be called.
        inner = ast.Call(
            ast.Attribute(ast.Name(name, ast.Load()), "__wrapped__", ast.Load()),
            [],
            _made(fixture, functions, set(), (*within, name)),
        )
        yields = any(isinstance(each, ast.Yield) for each in ast.walk(fixture))
        value = ast.Call(ast.Name("next", ast.Load()), [inner], []) if yields else inner
        found.append(ast.keyword(name, value))
    return found


def _is_fixture(node: ast.FunctionDef) -> bool:
    return any("fixture" in ast.unparse(each) for each in node.decorator_list)
