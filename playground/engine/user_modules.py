"""The user's own modules: the kernel file, the files beside it, and what their imports name."""

from __future__ import annotations

import ast
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from playground.engine.references import Import, bound_name
from playground.engine.source_text import lines_of, read_source
from playground.engine.statements import Segment, segments

if TYPE_CHECKING:
    from collections.abc import Mapping

_NEVER = frozenset({"torch", "triton", "numpy", "playground"})
_LIBRARIES = ("site-packages", "dist-packages", f"{os.sep}python{sys.version_info.major}.")


@dataclass(frozen=True)
class Outside:
    """Something of an installed library: a module, or with `name` one of its members."""

    module: str
    name: str | None = None


@dataclass(frozen=True)
class Symbol:
    """A name at the top level of one of the user's files."""

    path: str
    name: str


@dataclass(frozen=True)
class Folder:
    """A user's module as an object: a file, or the folder of a package."""

    path: str


Target = Outside | Symbol | Folder


@dataclass(eq=False)
class UserModule:
    """One of the user's files, taken apart.

    `bindings` tells which segments bind a name, `imports` which import binds it last, `stars` the
    user's modules whose every public name is imported.
    """

    path: str
    text: str
    tree: ast.Module
    lines: list[str]
    segments: list[Segment]
    bindings: dict[str, list[int]] = field(default_factory=dict)
    imports: dict[str, tuple[Import, ast.alias]] = field(default_factory=dict)
    stars: list[ast.ImportFrom] = field(default_factory=list)


