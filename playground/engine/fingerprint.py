"""What every answer of a session depends on besides its text: so that none is given from before.

One place for all of it: the user's files on disk, the globals of their modules, the environment,
and the settings of Triton and torch.
"""

from __future__ import annotations

import hashlib
import os
import sys
import types
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playground.engine.imported_modules import imported_modules

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_PLAIN = (bool, int, float, str, bytes, type(None))
_OWN_NAMES = frozenset(
    {"__builtins__", "__annotations__", "__warningregistry__", "__loader__", "__spec__"}
)


@dataclass(frozen=True, eq=False)
class State:
    """Everything outside the text that an answer depends on, as it was at one moment.

    `modules` are the namespaces of the user's modules by name, held as shallow copies.
    """

    files: Mapping[str, tuple[tuple[int, int] | None, bytes]] = field(default_factory=dict)
    modules: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    settings: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Changes:
    """What differs between two states.

    `globals` are the names that were bound anew, by module; the module of the file itself is the
    empty name.
    """

    files: tuple[str, ...] = ()
    globals: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    removed: bool = False
    environment: bool = False
    settings: bool = False

    def __bool__(self) -> bool:
        return bool(self.files or self.globals or self.removed or self.environment or self.settings)

    def apply(self, namespace: dict[str, Any]) -> None:
        """Bind in fresh modules what the console has bound anew in the session's."""
        for name, values in self.globals.items():
            if name:
                module = sys.modules.get(name)
                if module is not None:
                    vars(module).update(values)
            else:
                namespace.update(values)


def complete_cache_keys() -> None:
    """Let Triton's own cache know of everything in the user's modules that a kernel depends on."""
    from playground.engine.triton_private import settings

    settings.complete_cache_keys()


def taken(namespace: Mapping[str, Any], files: Iterable[str]) -> State:
    """Return the state now; `files` are the user's, `namespace` is that of the file itself."""
    paths = tuple(files)
    modules: dict[str, Mapping[str, Any]] = {"": dict(namespace)}
    helpers = frozenset(paths[1:])

    def is_helper(name: str, module: Any) -> bool:
        own = isinstance(module, types.ModuleType) and name != "__main__"
        return own and getattr(module, "__file__", None) in helpers

    for name, module in imported_modules(("state", helpers), is_helper) if helpers else ():
        if module.__dict__ is not namespace:
            modules[name] = dict(vars(module))
    return State(
        files={path: (_stamp(path), _digest(path)) for path in paths[1:]},
        modules=modules,
        environment=dict(os.environ),
        settings=_settings(),
    )


def changes(before: State, namespace: Mapping[str, Any]) -> Changes:
    """Return what has changed since `before`; cheap enough for every answer."""
    files = tuple(
        path
        for path, (stamp, digest) in before.files.items()
        if _stamp(path) != stamp and _digest(path) != digest
    )
    found: dict[str, dict[str, Any]] = {}
    removed = False
    for name, held in before.modules.items():
        if name:
            module = sys.modules.get(name)
            if module is None:
                continue  # dropped by another load; its file's stamp tells more
            now: Mapping[str, Any] = vars(module)
        else:
            now = namespace
        rebound = {
            key: value
            for key, value in now.items()
            if key not in _OWN_NAMES and not _same(held.get(key, _MISSING), value)
        }
        if rebound:
            found[name] = rebound
        removed = removed or any(key not in now for key in held)
    return Changes(
        files, found, removed, dict(os.environ) != before.environment,
        _settings() != before.settings,
    )  # fmt: skip


_MISSING = object()


def _same(one: Any, other: Any) -> bool:
    if one is other:
        return True
    return type(one) is type(other) and isinstance(one, _PLAIN) and bool(one == other)


def _stamp(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def _digest(path: str) -> bytes:
    # A file that is written anew with the same text (a generated module) has not changed.
    try:
        return hashlib.sha256(Path(path).read_bytes()).digest()
    except OSError:
        return b""


def _settings() -> tuple[Any, ...]:
    # Imported here: whether kernels are interpreted is decided after this module's import.
    import torch
    import triton

    from playground.engine.triton_private import settings

    return (
        settings.triton_settings(),
        str(torch.get_default_dtype()),
        torch.get_float32_matmul_precision(),
        torch.are_deterministic_algorithms_enabled(),
        triton.__version__,
    )
