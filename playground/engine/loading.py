"""Executing the editor's text as the file it belongs to, saved or not.

The module lives under the file's real path, so tracebacks and IR locations point at real lines.
What `inspect` (and through it Triton) reads for that path is the text that runs, not the file on
disk: an entry of `linecache` with no modification time is never dropped by `linecache.checkcache`.
"""

from __future__ import annotations

import contextlib
import hashlib
import linecache
import os
import re
import sys
import types
from pathlib import Path
from typing import TYPE_CHECKING

from playground.engine import host_code, packages
from playground.engine.helper_modules import (
    NEVER_HELPERS,
    Buffer,
    HelperFinder,
    forget_helpers,
    importing_from,
    importing_helpers,
    inside,
    is_users,
    run_text,
)
from playground.engine.source_text import imported_names, lines_of
from playground.engine.triton_private import patches

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def module_name(path: str) -> str:
    """Return the name under which the module of `path` is registered: one per path, and stable.

    Triton's cache key holds it, so every process that loads the file must use the same.
    """
    stem = re.sub(r"\W", "_", Path(path).stem)
    return f"{host_code.OPENED}{stem}_{hashlib.sha256(os.fsencode(path)).hexdigest()[:10]}"


def use_text(path: str, text: str) -> None:
    """Make `inspect`, Triton and tracebacks read `text` for `path`, whatever the disk holds."""
    linecache.cache[path] = (len(text), None, lines_of(text, keep_ends=True), path)


def forget_text(path: str) -> None:
    """Let `path` be what the disk holds again: another file is worked on, which may import it."""
    linecache.cache.pop(path, None)


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
    """Execute `text` in `module` as `load_module` does; what it defined before it failed stays.

    A file whose imports need its package runs as the module it is there, or, as a script, as
    `python -m package.file` does.
    """
    patches.begin()
    use_text(path, text)
    folder = os.path.dirname(path)
    package = packages.package_of(path, text)
    library = packages.library_of(path, text) if package is None else None
    place = folder if package is None or package.root is None else package.root
    if library is not None:
        module.__package__, place = library
    HelperFinder.serve(folder if package is None else package.top, place, Buffer(path, text))
    forget_helpers(folder)
    module.__file__ = path
    # A script's loader is what `python file.py` would give it: none that could read the disk.
    module.__loader__ = None
    names = {module.__name__, module_name(path)}
    if package is not None:
        _execute_in(package, module, path, text)
        return
    with importing_from(place), _helpers_first(place, text), _standing_as(module, names):
        run_text(module, path, text)


def execute_rest(module: types.ModuleType, path: str, text: str, line: int) -> None:
    """Execute the statements behind `line`, at which executing `text` ended, each by itself.

    For a process that only wants definitions: a statement that fails is passed over.
    """
    place = HelperFinder.the().place
    with importing_from(place), _standing_as(module, {module.__name__, module_name(path)}):
        for code in host_code.statements_after(text, path, line):
            with contextlib.suppress(Exception, SystemExit):
                exec(code, module.__dict__)


def _execute_in(package: packages.Package, module: types.ModuleType, path: str, text: str) -> None:
    module.__package__ = package.name
    names = {module_name(path)}
    buffer = HelperFinder.buffer()
    if module.__name__ == "__main__":
        names.add("__main__")
    else:
        # Its real name is taken only when its turn comes: the package's `__init__` may import this
        # very file before that.
        module.__name__ = package.module
        buffer.module, buffer.name = module, package.module
    taken = {
        name: other
        for name, other in sys.modules.items()
        if package.root is not None
        and name.partition(".")[0] == package.folders[0][0]
        and not is_users(other)
    }
    for name in taken:
        del sys.modules[name]
    try:
        with importing_helpers(), _standing_as(module, names):
            packages.import_parents(package)
            if buffer.executed:
                return
            if buffer.module is not None:
                sys.modules[package.module] = module
                setattr(sys.modules[package.name], package.module.rpartition(".")[2], module)
                buffer.executed = True
            run_text(module, path, text)
    finally:
        for name, other in taken.items():
            sys.modules.setdefault(name, other)


@contextlib.contextmanager
def _standing_as(module: types.ModuleType, names: Iterable[str]) -> Iterator[None]:
    before = sys.modules.get("__main__")
    # Its own names stay registered: pickle, dataclasses and inspect find the module later.
    for name in names:
        sys.modules[name] = module
    try:
        yield
    finally:
        if before is not None:
            sys.modules["__main__"] = before


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
        and name.split(".")[0] not in NEVER_HELPERS
        and (module := sys.modules.get(name)) is not None
        and _is_helper(folder, name)
        and not inside(getattr(module, "__file__", None) or "", folder)
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
def script_arguments(path: str) -> Iterator[None]:
    """Give a script `sys.argv == [path]` while it runs."""
    before = sys.argv
    sys.argv = [path]
    try:
        yield
    finally:
        sys.argv = before
