"""What stands for a third-party module that is not installed.

Two kinds. What only shows things (plots, tables, progress bars, debuggers) does nothing whatever is
called. Anything else is there to be named, in imports, annotations and base classes, and raises
when it is really used: calling it, iterating over it, asking whether it is true.
"""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any

from playground.engine import stand_in_pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

SHOWING = frozenset({
    "matplotlib", "seaborn", "plotly", "pandas", "tabulate", "prettytable", "tqdm", "rich",
    "wandb", "tensorboard", "tensorboardX", "termcolor", "colorama", "ipdb", "pudb", "jaxtyping",
    "beartype", "typeguard", "IPython", "icecream", "snoop",
})  # fmt: skip
"""Modules that only show, log or check types: without them a kernel computes the same."""


class NotInstalledError(ModuleNotFoundError):
    """A module that is not installed was used."""


class StandInModule(types.ModuleType):
    """A module that is not installed."""

    __version__ = "0"

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.__path__: list[str] = []
        self.__all__: list[str] = []
        if name == "pytest":
            stand_in_pytest.fill(self)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return make(self.__name__, name)


def make(module: str, name: str) -> Any:
    """Return what stands for `name` of a module that is not installed."""
    if module.partition(".")[0] not in SHOWING:
        return _Absent(module, name)
    return _SPECIAL.get(name, _Inert)(module, name)


class _Absent:
    """Something of a module that is not installed: it can be named, and not used."""

    def __init__(self, module: str, name: str) -> None:
        self._module = module
        self._name = name
        self.__name__ = self.__qualname__ = name
        self.__module__ = module

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(self)(self._module, f"{self._name}.{name}")

    def __repr__(self) -> str:
        return f"<{self._module}.{self._name}: {self._module} is not installed>"

    def _refuse(self, *_args: Any, **_named: Any) -> Any:
        top = self._module.partition(".")[0]
        raise NotInstalledError(
            f"{top} is not installed, and {self._module}.{self._name} is used here", name=top
        )

    __call__ = __bool__ = __iter__ = __len__ = __enter__ = __exit__ = __float__ = __int__ = _refuse

    def __getitem__(self, _item: Any) -> Any:
        return self  # an annotation

    def __or__(self, _other: Any) -> Any:
        return self

    __ror__ = __or__

    def __instancecheck__(self, _instance: object) -> bool:
        return False

    def __subclasscheck__(self, _class: type) -> bool:
        return False

    def __mro_entries__(self, _bases: tuple[Any, ...]) -> tuple[type, ...]:
        return (type(self.__name__, (), {"__init__": lambda _instance, *_a, **_n: self._refuse()}),)


class _Inert(_Absent):
    """Something that only shows: whatever is asked of it is nothing."""

    def __call__(self, *args: Any, **named: Any) -> Any:
        if len(args) == 1 and not named and isinstance(args[0], (types.FunctionType, type)):
            return args[0]  # a decorator
        return _Inert(self._module, self._name)

    def __bool__(self) -> bool:
        return False

    def __iter__(self) -> Iterator[Any]:
        return iter((self, self))  # `figure, axes = plt.subplots()`

    def __len__(self) -> int:
        return 0

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def __setitem__(self, _item: Any, _value: Any) -> None:
        pass

    def __str__(self) -> str:
        return ""

    def __format__(self, _spec: str) -> str:
        return ""

    def __mro_entries__(self, _bases: tuple[Any, ...]) -> tuple[type, ...]:
        return (object,) if not _bases else (type(self._name, (), {}),)


class _Passing(_Inert):
    """`tqdm`: hands its iterable on."""

    def __call__(self, *args: Any, **_named: Any) -> Any:
        return args[0] if args else _Inert(self._module, self._name)


class _Range(_Inert):
    def __call__(self, *args: Any, **_named: Any) -> Any:
        return range(*args)


class _Trace(_Inert):
    """A debugger's `set_trace`."""

    def __call__(self, *_args: Any, **_named: Any) -> None:
        from playground.engine.breakpoints import passed

        passed(f"{self._module}.{self._name}")


_SPECIAL: dict[str, type[_Inert]] = {
    "tqdm": _Passing, "track": _Passing, "trange": _Range, "set_trace": _Trace, "embed": _Trace,
    "post_mortem": _Trace,
}  # fmt: skip
