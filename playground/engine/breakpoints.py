"""Breakpoints in the user's file: passed by while it runs here, and said.

Nobody could answer a debugger's prompt: the engine is busy with the run, and the console waits.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
from typing import TYPE_CHECKING, Any

from playground.engine import run_notes

if TYPE_CHECKING:
    from collections.abc import Iterator

_DEBUGGERS = ("pdb", "ipdb", "pudb", "IPython.core.debugger")
_DOORS = ("set_trace", "post_mortem", "pm")


def passed(name: str) -> None:
    """Tell that a breakpoint was passed by."""
    run_notes.tell(
        f"{name}() was passed by: there is no prompt to answer while a file runs here",
        "to stop within a kernel click beside its line and debug a program (Ctrl+F5); of host code "
        "look at values in the console afterwards, or run the file in a terminal",
    )


@contextlib.contextmanager
def passed_by(text: str) -> Iterator[None]:
    """Let breakpoints do nothing meanwhile; `text` tells which debuggers may be called."""
    hook = sys.breakpointhook
    sys.breakpointhook = lambda *_args, **_named: passed("breakpoint")
    originals = []
    for name in _DEBUGGERS:
        module = _module(name, text)
        for door in _DOORS:
            if module is not None and hasattr(module, door):
                originals.append((module, door, getattr(module, door)))
                setattr(module, door, _door(f"{name}.{door}"))
    try:
        yield
    finally:
        sys.breakpointhook = hook
        for module, door, value in originals:
            setattr(module, door, value)


def _door(name: str) -> Any:
    def pass_by(*_args: Any, **_named: Any) -> None:
        passed(name)

    return pass_by


def _module(name: str, text: str) -> Any:
    if name.rpartition(".")[2] not in text:
        return sys.modules.get(name)
    try:
        return importlib.import_module(name)
    except ImportError:  # a stand-in is imported in its place, and passes by as well
        return None
