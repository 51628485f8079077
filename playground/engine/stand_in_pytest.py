"""What a test file needs of pytest to be imported and to have its tests called, without pytest."""

from __future__ import annotations

import contextlib
import importlib
import types
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Skipped(BaseException):
    """A test, or a whole file, skipped itself."""


def _skip(reason: str = "", **_named: Any) -> NoReturn:
    raise Skipped(reason)


def _importorskip(name: str, *_args: Any, **_named: Any) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        _skip(f"could not import {name!r}")


class _Mark:
    """`pytest.mark.parametrize(...)` and any other mark: kept on the function."""

    def __init__(self, name: str, args: tuple[Any, ...] = ()) -> None:
        self.name = name
        self.args = args

    def __call__(self, *args: Any, **named: Any) -> Any:
        if len(args) == 1 and not named and isinstance(args[0], (types.FunctionType, type)):
            marked = args[0]
            own = list(vars(marked).get("pytestmark", ()))
            marked.pytestmark = [*own, self]  # type: ignore[union-attr]
            return marked
        return _Mark(self.name, args)


class _Marks:
    def __getattr__(self, name: str) -> _Mark:
        return _Mark(name)


def _fixture(function: Any = None, /, **named: Any) -> Any:
    def mark(function: Callable[..., Any]) -> Callable[..., Any]:
        marker = types.SimpleNamespace(name=named.get("name"), params=named.get("params"))
        function._fixture_function_marker = marker  # type: ignore[attr-defined]
        return function

    return mark if function is None else mark(function)


@contextlib.contextmanager
def _raises(kind: Any, *_args: Any, **_named: Any) -> Iterator[Any]:
    told = types.SimpleNamespace(value=None)
    try:
        yield told
    except kind as error:
        told.value = error
        return
    raise AssertionError(f"{kind} was not raised")


def _param(*values: Any, **_named: Any) -> Any:
    return values[0] if len(values) == 1 else values


def fill(module: types.ModuleType) -> None:
    """Put the stand-ins into a module that takes the place of pytest."""
    vars(module).update(
        mark=_Marks(),
        fixture=_fixture,
        skip=_skip,
        importorskip=_importorskip,
        raises=_raises,
        param=_param,
        main=lambda *_args, **_named: 0,
        Skipped=Skipped,
    )
