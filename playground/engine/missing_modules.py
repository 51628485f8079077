"""Third-party modules that the user's file imports and that are not installed.

What an import of the user's cannot find is first looked for in the folders above the file: the
package that a benchmark or a test belongs to lies there. Otherwise a stand-in takes its place
(`stand_in_modules`), so that a file whose comparison or plot needs it still runs. An import that
the file itself guards with `except ImportError` fails as it should.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import importlib.abc
import importlib.machinery
import linecache
import os
import sys
from typing import TYPE_CHECKING, Any

from playground.engine import helper_modules, packages, run_notes, user_frames
from playground.engine.slips import install_hint
from playground.engine.stand_in_modules import SHOWING, StandInModule
from playground.model.source_tree import tree_of

if TYPE_CHECKING:
    import types
    from collections.abc import Iterator, Sequence


@contextlib.contextmanager
def stood_in_for() -> Iterator[None]:
    """Let the user's files import modules that are not installed, meanwhile."""
    finder = _Finder()
    sys.meta_path.append(finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in finder.stood_in_for:
            if isinstance(sys.modules.get(name), StandInModule):
                del sys.modules[name]


class _Finder(importlib.abc.MetaPathFinder):
    """Asked last, when nobody else has found the module."""

    def __init__(self) -> None:
        self.stood_in_for: list[str] = []

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return the spec of a stand-in, where the user's file imports the module."""
        place = _importing_line()
        if place is None:
            return None
        top, _, inner = fullname.partition(".")
        if inner:
            if not isinstance(sys.modules.get(fullname.rpartition(".")[0]), StandInModule):
                return None
            return self._stand_in(fullname)
        folder = packages.found_upward(top, os.path.dirname(place[0]))
        if folder is not None:
            return helper_modules.serve_also(folder, fullname)
        notes = run_notes.current()
        if notes is None or top in sys.builtin_module_names or top in sys.stdlib_module_names:
            return None
        if _is_guarded(*place):
            notes.skipped.append((f"has no module {top} (line {place[1]})", place))
            return None
        _tell(top, place)
        return self._stand_in(fullname)

    def _stand_in(self, name: str) -> importlib.machinery.ModuleSpec:
        self.stood_in_for.append(name)
        return importlib.machinery.ModuleSpec(name, _Loader(), is_package=True)


class _Loader(importlib.abc.Loader):
    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        """Return the stand-in."""
        return StandInModule(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """Execute nothing."""


def _tell(top: str, place: tuple[str, int]) -> None:
    if top == "pytest":
        return  # what a test needs of it stands in, and nothing is left out
    if top in SHOWING:
        run_notes.tell(
            f"{top} is not installed: what it would show is left out",
            install_hint(top), "info", place,
        )  # fmt: skip
        return
    run_notes.tell(
        f"{top} is not installed: the file goes on until it is really used",
        install_hint(top), "warning", place,
    )  # fmt: skip


def _importing_line() -> tuple[str, int] | None:
    """Return the user's import statement that is running now, if it is the user's."""
    walk: Any = sys._getframe(2)
    while walk is not None:
        file, function = walk.f_code.co_filename, walk.f_code.co_name
        if user_frames.is_user(file):
            return file, walk.f_lineno
        if not (file.startswith("<frozen importlib") or file.endswith(_IMPORTLIB)):
            return None
        if function == "find_spec" and "util" in os.path.basename(file):
            return None  # the file only asks whether the module is there
        walk = walk.f_back
    return None


_IMPORTLIB = (
    os.path.join("importlib", "__init__.py"),
    os.path.join("importlib", "util.py"),
    os.path.join("importlib", "_bootstrap.py"),
)


def _is_guarded(file: str, line: int) -> bool:
    """Tell whether the statement at `line` stands in a `try` that expects it to fail."""
    return any(first <= line <= last for first, last in _guards("".join(linecache.getlines(file))))


@functools.lru_cache(maxsize=64)
def _guards(text: str) -> tuple[tuple[int, int], ...]:
    try:
        tree = tree_of(text)
    except (SyntaxError, ValueError):
        return ()
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Try) and any(_expects_it(item) for item in node.handlers):
            found.append((node.body[0].lineno, node.body[-1].end_lineno or node.lineno))
        elif isinstance(node, ast.With) and "suppress" in ast.unparse(node.items[0].context_expr):
            found.append((node.lineno, node.end_lineno or node.lineno))
    return tuple(found)


def _expects_it(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = {getattr(kind, "id", getattr(kind, "attr", "")) for kind in kinds}
    return bool(names & {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})
