"""Loops that are there to be timed: recognised in a file's text, and gone through once.

Two kinds. One repeats a call between two looks at the clock; nothing that a later round could
build on comes of it. The other makes inputs of one size after another and times each: where it
does nothing but that, or repeats calls within, its smallest size is enough to see the launches.
`benchmarks` decides what is done, when the loop is reached.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from playground.engine import benchmarks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

_ROUNDS = "__playground_rounds__"
_SIZES = "__playground_sizes__"
_ENOUGH = "__playground_enough__"
_CLOCKS = frozenset({
    "perf_counter", "perf_counter_ns", "monotonic", "monotonic_ns", "process_time", "time",
    "time_ns", "elapsed_time", "default_timer",
})  # fmt: skip
_TIMERS = frozenset({
    "do_bench", "do_bench_cudagraph", "do_bench_proton", "timeit", "repeat", "blocked_autorange",
})  # fmt: skip
_MAKES_TENSORS = frozenset({
    "rand", "randn", "randint", "empty", "zeros", "ones", "full", "arange", "linspace", "tensor",
    "randperm", "normal", "rand_like", "as_tensor", "from_numpy",
})  # fmt: skip
_COMPARES = frozenset({
    "assert_close", "allclose", "assert_allclose", "equal", "isclose", "assert_equal",
    "assert_array_equal", "assertTrue", "assertEqual",
})  # fmt: skip


def attach(namespace: dict[str, object]) -> None:
    """Put what shortened loops call into the module that they run in."""
    namespace[_ROUNDS] = benchmarks.rounds
    namespace[_SIZES] = benchmarks.sizes
    namespace[_ENOUGH] = benchmarks.enough


def shorten(
    scope: ast.AST, functions: Mapping[str, ast.AST], launches: Callable[[list[ast.stmt]], bool]
) -> None:
    """Have the timing loops of a scope ask how far they are to go.

    Parameters
    ----------
    functions
        The file's host functions, by name.
    launches
        Tells whether statements launch kernels, themselves or through what they call.
    """
    body = getattr(scope, "body", [])
    for node in list(_own_statements(body)):
        if not isinstance(node, (ast.For, ast.While)):
            continue
        if sweeps(node, functions) and launches(node.body):
            _go_once(node)
    if not _looks_at_a_clock(body):
        return
    for node in _own_statements(body):
        if (
            isinstance(node, ast.For)
            and isinstance(node.target, ast.Name)
            and isinstance(node.iter, ast.Call)
            and isinstance(node.iter.func, ast.Name)
            and node.iter.func.id == "range"
            and len(node.iter.args) == 1
            and all(_only_repeats(item) for item in node.body)
            and not _uses(node.body, {node.target.id})
        ):
            node.iter = ast.copy_location(_call(_ROUNDS, [node.iter]), node.iter)


# ---------------------------------------------------------------- sweeps over sizes


def sweeps(node: ast.For | ast.While, functions: Mapping[str, ast.AST]) -> bool:
    """Tell whether a loop times one size after another, and nothing else."""
    timers = _timers(functions)
    timed = _times(node.body) or _calls_any(node.body, timers)
    if not timed or not _makes_sized(node, functions):
        return False
    # A few sizes that are checked one by one are no benchmark, timed as they may be.
    repeats = _calls_any(node.body, timers | _TIMERS) or any(
        isinstance(each, (ast.For, ast.While)) for part in node.body for each in ast.walk(part)
    )
    return repeats or not _checks(node.body)


def _timers(functions: Mapping[str, ast.AST]) -> frozenset[str]:
    """Return the functions that time something, themselves or through what they call."""
    found = {name for name, function in functions.items() if _times(_body_of(function))}
    while more := {
        name
        for name, function in functions.items()
        if name not in found and _calls_any(_body_of(function), found)
    }:
        found |= more
    return frozenset(found)


def _makes_sized(node: ast.For | ast.While, functions: Mapping[str, ast.AST]) -> bool:
    """Tell whether tensors are made as large as the loop's own variable says."""
    if isinstance(node, ast.For):
        names = _names(node.target)
    else:
        names = _names(node.test) & {
            name for part in _own_statements(node.body) for name in _assigned(part)
        }
    makers = {
        name
        for name, function in functions.items()
        if any(_called_name(each) in _MAKES_TENSORS for each in ast.walk(function))
    }
    before = -1
    while len(names) != before:
        before = len(names)
        for part in _own_statements(node.body):
            value = getattr(part, "value", None)
            if isinstance(value, ast.expr) and _uses([value], names):
                names = names | _assigned(part)
    return any(
        isinstance(each, ast.Call)
        and _called_name(each) in _MAKES_TENSORS | makers
        and _uses([*each.args, *(keyword.value for keyword in each.keywords)], names)
        for part in node.body
        for each in ast.walk(part)
    )


def _go_once(node: ast.For | ast.While) -> None:
    if isinstance(node, ast.For):
        node.iter = ast.copy_location(_call(_SIZES, [node.iter]), node.iter)
        return
    last = node.body[-1]
    test = _call(_ENOUGH, [ast.Constant(node.lineno)])
    end = ast.copy_location(ast.If(test, [ast.copy_location(ast.Break(), last)], []), last)
    node.body.append(end)


def _times(body: Iterable[ast.AST]) -> bool:
    body = list(body)
    return _looks_at_a_clock(body) or _calls_any(body, _TIMERS)


def _checks(body: Iterable[ast.AST]) -> bool:
    return _calls_any(body, _COMPARES) or any(
        isinstance(each, ast.Assert) for part in body for each in ast.walk(part)
    )


def _calls_any(body: Iterable[ast.AST], names: Iterable[str]) -> bool:
    return any(_called_name(each) in names for part in body for each in ast.walk(part))


def _called_name(node: ast.AST) -> str:
    if not isinstance(node, ast.Call):
        return ""
    return str(getattr(node.func, "attr", None) or getattr(node.func, "id", ""))


def _body_of(node: ast.AST) -> list[ast.AST]:
    body: list[ast.AST] = getattr(node, "body", [])
    return body


def _names(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _assigned(node: ast.AST) -> set[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return {
        each.id
        for target in targets
        if target is not None and isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign))
        for each in ast.walk(target)
        if isinstance(each, ast.Name)
    }


# ---------------------------------------------------------------- loops that repeat


def _own_statements(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    stack = list(body)
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            stack.extend(ast.iter_child_nodes(node))


def _looks_at_a_clock(body: Iterable[ast.AST]) -> bool:
    return any(_called_name(node) in _CLOCKS for node in _own_statements(body))


def _only_repeats(node: ast.stmt) -> bool:
    """Tell whether a statement leaves nothing behind that a later round could build on."""
    if isinstance(node, ast.Expr):
        called = node.value.func if isinstance(node.value, ast.Call) else None
        return called is not None and not (
            isinstance(called, ast.Attribute) and called.attr in ("append", "step", "add", "update")
        )
    return isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)


def _uses(body: Iterable[ast.AST], names: set[str]) -> bool:
    return any(
        isinstance(item, ast.Name) and item.id in names for node in body for item in ast.walk(node)
    )


def _call(name: str, arguments: list[ast.expr]) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), arguments, [])
