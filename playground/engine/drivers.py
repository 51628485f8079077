"""Running a driver in a loaded module's namespace, and finding the reference that goes with it."""

from __future__ import annotations

import ast
import contextlib
import inspect
import linecache
import os
import threading
from typing import TYPE_CHECKING, Any, NoReturn

from playground.engine import host_code
from playground.engine.source_text import lines_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

DRIVER_FILE = "<driver>"
"""The file name in tracebacks of code that the user typed as a driver."""


def with_sizes(code: str, sizes: Mapping[str, int]) -> str:
    """Return driver `code` with `sizes` put in as keywords of every call of `example`."""
    if not sizes or not code.strip():
        return code
    tree = ast.parse(code, DRIVER_FILE)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _is_name(node.func, "example"):
            kept = [keyword for keyword in node.keywords if keyword.arg not in sizes]
            added = [
                ast.keyword(name, ast.Constant(value)) for name, value in sorted(sizes.items())
            ]
            node.keywords = [*kept, *added]
    return ast.unparse(ast.fix_missing_locations(tree))


def run_driver(code: str, namespace: dict[str, Any]) -> Any:
    """Execute driver `code` in `namespace`; return the value of its last expression, else None."""
    lines = lines_of(code, keep_ends=True)
    linecache.cache[DRIVER_FILE] = (len(code), None, lines, DRIVER_FILE)
    statements, last = host_code.compiled_driver(code, DRIVER_FILE)
    exec(statements, namespace)
    if last is None:
        return None
    if isinstance(last, ast.Call) and _may_be_test(last):
        return _run_test(last, namespace)
    return _value(last, namespace)


def is_skip(error: BaseException) -> bool:
    """Tell whether a test, or a file of tests, has skipped itself with `error`."""
    return any(kind.__name__ in ("Skipped", "SkipTest") for kind in type(error).__mro__)


@contextlib.contextmanager
def may_end_itself() -> Iterator[None]:
    """Let a script say that it is done, and a test that it skips itself."""
    try:
        with without_hard_exits():
            yield
    except SystemExit:
        pass
    except BaseException as error:
        if not is_skip(error):
            raise


@contextlib.contextmanager
def without_hard_exits() -> Iterator[None]:
    """Make `os._exit` end the script only: the process is the engine's, with all that it holds."""
    leave, process = os._exit, os.getpid()

    def end(status: int) -> NoReturn:
        if os.getpid() != process or threading.current_thread() is not threading.main_thread():
            leave(status)  # a child that was forked, or the engine's own thread
        raise SystemExit(status)

    os._exit = end
    try:
        yield
    finally:
        os._exit = leave


def _may_be_test(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return str(name).startswith("test") and not call.args


def _run_test(call: ast.Call, namespace: dict[str, Any]) -> Any:
    """Call a test whose parameters are left out, in whole or in part, as pytest would."""
    from playground.engine import calling_tests

    function = _value(call.func, namespace)
    if not calling_tests.is_test(function):
        return _value(call, namespace)
    given: dict[str, Any] = {}
    for keyword in call.keywords:
        value = _value(keyword.value, namespace)
        given.update(value if keyword.arg is None else {keyword.arg: value})
    return calling_tests.call(function, namespace, given)


def _value(node: ast.expr, namespace: dict[str, Any]) -> Any:
    return eval(compile(ast.Expression(node), DRIVER_FILE, "eval"), namespace)


def reference_code(code: str, namespace: Mapping[str, Any]) -> str | None:
    """Return the expression that calls `reference` as driver `code` calls `example`, if it does.

    Keywords that only `example` takes, such as a block size, are left out.
    """
    if not callable(namespace.get("reference")) or not code.strip():
        return None
    tree = ast.parse(code, DRIVER_FILE)
    calls = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and _is_name(node.func, "example")
    ]
    if len(calls) != 1:
        return None
    call = calls[0]
    call.func = ast.copy_location(ast.Name("reference", ast.Load()), call.func)
    names = _keywords_of(namespace["reference"])
    if names is not None:
        call.keywords = [word for word in call.keywords if word.arg is None or word.arg in names]
    return ast.unparse(call)


def _keywords_of(function: Any) -> frozenset[str] | None:
    """Return the names that a function takes as keywords, None when it takes any or cannot tell."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(one.kind is one.VAR_KEYWORD for one in parameters):
        return None
    return frozenset(one.name for one in parameters if one.kind is not one.POSITIONAL_ONLY)


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
