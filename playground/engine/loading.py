"""Executing the editor's text as the file it belongs to, saved or not.

The module lives under the file's real path, so tracebacks and IR locations point at real lines.
What `inspect` (and through it Triton) reads for that path is the text that runs, not the file on
disk: an entry of `linecache` with no modification time is never dropped by `linecache.checkcache`.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import linecache
import os
import re
import sys
import types
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playground.engine import host_code
from playground.engine.source_text import imported_names, lines_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_ALWAYS_THERE = frozenset(sys.modules)
_NEVER_HELPERS = frozenset({"torch", "triton", "numpy", "playground"})
_LIBRARIES = ("site-packages", "dist-packages", f"python{sys.version_info.major}.")


def module_name(path: str) -> str:
    """Return the name under which the module of `path` is registered: one per path, and stable.

    Triton's cache key holds it, so every process that loads the file must use the same.
    """
    stem = re.sub(r"\W", "_", Path(path).stem)
    return f"_playground_{stem}_{hashlib.sha256(os.fsencode(path)).hexdigest()[:10]}"


def use_text(path: str, text: str) -> None:
    """Make `inspect`, Triton and tracebacks read `text` for `path`, whatever the disk holds."""
    linecache.cache[path] = (len(text), None, lines_of(text, keep_ends=True), path)


def load_module(path: str, text: str, *, name: str) -> types.ModuleType:
    """Execute `text` in a fresh module whose file is `path`, and return the module.

    Parameters
    ----------
    path
        Where the text belongs; the folder becomes importable, first in line.
    name
        The module's `__name__`. With `"__main__"` the module runs as a script: it stands in
        `sys.modules["__main__"]` while it executes, and what was there is put back.

    Raises
    ------
    Exception
        Whatever the text raises; its frames carry the real path and lines.
    """
    module = types.ModuleType(name)
    execute(module, path, text)
    return module


def execute(module: types.ModuleType, path: str, text: str) -> None:
    """Execute `text` in `module` as `load_module` does; what it defined before it failed stays."""
    use_text(path, text)
    forget_helpers(os.path.dirname(path))
    module.__file__ = path
    # A script's loader is what `python file.py` would give it: none that could read the disk.
    module.__loader__ = None
    code = host_code.compiled(text, path)
    private = module_name(path)
    folder = os.path.dirname(path)
    with importing_from(folder), _helpers_first(folder, text), _standing_as(module, private):
        exec(code, module.__dict__)


@contextlib.contextmanager
def _standing_as(module: types.ModuleType, private: str) -> Iterator[None]:
    name = module.__name__
    before = sys.modules.get(name)
    # The private name stays registered: pickle, dataclasses and inspect find the module later.
    sys.modules[private] = module
    sys.modules[name] = module
    try:
        yield
    finally:
        if name == "__main__" and before is not None:
            sys.modules[name] = before


@contextlib.contextmanager
def _helpers_first(folder: str, text: str) -> Iterator[None]:
    """Let `text` import the helpers of `folder` whose names the engine's own imports have taken.

    `import statistics` means the file beside the script, as in a process where the script's folder
    comes first. Everybody else's module of that name is put back afterwards.
    """
    taken = {
        name: module
        for name in imported_names(text)
        if name not in sys.builtin_module_names
        and name.split(".")[0] not in _NEVER_HELPERS
        and (module := sys.modules.get(name)) is not None
        and _is_helper(folder, name)
        and not _inside(getattr(module, "__file__", None) or "", folder)
    }
    for name in taken:
        del sys.modules[name]
    try:
        yield
    finally:
        sys.modules.update(taken)


def _is_helper(folder: str, name: str) -> bool:
    place = os.path.join(folder, name)
    return os.path.isfile(f"{place}.py") or os.path.isfile(os.path.join(place, "__init__.py"))


@contextlib.contextmanager
def importing_from(folder: str) -> Iterator[None]:
    """Put `folder` first in `sys.path` for good, and write no byte code of helpers meanwhile.

    A helper edited twice within one second and to the same length would else be read from its
    stale byte code.
    """
    if folder in sys.path:
        sys.path.remove(folder)
    sys.path.insert(0, folder)
    _HelperFinder.serve(folder)
    importlib.invalidate_caches()
    before = sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    try:
        yield
    finally:
        sys.dont_write_bytecode = before


@contextlib.contextmanager
def script_arguments(path: str) -> Iterator[None]:
    """Give a script `sys.argv == [path]` while it runs."""
    before = sys.argv
    sys.argv = [path]
    try:
        yield
    finally:
        sys.argv = before


def forget_helpers(folder: str) -> None:
    """Drop the modules that came from `folder`, so that an edited helper is imported anew."""
    for name, module in list(sys.modules.items()):
        if name in _ALWAYS_THERE or name == "__main__" or name.split(".")[0] == "playground":
            continue
        if name.startswith("_playground_"):
            continue
        file = getattr(module, "__file__", None)
        if not isinstance(file, str) or not _inside(file, folder):
            continue
        linecache.checkcache(file)
        del sys.modules[name]


class _HelperFinder(importlib.abc.MetaPathFinder):
    """Loads the helpers of the user's folder as the file itself is loaded: launches looked at."""

    _served: _HelperFinder | None = None

    def __init__(self, folder: str) -> None:
        self.folder = folder

    @classmethod
    def serve(cls, folder: str) -> None:
        """Look after the modules of `folder`, and of no other any more."""
        if cls._served is None:
            cls._served = cls(folder)
        cls._served.folder = folder
        if cls._served not in sys.meta_path:
            sys.meta_path.insert(0, cls._served)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return the spec of a helper, or None for any other module."""
        if fullname.split(".")[0] == "playground":
            return None
        places = [self.folder] if path is None else path
        spec = importlib.machinery.PathFinder.find_spec(fullname, places, target)
        if spec is None or spec.origin is None or not _inside(spec.origin, self.folder):
            return None
        if not isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            return None
        spec.loader = _HelperLoader(fullname, spec.origin)
        return spec


class _HelperLoader(importlib.machinery.SourceFileLoader):
    def exec_module(self, module: types.ModuleType) -> None:
        """Execute the helper's text, never its byte code: a replay may replace values in it."""
        text = importlib.util.decode_source(self.get_data(self.path))
        exec(host_code.compiled(text, self.path), module.__dict__)


def _inside(file: str, folder: str) -> bool:
    try:
        relative = os.path.relpath(os.path.realpath(file), os.path.realpath(folder))
    except ValueError:  # another drive
        return False
    return not relative.startswith("..") and not any(part in relative for part in _LIBRARIES)


def user_files(path: str) -> tuple[str, ...]:
    """Return the files whose frames are the user's: the file itself and helpers of its folder."""
    folder = os.path.dirname(path)
    helpers = [
        file
        for name, module in list(sys.modules.items())
        if name not in _ALWAYS_THERE
        and name.split(".")[0] != "playground"
        and isinstance(file := _file_of(module), str)
        and _inside(file, folder)
    ]
    return (path, *dict.fromkeys(file for file in helpers if file != path))


def _file_of(module: Any) -> object:
    return getattr(module, "__file__", None)
