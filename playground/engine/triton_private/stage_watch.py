"""Being told of each stage of a compilation as it begins.

A stage that ends the process leaves nothing behind but what was told before. Checked against
triton 3.6 and 3.9: `compile` asks a fresh backend for a table of functions, one a stage.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from triton.compiler import compiler
from triton.runtime.cache import get_cache_manager

from playground.engine.stages_reached import Reached

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextlib.contextmanager
def watching(tell: Callable[[Reached], None]) -> Iterator[None]:
    """Call `tell` before each stage of what is compiled meanwhile; a cached kernel has none."""
    original = compiler.make_backend

    def make_backend(target: Any) -> Any:
        backend = original(target)
        add_stages = backend.add_stages

        def watched(stages: dict[str, Any], *arguments: Any, **keywords: Any) -> None:
            add_stages(stages, *arguments, **keywords)
            names = tuple(stages)
            for number, name in enumerate(names):
                stages[name] = _told(name, names[:number], stages[name], tell)

        backend.add_stages = watched
        return backend

    compiler.make_backend = make_backend
    try:
        yield
    finally:
        compiler.make_backend = original


def _told(
    name: str, before: tuple[str, ...], stage: Callable[..., Any], tell: Callable[[Reached], None]
) -> Callable[..., Any]:
    def run(source: Any, metadata: dict[str, Any]) -> Any:
        folder = getattr(get_cache_manager(metadata["hash"]), "cache_dir", "")
        tell(Reached(name, before, str(folder or "")))
        return stage(source, metadata)

    return run
