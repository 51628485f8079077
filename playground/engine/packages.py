"""The package that a kernel file belongs to, where its imports need one.

A file that imports relatively, or names its own package, runs as the module it is there: its
package's `__init__` first, siblings after. An `__init__` that fails is left out, because the file
itself may well be fine. Any other file runs as a script of its folder does, `__init__` or not.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import importlib.machinery
import os
import sys
import types
from dataclasses import dataclass

from playground.engine import run_notes, user_frames
from playground.engine.source_text import imported_names
from playground.model.source_tree import tree_of

_NEVER = frozenset({"torch", "triton", "numpy", "playground"})


@dataclass(frozen=True)
class Package:
    """The package of a file.

    Parameters
    ----------
    name
        Dotted name of the package that holds the file.
    module
        Dotted name of the file itself.
    folders
        The folders of the package and its parents by dotted name, outermost first.
    root
        The folder that holds the outermost package; None for a package that has no `__init__` and
        so no name of its own.
    """

    name: str
    module: str
    folders: tuple[tuple[str, str], ...]
    root: str | None

    @property
    def top(self) -> str:
        """The outermost package's folder: everything below it is the user's."""
        return self.folders[0][1]


def package_of(path: str, text: str) -> Package | None:
    """Return the package that the imports of `text` need, or None."""
    if "import" not in text:
        return None
    level = _deepest_relative_import(text)
    chain = _chain(os.path.dirname(path))
    stem = os.path.splitext(os.path.basename(path))[0]
    if chain and os.path.basename(chain[0]) in _NEVER:
        return None
    if level <= len(chain):
        if not chain or (level == 0 and os.path.basename(chain[0]) not in imported_names(text)):
            return None
        names = [os.path.basename(folder) for folder in chain]
        root = os.path.dirname(chain[0])
    else:
        chain = _upward(os.path.dirname(path), level)
        # Nobody else can name it, so that it cannot stand in another's way.
        digest = hashlib.sha256(os.fsencode(chain[0])).hexdigest()[:8]
        names = [f"package_{digest}", *(os.path.basename(folder) for folder in chain[1:])]
        root = None
    dotted = [".".join(names[: number + 1]) for number in range(len(names))]
    return Package(dotted[-1], f"{dotted[-1]}.{stem}", tuple(zip(dotted, chain, strict=True)), root)


def library_of(path: str, text: str) -> tuple[str, str] | None:
    """Return the package of a file of torch or Triton themselves, and the folder that holds it.

    Those are loaded already and stay as they are: only the file's relative imports need the name.
    """
    chain = _chain(os.path.dirname(path))
    top = os.path.basename(chain[0]) if chain else ""
    if top not in _NEVER - {"playground"} or not _deepest_relative_import(text):
        return None
    return ".".join(os.path.basename(folder) for folder in chain), os.path.dirname(chain[0])


def _deepest_relative_import(text: str) -> int:
    if "from ." not in text and "from\t." not in text:
        return 0
    try:
        tree = tree_of(text)
    except (SyntaxError, ValueError):
        return 0
    return max(
        (node.level for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)), default=0
    )


def _chain(folder: str) -> list[str]:
    """Return the folders from the outermost package down to `folder`; empty when it is none."""
    found: list[str] = []
    while os.path.isfile(os.path.join(folder, "__init__.py")):
        found.insert(0, folder)
        parent = os.path.dirname(folder)
        if parent == folder:
            break
        folder = parent
    return found


def _upward(folder: str, levels: int) -> list[str]:
    found = [folder]
    while len(found) < levels and os.path.dirname(found[0]) != found[0]:
        found.insert(0, os.path.dirname(found[0]))
    return found


def import_parents(package: Package) -> None:
    """Import the packages around a file; one whose `__init__` fails is there without it."""
    for name, folder in package.folders:
        if name in sys.modules:
            continue
        start = os.path.join(folder, "__init__.py")
        if not os.path.isfile(start):
            _stand_in(name, folder)
            continue
        try:
            importlib.import_module(name)
        except (Exception, SystemExit) as error:
            _stand_in(name, folder)
            place = user_frames.last_of(error) or (start, 1)
            run_notes.tell(
                f"the package's own start, {os.path.relpath(start, os.path.dirname(package.top))}, "
                f"fails: {type(error).__name__}: {error}",
                "the file was loaded without it: names that only it defines are missing",
                "warning",
                place,
            )


def _stand_in(name: str, folder: str) -> None:
    spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
    spec.submodule_search_locations = [folder]
    module = types.ModuleType(name)
    module.__spec__ = spec
    module.__path__ = [folder]
    module.__package__ = name
    sys.modules[name] = module
    parent, _, last = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], last, module)


_AROUND_LEVELS = 6


def found_upward(name: str, folder: str) -> str | None:
    """Return the folder from which `import name` works for a file in `folder`, looking upward.

    Looks beside the file, in the folders above it and in a `src` of theirs, up to the root of its
    project (a repository, or a folder with `pyproject.toml` or `setup.py`).
    """
    for _ in range(_AROUND_LEVELS):
        for place in (folder, os.path.join(folder, "src"), os.path.join(folder, "python")):
            module = os.path.join(place, name)
            if os.path.isfile(f"{module}.py") or os.path.isfile(
                os.path.join(module, "__init__.py")
            ):
                return place
        ends = (".git", "pyproject.toml", "setup.py", "setup.cfg")
        parent = os.path.dirname(folder)
        if parent == folder or any(os.path.exists(os.path.join(folder, end)) for end in ends):
            return None
        folder = parent
    return None