class UserModules:
    """The user's modules by path, read when they are asked for.

    Parameters
    ----------
    main
        The kernel file.
    texts
        Texts that stand for files: the editor's buffer, or with a config written into them.
    """

    def __init__(self, main: str, texts: Mapping[str, str]) -> None:
        self.main = main
        self._texts = dict(texts)
        self._modules: dict[str, UserModule] = {}
        self._asked: set[tuple[str, str]] = set()
        self._roots = _roots(os.path.dirname(main))

    def module(self, path: str) -> UserModule:
        """Return the user's file `path`, taken apart.

        Raises
        ------
        SyntaxError
            The file is no Python.
        OSError
            The file cannot be read.
        """
        found = self._modules.get(path)
        if found is None:
            text = self._texts[path] if path in self._texts else read_source(path)
            found = self._modules[path] = self._taken_apart(path, text)
        return found

    def _taken_apart(self, path: str, text: str) -> UserModule:
        tree = ast.parse(text, path)
        lines = lines_of(text)
        module = UserModule(path, text, tree, lines, [])

        def is_user(node: Import) -> bool:
            return self.is_user_import(path, node)

        module.segments = segments(tree, lines, is_user)
        for index, part in enumerate(module.segments):
            for name in part.binds:
                module.bindings.setdefault(name, []).append(index)
            for node in part.imports:
                if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
                    if is_user(node):
                        module.stars.append(node)
                    continue
                for alias in node.names:
                    if is_user(node) or part.node is node:
                        module.imports[bound_name(alias)] = (node, alias)
        return module

    def is_user_import(self, path: str, node: Import) -> bool:
        """Tell whether an import statement of `path` names one of the user's own modules."""
        if isinstance(node, ast.ImportFrom):
            base = self.locate(path, node.module or "", node.level)
            return base is not None
        return all(self.locate(path, alias.name, 0) is not None for alias in node.names)

    def locate(self, path: str, dotted: str, level: int) -> str | None:
        """Return the file (or folder) of a module as `path` imports it; None outside of theirs."""
        parts = dotted.split(".") if dotted else []
        if level:
            folder = Path(path).parent
            for _ in range(level - 1):
                folder = folder.parent
            return _module_at(folder, parts)
        if parts[0] in _NEVER:
            return None
        for root in self._roots:
            found = _module_at(root, parts)
            # A mere folder gives way to a package of that name which is installed.
            if found is not None and (found.endswith(".py") or not _is_library(parts[0])):
                return found
        return _loaded(dotted)

    def target(self, path: str, node: Import, alias: ast.alias) -> Target:
        """Return what an import's alias names, as `path` imports it."""
        if isinstance(node, ast.Import):
            shown = alias.name if alias.asname else alias.name.split(".")[0]
            found = self.locate(path, shown, 0)
            return Outside(shown) if found is None else Folder(found)
        base = self.locate(path, node.module or "", node.level)
        if base is None:
            module = "." * node.level + (node.module or "")
            whole = f"{module}.{alias.name}"
            # `from triton import language` names the same thing as `import triton.language`.
            return Outside(whole) if whole in sys.modules else Outside(module, alias.name)
        return self.member(base, alias.name) or Symbol(base, alias.name)

    def member(self, path: str, name: str) -> Target | None:
        """Return what attribute `name` of the user's module `path` is, through its own imports.

        Modules may import from each other in a circle; a name that only leads back is nowhere.
        """
        if (path, name) in self._asked:
            return None
        self._asked.add((path, name))
        try:
            return self._member(path, name)
        finally:
            self._asked.remove((path, name))

    def _member(self, path: str, name: str) -> Target | None:
        inner = _module_at(Path(path).parent if path.endswith(".py") else Path(path), [name])
        if not path.endswith(".py"):
            return None if inner is None else Folder(inner)
        module = self.module(path)
        if name in module.imports:
            return self.target(path, *module.imports[name])
        if name in module.bindings:
            return Symbol(path, name)
        for star in module.stars:
            base = self.locate(path, star.module or "", star.level)
            found = None if base is None or name.startswith("_") else self.member(base, name)
            if found is not None:
                return found
        if os.path.basename(path) == "__init__.py" and inner is not None:
            return Folder(inner)
        return None

    def public_names(self, path: str, within: tuple[str, ...] = ()) -> list[str]:
        """Return every name that the module binds, its own first, and those of its stars."""
        if not path.endswith(".py") or path in within:
            return []
        module = self.module(path)
        names = dict.fromkeys([*module.bindings, *module.imports])
        for star in module.stars:
            base = self.locate(path, star.module or "", star.level)
            if base is not None:
                names.update(dict.fromkeys(self.public_names(base, (*within, path))))
        return [name for name in names if not name.startswith("__")]


def _roots(folder: str) -> list[Path]:
    """Return the folders in which the user's modules are looked for, in Python's order."""
    found = [Path(folder)]
    top = Path(folder)
    while (top / "__init__.py").is_file():
        top = top.parent
        found.append(top)
    for entry in sys.path:
        place = Path(entry or ".").resolve()
        if place.is_dir() and not any(part in f"{place}{os.sep}" for part in _LIBRARIES):
            found.append(place)
    return list(dict.fromkeys(found))


def _module_at(root: Path, parts: list[str]) -> str | None:
    place = root.joinpath(*parts)
    if (place / "__init__.py").is_file():
        return str(place / "__init__.py")
    if parts and place.with_name(place.name + ".py").is_file():
        return str(place.with_name(place.name + ".py"))
    holds_code = parts and place.is_dir() and any(place.glob("*.py"))
    return str(place) if holds_code or (not parts and place.is_dir()) else None


def _is_library(name: str) -> bool:
    file = getattr(sys.modules.get(name), "__file__", None)
    return isinstance(file, str) and any(part in file for part in _LIBRARIES)


def _loaded(dotted: str) -> str | None:
    """Return the file of a module that the user's code imported from elsewhere, if it did."""
    file = getattr(sys.modules.get(dotted), "__file__", None)
    if not isinstance(file, str) or not file.endswith(".py"):
        return None
    if dotted.split(".")[0] in ("playground", "__main__") or any(p in file for p in _LIBRARIES):
        return None
    return file
