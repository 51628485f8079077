"""Letting a heavy module be imported only when something of it is used."""

from __future__ import annotations

import importlib.util
import sys
import types


class _Deferred(types.ModuleType):
    """A module whose text runs when an attribute is first looked for.

    Not `importlib.util.LazyLoader`: its modules run as soon as a second `import` names them.
    """

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            # Only asked by those who look a module over (PySide does at every import).
            raise AttributeError(name)
        self._run()
        return getattr(self, name)

    def _run(self) -> None:
        spec = self.__spec__
        self.__class__ = types.ModuleType  # type: ignore[assignment]
        if spec is not None and spec.loader is not None:
            spec.loader.exec_module(self)


def defer(name: str) -> None:
    """Make `import name` cheap: the module itself is read at the first use of an attribute.

    Numpy alone would take a good part of the time to the first paint, and so would the classes of
    all messages. Until `load` the module must stay with one thread.
    """
    if name in sys.modules:
        return
    spec = importlib.util.find_spec(name)
    if spec is None or spec.loader is None:
        return  # the import itself tells what is missing, in its own words
    module = _Deferred(name)
    module.__spec__ = spec
    module.__file__ = spec.origin
    module.__loader__ = spec.loader
    module.__package__ = spec.parent
    if spec.submodule_search_locations is not None:
        module.__path__ = spec.submodule_search_locations
    sys.modules[name] = module


def load(name: str) -> None:
    """Read a deferred module now."""
    module = sys.modules.get(name)
    if isinstance(module, _Deferred):
        module._run()
