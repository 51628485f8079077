"""What is wrong with a call in a kernel: its arguments held against the signature of the callee."""

from __future__ import annotations

import ast
import difflib
import inspect
import re
from dataclasses import dataclass

from playground.engine import compile_places

_ABOUT_ARGUMENTS = re.compile(
    r"missing (?:\d+ |a )?required|too many positional|unexpected keyword"
    r"|positional arguments? but |multiple values for argument"
)
_INNER = frozenset({"_semantic", "_generator", "_builder"})


@dataclass(frozen=True)
class _Signature:
    names: tuple[str, ...]
    required: tuple[str, ...]


def explained(message: str, source: str, file: str) -> tuple[str, str] | None:
    """Return what is wrong with a call's arguments and what to write, None where that is unknown.

    Parameters
    ----------
    message
        The compiler's message.
    source
        The statement or expression that it points at.
    file
        The file it stands in, where the function called may be defined.
    """
    if _ABOUT_ARGUMENTS.search(message) is None:
        return None
    call = _call(source)
    if call is None or any(isinstance(item, ast.Starred) for item in call.args):
        return None
    name = ast.unparse(call.func)
    signature = _in_file(name, file) or _of_language(name)
    if signature is None:
        return None
    shown = f"{name}({', '.join(signature.names)})"
    given = [item.arg for item in call.keywords if item.arg]
    unknown = [item for item in given if item not in signature.names]
    if unknown:
        close = difflib.get_close_matches(unknown[0], signature.names, 1, 0.5)
        meant = f"did you mean {close[0]}=? " if close else ""
        return (
            f"{name} has no parameter {unknown[0]}",
            f"{meant}its parameters are {', '.join(signature.names)}",
        )
    if len(call.args) > len(signature.names):
        return (
            f"{name} takes {len(signature.names)} arguments, and this call gives {len(call.args)}",
            f"{name} takes {', '.join(signature.names)}: leave out the rest, or add a parameter",
        )
    filled = {*signature.names[: len(call.args)], *given}
    missing = [item for item in signature.required if item not in filled]
    if missing:
        return (
            f"{name} is called without its argument {', '.join(missing)}",
            f"give every parameter that has no default: {shown}",
        )
    return None


def doubled(source: str, file: str, inside: str) -> str | None:
    """Return the function that `source` calls, if that is `inside`, the one it stands in."""
    call = _call(source)
    if call is None or not isinstance(call.func, ast.Name):
        return None
    return call.func.id if call.func.id == inside and _in_file(inside, file) else None


def _call(source: str) -> ast.Call | None:
    try:
        tree = ast.parse(source.strip())
    except SyntaxError:
        return None
    return next((node for node in ast.walk(tree) if isinstance(node, ast.Call)), None)


def _in_file(name: str, file: str) -> _Signature | None:
    node = compile_places.function_called(name, file)
    if node is None:
        return None
    taken = [*node.args.posonlyargs, *node.args.args]
    required = taken[: len(taken) - len(node.args.defaults)]
    return _Signature(
        tuple(item.arg for item in (*taken, *node.args.kwonlyargs) if item.arg not in _INNER),
        tuple(item.arg for item in required if item.arg not in _INNER),
    )


def _of_language(name: str) -> _Signature | None:
    import triton.language as tl

    first, _, rest = name.partition(".")
    if first not in ("tl", "language") or not rest:
        return None
    value: object = tl
    for part in rest.split("."):
        value = getattr(value, part, None)
    try:
        parameters = inspect.signature(getattr(value, "fn", value)).parameters  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    named = [item for item in parameters.values() if item.name not in _INNER]
    if any(item.kind in (item.VAR_POSITIONAL, item.VAR_KEYWORD) for item in named):
        return None
    return _Signature(
        tuple(item.name for item in named),
        tuple(item.name for item in named if item.default is inspect.Parameter.empty),
    )
