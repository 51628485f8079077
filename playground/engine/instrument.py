"""Letting a knob reach host code: a grid computed from a block size follows that block size.

A launch `kernel[(triton.cdiv(n, BLOCK),)](..., BLOCK=BLOCK)` has its grid computed before Triton
sees anything. So, when a file is loaded, each binding of a name that a launch passes on is wrapped
in the syntax tree (text, lines and kernels are untouched). The wrapper hands the value through,
unless a replay is running the driver again under other knobs: then grid and argument both see the
override.
"""

from __future__ import annotations

import ast
import contextlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from playground.model.outline import is_jit

if TYPE_CHECKING:
    import types
    from collections.abc import Iterable, Iterator, Mapping

_WRAPPER = "__playground_knob__"


@dataclass(frozen=True)
class Site:
    """One value that a launch passes on by name.

    `keyword` or `position` tells which argument of the launch it is. For `**mapping` both are
    None. `key` is set where the launch passes `mapping["key"]`. `constant` tells that the value is
    written down in the file, so that no data decides it.
    """

    number: int
    file: str
    line: int
    end_line: int
    name: str
    keyword: str | None = None
    position: int | None = None
    key: str | None = None
    constant: bool = False


_overrides: dict[int, dict[str, Any]] = {}
"""Overrides in force, by site number; the key is empty for a plain value, else a mapping's."""
_numbers: dict[tuple[str, int, int, str], int] = {}
"""A site's number by its place: loading the same text again finds the same numbers."""


def compile_instrumented(text: str, path: str) -> tuple[types.CodeType, tuple[Site, ...]]:
    """Compile `text` with its launches' host values wrapped; return code and the sites wrapped."""
    tree = ast.parse(text, path)
    wrapper = _Wrapper(path)
    wrapper.scope(tree, ())
    ast.fix_missing_locations(tree)
    return compile(tree, path, "exec", dont_inherit=True), tuple(wrapper.sites)


def attach(namespace: dict[str, Any], path: str, sites: Iterable[Site]) -> None:
    """Put the wrapper where the instrumented code of `path` finds it, and remember its sites."""
    # Double underscores on both ends: no listing of the user's own names shows it.
    namespace[_WRAPPER] = _pass_on
    _sites[path] = tuple(sites)
    _namespaces[path] = namespace


_sites: dict[str, tuple[Site, ...]] = {}
_namespaces: dict[str, dict[str, Any]] = {}


def sites_of_launch(
    file: str, line: int | None, parameters: tuple[str, ...], names: Iterable[str]
) -> tuple[tuple[Site, str], ...]:
    """Return the wrapped sites that feed `names` of the kernel launched at `file:line`, by name."""
    if line is None:
        return ()
    wanted = set(names)
    found: list[tuple[Site, str]] = []
    for site in _sites.get(file, ()):
        if site.name and site.line <= line <= site.end_line:
            passed = _passed(site, parameters, wanted)
            found.extend((site, name) for name in sorted(passed & wanted))
    return tuple(found)


def is_constant(file: str, line: int | None, parameters: tuple[str, ...], name: str) -> bool:
    """Tell whether the launch at `file:line` passes for `name` a value written in the file."""
    if line is None:
        return False
    return any(
        site.constant
        for site in _sites.get(file, ())
        if site.line <= line <= site.end_line and name in _passed(site, parameters, set())
    )


def has_sites(file: str) -> bool:
    """Tell whether `file` was loaded with its launches looked at."""
    return file in _sites


def _passed(site: Site, parameters: tuple[str, ...], anything: set[str]) -> set[str]:
    if site.position is not None:
        return {parameters[site.position]} if site.position < len(parameters) else set()
    return {site.keyword} if site.keyword is not None else anything


@contextlib.contextmanager
def overriding(sites: Iterable[tuple[Site, str]], values: Mapping[str, Any]) -> Iterator[None]:
    """Make the wrapped bindings of `sites` yield `values` (by kernel parameter) meanwhile.

    A name bound at module level was bound before this: its value there is replaced too.
    """
    before: dict[tuple[str, str], tuple[dict[str, Any], Any]] = {}
    for site, parameter in sites:
        inner = site.key if site.key is not None else ""
        if site.keyword is None and site.position is None:
            inner = parameter
        _overrides.setdefault(site.number, {})[inner] = values[parameter]
        namespace = _namespaces.get(site.file, {})
        if site.name in namespace:
            place = (site.file, site.name)
            _, value = before.setdefault(place, (namespace, namespace[site.name]))
            namespace[site.name] = _replaced(value, _overrides[site.number])
    try:
        yield
    finally:
        _overrides.clear()
        for (_, name), (namespace, value) in before.items():
            namespace[name] = value


def _pass_on(numbers: tuple[int, ...], value: Any) -> Any:
    if not _overrides:
        return value
    for number in numbers:
        if number in _overrides:
            value = _replaced(value, _overrides[number])
    return value


def _replaced(value: Any, override: Mapping[str, Any]) -> Any:
    if "" in override:
        return override[""]
    if not isinstance(value, dict):
        return value
    changes = {key: item for key, item in override.items() if key in value}
    return {**value, **changes}


