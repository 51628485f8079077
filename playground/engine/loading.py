"""Executing the editor's text as the file it belongs to, saved or not.

The module lives under the file's real path, so tracebacks and IR locations point at real lines.
What `inspect` (and through it Triton) reads for that path is the text that runs, not the file on
disk: an entry of `linecache` with no modification time is never dropped by `linecache.checkcache`.
"""

from __future__ import annotations

import contextlib
import functools
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
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playground.engine import host_code, host_watch, packages, user_frames
from playground.engine.source_text import imported_names, lines_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

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
    """Execute `text` in `module` as `load_module` does; what it defined before it failed stays.

    A file whose imports need its package runs as the module it is there, or, as a script, as
    `python -m package.file` does.
    """
    use_text(path, text)
    folder = os.path.dirname(path)
    package = packages.package_of(path, text)
    library = packages.library_of(path, text) if package is None else None
    place = folder if package is None or package.root is None else package.root
    if library is not None:
        module.__package__, place = library
    _HelperFinder.serve(folder if package is None else package.top, place, _Buffer(path, text))
    forget_helpers(folder)
    module.__file__ = path
    # A script's loader is what `python file.py` would give it: none that could read the disk.
    module.__loader__ = None
    names = {module.__name__, module_name(path)}
    if package is not None:
        _execute_in(package, module, path, text)
        return
    with importing_from(place), _helpers_first(place, text), _standing_as(module, names):
        _run(module, path, text)


def execute_rest(module: types.ModuleType, path: str, text: str, line: int) -> None:
    """Execute the statements behind `line`, at which executing `text` ended, each by itself.

    For a process that only wants definitions: a statement that fails is passed over.
    """
    place = _HelperFinder.the().place
    with importing_from(place), _standing_as(module, {module.__name__, module_name(path)}):
        for code in host_code.statements_after(text, path, line):
            with contextlib.suppress(Exception, SystemExit):
                exec(code, module.__dict__)


def _execute_in(package: packages.Package, module: types.ModuleType, path: str, text: str) -> None:
    module.__package__ = package.name
    names = {module_name(path)}
    buffer = _HelperFinder.buffer()
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
        and not _is_users(other)
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
            _run(module, path, text)
    finally:
        for name, other in taken.items():
            sys.modules.setdefault(name, other)


def _run(module: types.ModuleType, path: str, text: str) -> None:
    user_frames.register(path)
    host_watch.attach(module.__dict__)
    exec(host_code.compiled(text, path), module.__dict__)


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
    importlib.invalidate_caches()
    before = sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    try:
        yield
    finally:
        sys.dont_write_bytecode = before


def place() -> str:
    """Return the folder that the helpers of the file executed last are imported from."""
    return _HelperFinder.the().place


def importing_helpers() -> contextlib.AbstractContextManager[None]:
    """Let functions of the file executed last import its helpers, as the file itself does."""
    return importing_from(place())


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
    folders = {folder, *_HelperFinder.folders()}
    for name, module in list(sys.modules.items()):
        if name in _ALWAYS_THERE or name == "__main__" or name.split(".")[0] == "playground":
            continue
        if name.startswith("_playground_"):
            continue
        file = getattr(module, "__file__", None)
        if file is None and name.startswith("package_"):
            del sys.modules[name]  # a package without an `__init__`
            continue
        if not isinstance(file, str) or not _inside_any(file, folders):
            continue
        linecache.checkcache(file)
        del sys.modules[name]


def serve_also(folder: str, name: str) -> importlib.machinery.ModuleSpec | None:
    """Let the user's files import from `folder` as well; return the spec of module `name` there."""
    if folder not in sys.path:
        sys.path.append(folder)
    finder = _HelperFinder.the()
    module = os.path.join(folder, name)
    finder.more.add(module if os.path.isdir(module) else folder)
    importlib.invalidate_caches()
    return finder.find_spec(name, [folder])


