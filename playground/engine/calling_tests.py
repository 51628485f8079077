"""Calling a pytest test as a driver: parameters take their first values, fixtures are resolved.

Works with pytest's own marks and fixtures where it is installed, and with the stand-in's where it
is not (`stand_in_pytest`).
"""

from __future__ import annotations

import inspect
import tempfile
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class FixtureError(LookupError):
    """A test's parameter is neither parametrized nor a fixture that can be made here."""


def is_test(function: Any) -> bool:
    """Tell whether a function is a test whose parameters pytest would fill."""
    return inspect.isroutine(function) and getattr(function, "__name__", "").startswith("test")


def call(function: Callable[..., Any], namespace: Mapping[str, Any], given: dict[str, Any]) -> Any:
    """Call a test with `given` and, for its other parameters, what pytest would pass first.

    Raises
    ------
    FixtureError
        A parameter cannot be filled.
    """
    with ExitStack() as stack:
        filler = _Filler(namespace, stack, function.__name__)
        owner = getattr(function, "__self__", None)
        if owner is not None and hasattr(owner, "setup_method"):
            owner.setup_method(function)
        return function(**filler.values(function, given))


class _Filler:
    def __init__(self, namespace: Mapping[str, Any], stack: ExitStack, test: str) -> None:
        self._test = test
        self._namespace = namespace
        self._stack = stack
        self._made: dict[str, Any] = {}

    def values(self, function: Any, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return a value for every parameter of `function` without a default."""
        first = {**first_values(function), **given}
        values = dict(given)
        for name, parameter in inspect.signature(function).parameters.items():
            if name in first:
                values[name] = first[name]
            elif parameter.default is parameter.empty and parameter.kind not in (
                parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD,
            ):  # fmt: skip
                values[name] = self._fixture(name)
        return values

    def _fixture(self, name: str) -> Any:
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def _make(self, name: str) -> Any:
        function, parameters = _fixture_function(name, self._namespace)
        if function is None:
            return self._of_pytest(name)
        signature = inspect.signature(function).parameters
        given = {"request": _Request(parameters, name)} if "request" in signature else {}
        value = function(**self.values(function, given))
        if not inspect.isgenerator(value):
            return value
        made = next(value)
        self._stack.callback(_finish, value)
        return made

    def _of_pytest(self, name: str) -> Any:
        if name == "request":
            return _Request(None, self._test)
        if name in ("tmp_path", "tmpdir"):
            return Path(self._stack.enter_context(tempfile.TemporaryDirectory()))
        if name == "monkeypatch":
            try:
                import pytest
            except ImportError:
                raise FixtureError(
                    "the test wants pytest's monkeypatch, and pytest is not installed"
                ) from None
            return self._stack.enter_context(pytest.MonkeyPatch.context())
        raise FixtureError(
            f"the test's parameter {name!r} is neither parametrized nor a fixture of this file"
        )


class _Request:
    """What pytest's `request` is asked for most: the parameter, the test's name, options."""

    def __init__(self, parameters: Any, name: str) -> None:
        self.node = SimpleNamespace(name=name, nodeid=name, keywords={})
        self.config = SimpleNamespace(getoption=lambda _name, default=None, **_more: default)
        if parameters:
            self.param = _plain(next(iter(parameters)))


def _finish(generator: Any) -> None:
    for _ in generator:
        break


def first_values(function: Any) -> dict[str, Any]:
    """Return the first value of every parameter that marks of `function` parametrize."""
    values: dict[str, Any] = {}
    marks = list(getattr(function, "pytestmark", ()))
    owner = getattr(function, "__self__", None)
    marks += list(getattr(type(owner), "pytestmark", ())) if owner is not None else []
    for mark in marks:
        if getattr(mark, "name", "") != "parametrize" or len(mark.args) < 2:
            continue
        names = mark.args[0]
        names = [name.strip() for name in names.split(",")] if isinstance(names, str) else names
        rows = list(mark.args[1])
        if rows:
            row = _plain(rows[0]) if len(names) == 1 else getattr(rows[0], "values", rows[0])
            row = [row] if len(names) == 1 else list(row() if callable(row) else row)
            values.update(zip(names, row, strict=False))
    return values


def _plain(value: Any) -> Any:
    """Return the only value of a `pytest.param`, or the value itself."""
    values = getattr(value, "values", None)
    is_param = type(value).__name__ == "ParameterSet" and isinstance(values, tuple)
    return values[0] if is_param and values else value


def _fixture_function(name: str, namespace: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return the function and the parameters of the fixture called `name`, if there is one."""
    for key, value in namespace.items():
        # Asked statically: some objects answer whatever they are asked for.
        marker = inspect.getattr_static(
            value, "_fixture_function_marker", None
        ) or inspect.getattr_static(value, "_pytestfixturefunction", None)
        if marker is None:
            continue
        if (getattr(marker, "name", None) or key) == name:
            function = getattr(value, "_fixture_function", None) or getattr(
                value, "__pytest_wrapped__", value
            )
            return getattr(function, "obj", function), getattr(marker, "params", None)
    return None, None