class _Wrapper:
    """Wraps, scope by scope, the bindings of names which launches in that scope pass on."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.sites: list[Site] = []

    def scope(
        self, node: ast.Module | ast.FunctionDef | ast.AsyncFunctionDef, outer: tuple[Any, ...]
    ) -> None:
        """Wrap what launches inside `node` use; `outer` are the enclosing scopes, inner first."""
        scopes = (node, *outer)
        for child in _own_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                if not is_jit(child):
                    self.scope(child, scopes)
            elif isinstance(child, ast.Call) and isinstance(child.func, ast.Subscript):
                self._launch(child, scopes)

    def _launch(self, call: ast.Call, scopes: tuple[Any, ...]) -> None:
        for position, value in enumerate(call.args):
            if isinstance(value, ast.Starred):
                break  # what follows has no position that could be known here
            self._value(call, value, scopes, position=position)
        for keyword in call.keywords:
            self._value(call, keyword.value, scopes, keyword=keyword.arg)

    def _value(
        self,
        call: ast.Call,
        value: ast.expr,
        scopes: tuple[Any, ...],
        *,
        keyword: str | None = None,
        position: int | None = None,
    ) -> None:
        key = None
        if (
            isinstance(value, ast.Subscript)
            and isinstance(value.value, ast.Name)
            and isinstance(value.slice, ast.Constant)
            and isinstance(value.slice.value, str)
        ):
            key, value = value.slice.value, value.value
        place = (self.path, value.lineno, value.col_offset, keyword or "")
        number = _numbers.setdefault(place, len(_numbers))
        last = call.end_lineno or call.lineno
        site = Site(number, self.path, call.lineno, last, "", keyword, position, key)
        if isinstance(value, ast.Constant):
            self.sites.append(replace(site, constant=True))
            return
        if not isinstance(value, ast.Name):
            return
        for scope in scopes:
            values = _wrap_bindings(scope, value.id, number)
            if values:
                constant = all(isinstance(item, ast.Constant) for item in values)
                self.sites.append(replace(site, name=value.id, constant=constant))
                return


def _own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a scope, nested functions as one node each, class bodies included."""
    stack = list(ast.iter_child_nodes(scope))
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            stack.extend(ast.iter_child_nodes(node))


def _wrap_bindings(scope: Any, name: str, number: int) -> list[ast.expr | None]:
    """Wrap every binding of `name` in `scope`; return the values bound, None for an unknown one."""
    found: list[ast.expr | None] = []
    for node in _own_nodes(scope):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                found += _wrap_target(node, target, name, number)
        elif (
            isinstance(node, (ast.AnnAssign, ast.NamedExpr))
            and isinstance(node.target, ast.Name)
            and node.target.id == name
            and node.value is not None
        ):
            found.append(_unwrapped(node.value))
            node.value = _wrapped(node.value, number)
        elif isinstance(node, (ast.For, ast.AsyncFor)) and _binds(node.target, name):
            node.body.insert(0, _rebind(name, number, node.body[0]))
            found.append(None)
    if isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef)) and _has_parameter(scope, name):
        place = 1 if ast.get_docstring(scope, clean=False) is not None else 0
        scope.body.insert(place, _rebind(name, number, scope.body[min(place, len(scope.body) - 1)]))
        found.append(None)
    return found


def _wrap_target(
    node: ast.Assign, target: ast.expr, name: str, number: int
) -> list[ast.expr | None]:
    if isinstance(target, ast.Name) and target.id == name:
        value = _unwrapped(node.value)
        node.value = _wrapped(node.value, number)
        return [value]
    if (
        isinstance(target, (ast.Tuple, ast.List))
        and isinstance(node.value, (ast.Tuple, ast.List))
        and len(target.elts) == len(node.value.elts)
        and not any(isinstance(item, ast.Starred) for item in [*target.elts, *node.value.elts])
    ):
        for index, item in enumerate(target.elts):
            if isinstance(item, ast.Name) and item.id == name:
                value = _unwrapped(node.value.elts[index])
                node.value.elts[index] = _wrapped(node.value.elts[index], number)
                return [value]
    return []


def _unwrapped(value: ast.expr) -> ast.expr:
    while _is_wrapper(value):
        value = value.args[1]  # type: ignore[attr-defined]  # a call, as just found
    return value


def _is_wrapper(value: ast.expr) -> bool:
    return (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Name)
        and value.func.id == _WRAPPER
    )


def _wrapped(value: ast.expr, number: int) -> ast.expr:
    if isinstance(value, ast.Call) and _is_wrapper(value):
        numbers = value.args[0]
        if isinstance(numbers, ast.Tuple):
            numbers.elts.append(ast.copy_location(ast.Constant(number), value))
        return value
    call = ast.Call(
        ast.Name(_WRAPPER, ast.Load()),
        [ast.Tuple([ast.Constant(number)], ast.Load()), value],
        [],
    )
    ast.copy_location(call, value)
    return call


def _rebind(name: str, number: int, place: ast.stmt) -> ast.stmt:
    value = ast.copy_location(ast.Name(name, ast.Load()), place)
    statement = ast.Assign([ast.Name(name, ast.Store())], _wrapped(value, number))
    return ast.copy_location(statement, place)


def _binds(target: ast.expr, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(target))


def _has_parameter(scope: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> bool:
    arguments = scope.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    if arguments.kwarg is not None:
        every.append(arguments.kwarg)
    return any(argument.arg == name for argument in every)
