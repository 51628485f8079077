"""What a file put in the place of others' functions: there for its replays, gone for the next run.

Looked at are Triton, torch's tensors and Python's builtins, as far as they are loaded.
"""

from __future__ import annotations

import builtins
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from playground.engine import user_frames

if TYPE_CHECKING:
    from collections.abc import Iterator

_GONE = object()
_OWN = ("triton", "torch", "builtins", "_io", "_sitebuiltins", "playground", "")
"""Where functions are from that are put back; those of C modules often do not say."""
_noted: list[tuple[Any, dict[str, Any]]] = []
_modules: dict[str, ModuleType] = {}


def begin() -> None:
    """Undo what user code has put over functions since the last call, and note them anew.

    What a library or this program put there stays: it was imported once, and would not do so again.
    """
    return_modules()
    for holder, names in _noted:
        now = vars(holder)
        for name, value in names.items():
            found = now.get(name, _GONE)
            if found is not value and _is_own(value) and _is_users(found):
                setattr(holder, name, value)
    _note()


def return_modules() -> None:
    """Put Triton's modules back among the imported ones, where user code took them out.

    This program's own imports in functions would load a second Triton beside the one in use.
    """
    for name, module in _modules.items():
        if name not in sys.modules:
            sys.modules[name] = module


def _note() -> None:
    _modules.clear()
    _noted.clear()
    _noted.extend((holder, dict(vars(holder))) for holder in _holders())


def _holders() -> Iterator[Any]:
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] != "triton" or not isinstance(module, ModuleType):
            continue
        _modules[name] = module
        yield module
        for value in list(vars(module).values()):
            if isinstance(value, type) and value.__module__ == name:
                yield value
    yield builtins
    if (torch := sys.modules.get("torch")) is not None:
        yield torch
        yield torch.Tensor


def _origin(value: Any) -> str:
    return str(getattr(value, "__module__", None) or "").partition(".")[0]


def _is_own(value: Any) -> bool:
    """Tell whether a function or class came with Triton, torch, Python or this program."""
    return callable(value) and _origin(value) in _OWN


def _is_users(value: Any) -> bool:
    if value is _GONE or not callable(value):
        return True
    inner = getattr(value, "__func__", value)
    code = getattr(inner, "__code__", None)
    if code is not None:
        return user_frames.is_user(code.co_filename)
    return _origin(value) not in _OWN
