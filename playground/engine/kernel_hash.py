"""A hash of a kernel and all it calls: two runs with the same one ran the same code."""

from __future__ import annotations

import hashlib
import types
from typing import TYPE_CHECKING, Any

from playground.engine.triton_private import wrappers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_PLAIN = (bool, int, float, str, tuple, type(None))


def kernel_hash(function: Any, helpers: Iterable[bytes] = ()) -> str:
    """Return a hash of a jitted function's text, what it calls, and the constants it looks at.

    The same with and without the interpreter.

    Parameters
    ----------
    helpers
        Contents of the user's other files: what a kernel takes from a module of theirs by attribute
        is only known there.
    """
    hasher = hashlib.sha256()
    seen: set[int] = set()
    waiting = [wrappers.unwrap(function)]
    while waiting:
        python = wrappers.python_function(waiting.pop(0))
        if id(python) in seen:
            continue
        seen.add(id(python))
        hasher.update(f"{python.__qualname__}\n{_text(python)}\n".encode())
        for name, value in _globals_of(python):
            if wrappers.is_kernel_like(value):
                waiting.append(wrappers.unwrap(value))
            elif isinstance(wrappers.plain(value), _PLAIN):
                hasher.update(f"{name}={wrappers.plain(value)!r};".encode())
    for content in helpers:
        hasher.update(hashlib.sha256(content).digest())
    return hasher.hexdigest()


def _text(python: types.FunctionType) -> str:
    # The code itself where there is no text: a function typed into the console.
    import inspect

    try:
        return inspect.getsource(python)
    except (OSError, TypeError):
        return python.__code__.co_code.hex() + repr(python.__code__.co_consts)


def _globals_of(python: types.FunctionType) -> Iterator[tuple[str, Any]]:
    names: dict[str, None] = {}
    waiting = [python.__code__]
    while waiting:
        code = waiting.pop()
        names.update(dict.fromkeys(code.co_names))
        waiting += [item for item in code.co_consts if isinstance(item, types.CodeType)]
    closed = dict(zip(python.__code__.co_freevars, python.__closure__ or (), strict=True))
    for name, cell in closed.items():
        try:
            yield name, cell.cell_contents
        except ValueError:  # not bound yet
            continue
    for name in sorted(names):
        if name in python.__globals__:
            yield name, python.__globals__[name]
