"""The modules beside the user's file: found, executed as the file itself is, and forgotten.

A helper is executed from its text, never from byte code, since a replay may replace values in it;
an import of the file that is being worked on gets the editor's text.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import linecache
import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from playground.engine import host_code, host_watch, user_frames
from playground.engine.imported_modules import imported_modules

if TYPE_CHECKING:
    import types
    from collections.abc import Iterable, Iterator, Sequence


_ALWAYS_THERE = frozenset(sys.modules)
NEVER_HELPERS = frozenset({"torch", "triton", "numpy", "playground"})
"""Packages that stay as they are also where the file worked on is one of theirs."""
_LIBRARIES = ("site-packages", "dist-packages", f"python{sys.version_info.major}.")


def run_text(module: types.ModuleType, path: str, text: str) -> None:
    """Execute a user's file in its module."""
    user_frames.register(path)
    host_watch.attach(module.__dict__)
    exec(host_code.compiled(text, path), module.__dict__)


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
    return HelperFinder.the().place


def importing_helpers() -> contextlib.AbstractContextManager[None]:
    """Let functions of the file executed last import its helpers, as the file itself does."""
    return importing_from(place())


def forget_helpers(folder: str) -> None:
    """Drop the modules that came from `folder`, so that an edited helper is imported anew."""
    folders = frozenset({folder, *HelperFinder.folders()})

    def is_helper(name: str, module: Any) -> bool:
        if name in _ALWAYS_THERE or name == "__main__" or name.split(".")[0] in NEVER_HELPERS:
            return False
        if name.startswith(host_code.OPENED):
            return False
        file = _file_of(module)
        if file is None:
            return name.startswith("package_")  # a package without an `__init__`
        return isinstance(file, str) and _inside_any(file, folders)

    for name, module in imported_modules(("helpers", folders), is_helper):
        if _file_of(module) is not None:
            linecache.checkcache(module.__file__)
        del sys.modules[name]


def serve_also(folder: str, name: str) -> importlib.machinery.ModuleSpec | None:
    """Let the user's files import from `folder` as well; return the spec of module `name` there."""
    if folder not in sys.path:
        sys.path.append(folder)
    finder = HelperFinder.the()
    module = os.path.join(folder, name)
    finder.more.add(module if os.path.isdir(module) else folder)
    importlib.invalidate_caches()
    return finder.find_spec(name, [folder])


@dataclass(frozen=True, eq=False)
class Scene:
    """What helpers a file has, and where they come from: put back when the file is worked on again.

    `modules` are the imported ones by name.
    """

    served: str
    place: str
    more: frozenset[str]
    buffer: Buffer
    modules: dict[str, Any]


def scene() -> Scene:
    """Return what helpers the file executed last has."""
    finder = HelperFinder.the()
    folders = frozenset(HelperFinder.folders())

    def is_helper(name: str, module: Any) -> bool:
        file = _file_of(module)
        return (
            name not in _ALWAYS_THERE
            and name != "__main__"
            and isinstance(file, str)
            and _inside_any(file, folders)
        )

    modules = dict(imported_modules(("scene", folders), is_helper)) if folders else {}
    return Scene(finder.served, finder.place, frozenset(finder.more), finder.current, modules)


def set_scene(scene: Scene | None) -> None:
    """Let imports find the helpers of another file again; None: of none."""
    finder = HelperFinder.the()
    if scene is None:
        finder.served, finder.place, finder.current = "", "", Buffer()
        finder.more.clear()
        return
    finder.served, finder.place, finder.current = scene.served, scene.place, scene.buffer
    finder.more = set(scene.more)
    if scene.place:
        if scene.place in sys.path:
            sys.path.remove(scene.place)
        sys.path.insert(0, scene.place)
        importlib.invalidate_caches()
    sys.modules.update(scene.modules)


@dataclass
class Buffer:
    """The text being worked on, which is what an import of its file gets as well.

    `module` is where it is executed when it is imported as `name`.
    """

    path: str = ""
    text: str = ""
    name: str = ""
    module: types.ModuleType | None = None
    executed: bool = False


class HelperFinder(importlib.abc.MetaPathFinder):
    """Loads the helpers of the user's folders as the file itself is loaded."""

    _served: HelperFinder | None = None

    def __init__(self) -> None:
        self.served = ""
        self.place = ""
        self.more: set[str] = set()
        self.current = Buffer()

    @classmethod
    def the(cls) -> HelperFinder:
        """Return the only finder there is."""
        if cls._served is None:
            cls._served = cls()
        if cls._served not in sys.meta_path:
            sys.meta_path.insert(0, cls._served)
        return cls._served

    @classmethod
    def serve(cls, folder: str, place: str, buffer: Buffer) -> None:
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
    def buffer(cls) -> Buffer:
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
        buffer = HelperFinder.buffer()
        return buffer.module if buffer.name == spec.name else None

    def get_data(self, path: str) -> bytes:
        """Return a helper's bytes; the file being worked on is what its text is now."""
        buffer = HelperFinder.buffer()
        if os.fspath(path) == buffer.path:
            return buffer.text.encode()
        return super().get_data(path)

    def exec_module(self, module: types.ModuleType) -> None:
        """Execute the helper's text, never its byte code: a replay may replace values in it."""
        buffer = HelperFinder.buffer()
        if buffer.module is module:
            buffer.executed = True
        data = self.get_data(self.path)
        text = buffer.text if self.path == buffer.path else importlib.util.decode_source(data)
        run_text(module, self.path, text)


def _inside_any(file: str, folders: Iterable[str]) -> bool:
    return any(inside(file, folder) for folder in folders)


def is_users(module: Any) -> bool:
    """Tell whether a module is one of the user's."""
    file = _file_of(module)
    return isinstance(file, str) and _inside_any(file, HelperFinder.folders())


@functools.lru_cache(maxsize=1 << 14)
def inside(file: str, folder: str) -> bool:
    """Tell whether a file lies in a folder, and in no library there."""
    # Kept, because it is asked of every imported module at every run and replay.
    if not os.path.isabs(file):  # as `torch.ops` and its like say of themselves
        return False
    try:
        relative = os.path.relpath(os.path.realpath(file), os.path.realpath(folder))
    except ValueError:  # another drive
        return False
    return not relative.startswith("..") and not any(part in relative for part in _LIBRARIES)


def user_files(path: str) -> tuple[str, ...]:
    """Return the files whose frames are the user's: the file itself and helpers of its folder."""
    folders = frozenset({os.path.dirname(path), *HelperFinder.folders()})

    def is_of_the_user(name: str, module: Any) -> bool:
        return (
            name not in _ALWAYS_THERE
            and name.split(".")[0] != "playground"
            and isinstance(file := _file_of(module), str)
            and _inside_any(file, folders)
        )

    found = imported_modules(("user's", folders), is_of_the_user)
    helpers = dict.fromkeys(module.__file__ for _, module in found)
    return (path, *(file for file in helpers if file != path))


def _file_of(module: Any) -> object:
    return getattr(module, "__file__", None)
