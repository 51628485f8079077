"""Triton's own settings, and what it keeps of compiled kernels from before they changed."""

from __future__ import annotations

import gc
from typing import Any

from triton import knobs
from triton.runtime.jit import JITFunction


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


def forget_compiled() -> None:
    """Make every kernel compile again when it is next launched.

    A kernel's key in memory is made once: it knows nothing of globals, of functions it calls or of
    settings that changed since. The cache on disk has keys of its own and stays.
    """
    for item in gc.get_objects():
        if type(item) is JITFunction:
            _forget(item)


def _forget(function: Any) -> None:
    function.device_caches.clear()
    function.hash = None
    function.used_global_vals = {}
