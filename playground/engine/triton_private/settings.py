"""Triton's own settings, and what it keeps of compiled kernels from before they changed."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING, Any

import triton
from triton import knobs
from triton.runtime.jit import DependenciesFinder, JITCallable, JITFunction

from playground.engine import made_since
from playground.engine.triton_private import wrappers

if TYPE_CHECKING:
    import ast

_INTERPRET = "TRITON_INTERPRET"


def triton_settings() -> tuple[tuple[str, str, str], ...]:
    """Return the settings made through `triton.knobs`: group, name, value as text.

    What the environment sets is not among them.
    """
    return tuple(
        (group, name, repr(value))
        for group, holder in sorted(vars(knobs).items())
        if isinstance(holder, knobs.base_knobs)
        for name, value in sorted(vars(holder).items())
    )


def hold_mode(interpret: bool | None) -> bool | None:
    """Let this process interpret kernels, or compile them, whatever a file does to the environment.

    Triton asks for `TRITON_INTERPRET` again at each `@triton.jit`. A file that sets or removes it
    (many begin with `os.environ["TRITON_INTERPRET"] = "1"`) would get kernels of the other kind,
    which nothing here could run. The variable itself stays the file's to read and write. None
    holds nothing, as in any other program; what was held before is returned.
    """
    before: bool | None = vars(knobs.runtime).get("interpret")
    if interpret is None:
        del knobs.runtime.interpret
        return before
    variable = os.environ.get(_INTERPRET)
    # Through the knob, which comes before the environment; setting it sets the variable as well.
    knobs.runtime.interpret = interpret
    if variable is None:
        os.environ.pop(_INTERPRET, None)
    else:
        os.environ[_INTERPRET] = variable
    return before


def forget_compiled() -> None:
    """Make every kernel compile again when it is next launched.

    A kernel's key in memory is made once: it knows nothing of globals, of functions it calls or of
    settings that changed since. The cache on disk has keys of its own and stays.
    """
    for item in made_since.all_objects():
        if type(item) is JITFunction:
            _forget(item)


def _forget(function: Any) -> None:
    function.device_caches.clear()
    function.hash = None
    function.used_global_vals = {}


def complete_cache_keys() -> None:
    """Let a kernel's cache key hold its file, and the constants that it takes from other modules.

    Triton's key holds the kernel's text and first line: for a copy of a file the cache on disk
    would give the other's compilation, whose machine code names that file's lines. And it holds the
    globals of the kernel's own module, and not `settings.BLOCK` of an imported one: after an edit
    there, the cache would give the old kernel.
    """
    _complete_by_file()
    original = DependenciesFinder.visit_Attribute
    if getattr(original, "_is_complete", False):
        return

    def visit(finder: Any, node: ast.Attribute) -> Any:
        value = original(finder, node)
        plain = wrappers.plain(value)
        if isinstance(plain, (bool, int, float, str, tuple, triton.language.dtype)):
            finder.hasher.update(f"{node.attr}={plain!r};".encode())
        return value

    visit._is_complete = True  # type: ignore[attr-defined]
    DependenciesFinder.visit_Attribute = visit


def _complete_by_file() -> None:
    whole = JITCallable.cache_key
    if getattr(whole.fget, "_is_complete", False):
        return

    def cache_key(function: Any) -> Any:
        with function._hash_lock:
            if function.hash is None:
                found = whole.fget(function)
                place = getattr(function.fn, "__code__", None)
                place = place.co_filename if place is not None else ""
                function.hash = hashlib.sha256(f"{found} {place}".encode()).hexdigest()
            return function.hash

    cache_key._is_complete = True  # type: ignore[attr-defined]
    JITCallable.cache_key = property(cache_key)
