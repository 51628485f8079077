"""Triton's front end exchanged while a copy of a kernel compiles, for its thread only.

Several threads may compile copies at the same time; other threads' kernels compile as ever.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import threading
from typing import TYPE_CHECKING, Any

from triton.compiler import code_generator
from triton.compiler import compiler as triton_compiler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_lock = threading.Lock()
_compiling: dict[int, tuple[Callable[..., Any], str]] = {}
"""By thread: what makes its code generators, and the folder of its files."""
_own: list[Any] = []
"""Triton's code generator and cache, while they are exchanged."""


class _DiscardedFiles:
    """A cache manager whose files live only as long as one compile."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def get_file(self, filename: str) -> str | None:
        path = os.path.join(self.folder, filename)
        return path if os.path.exists(path) else None

    def get_group(self, filename: str) -> dict[str, str] | None:
        del filename
        return None

    def put(self, data: Any, filename: str, binary: bool = True) -> str:
        del binary  # the data's own type decides, as in Triton's manager
        path = os.path.join(self.folder, filename)
        if isinstance(data, bytes):
            with open(path, "wb") as file:
                file.write(data)
        else:
            with open(path, "w", encoding="utf-8") as text:
                text.write(str(data))
        return path

    def put_group(self, filename: str, group: dict[str, str]) -> str:
        del group
        return os.path.join(self.folder, filename)


@contextlib.contextmanager
def front_end(make: Callable[..., Any]) -> Iterator[None]:
    """Have `make` make this thread's code generators, and keep nothing that it compiles."""
    thread = threading.get_ident()
    with tempfile.TemporaryDirectory(prefix="playground-trace-", dir=_memory()) as folder:
        with _lock:
            if not _compiling:
                _own[:] = code_generator.CodeGenerator, triton_compiler.get_cache_manager
                code_generator.CodeGenerator = _generator
                triton_compiler.get_cache_manager = _cache
            _compiling[thread] = make, folder
        try:
            yield
        finally:
            with _lock:
                del _compiling[thread]
                if not _compiling:
                    code_generator.CodeGenerator, triton_compiler.get_cache_manager = _own


def _memory() -> str | None:
    """Return a folder in memory, where the machine has one: the files are gone in a moment."""
    folder = "/dev/shm"
    return folder if os.path.isdir(folder) and os.access(folder, os.W_OK) else None


def _generator(*arguments: Any, **keywords: Any) -> Any:
    mine = _compiling.get(threading.get_ident())
    return (mine[0] if mine else _own[0])(*arguments, **keywords)


def _cache(key: str) -> Any:
    mine = _compiling.get(threading.get_ident())
    return _DiscardedFiles(mine[1]) if mine else _own[1](key)