@dataclass
class _Buffer:
    """The text being worked on, which is what an import of its file gets as well.

    `module` is where it is executed when it is imported as `name`.
    """

    path: str = ""
    text: str = ""
    name: str = ""
    module: types.ModuleType | None = None
    executed: bool = False


class _HelperFinder(importlib.abc.MetaPathFinder):
    """Loads the helpers of the user's folders as the file itself is loaded."""

    _served: _HelperFinder | None = None

    def __init__(self) -> None:
        self.served = ""
        self.place = ""
        self.more: set[str] = set()
        self.current = _Buffer()

    @classmethod
    def the(cls) -> _HelperFinder:
        """Return the only finder there is."""
        if cls._served is None:
            cls._served = cls()
        if cls._served not in sys.meta_path:
            sys.meta_path.insert(0, cls._served)
        return cls._served

    @classmethod
    def serve(cls, folder: str, place: str, buffer: _Buffer) -> None:
        """Look after the modules in `folder`, and of no other any more.

        `place` is where a module of theirs is imported from by its whole name.
        """
        finder = cls.the()
        if finder.served != folder:
            finder.more.clear()
        finder.served, finder.place, finder.current = folder, place, buffer

    @classmethod
    def folders(cls) -> set[str]:
        """Return the folders looked after."""
        finder = cls.the()
        return {finder.served, *finder.more} - {""}

    @classmethod
    def buffer(cls) -> _Buffer:
        """Return the text being worked on."""
        return cls.the().current

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return the spec of a helper, or None for any other module."""
        if fullname.split(".")[0] == "playground":
            return None
        places = [self.place] if path is None else path
        spec = importlib.machinery.PathFinder.find_spec(fullname, places, target)
        if spec is None or spec.origin is None or not _inside_any(spec.origin, self.folders()):
            return None
        if not isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            return None
        spec.loader = _HelperLoader(fullname, spec.origin)
        return spec


class _HelperLoader(importlib.machinery.SourceFileLoader):
    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType | None:
        """Return the module of the file being worked on, or let Python make a new one."""
        buffer = _HelperFinder.buffer()
        return buffer.module if buffer.name == spec.name else None

    def get_data(self, path: str) -> bytes:
        """Return a helper's bytes; the file being worked on is what its text is now."""
        buffer = _HelperFinder.buffer()
        if os.fspath(path) == buffer.path:
            return buffer.text.encode()
        return super().get_data(path)

    def exec_module(self, module: types.ModuleType) -> None:
        """Execute the helper's text, never its byte code: a replay may replace values in it."""
        buffer = _HelperFinder.buffer()
        if buffer.module is module:
            buffer.executed = True
        data = self.get_data(self.path)
        text = buffer.text if self.path == buffer.path else importlib.util.decode_source(data)
        _run(module, self.path, text)


def _inside_any(file: str, folders: Iterable[str]) -> bool:
    return any(_inside(file, folder) for folder in folders)


def _is_users(module: Any) -> bool:
    file = _file_of(module)
    return isinstance(file, str) and _inside_any(file, _HelperFinder.folders())


@functools.lru_cache(maxsize=1 << 14)
def _inside(file: str, folder: str) -> bool:
    # Kept, because it is asked of every imported module at every run and replay.
    try:
        relative = os.path.relpath(os.path.realpath(file), os.path.realpath(folder))
    except ValueError:  # another drive
        return False
    return not relative.startswith("..") and not any(part in relative for part in _LIBRARIES)


def user_files(path: str) -> tuple[str, ...]:
    """Return the files whose frames are the user's: the file itself and helpers of its folder."""
    folders = {os.path.dirname(path), *_HelperFinder.folders()}
    helpers = [
        file
        for name, module in list(sys.modules.items())
        if name not in _ALWAYS_THERE
        and name.split(".")[0] != "playground"
        and isinstance(file := _file_of(module), str)
        and _inside_any(file, folders)
    ]
    return (path, *dict.fromkeys(file for file in helpers if file != path))


def _file_of(module: Any) -> object:
    return getattr(module, "__file__", None)
