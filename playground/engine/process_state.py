"""What a script of its own process may set as it likes, put back for the next run's sake."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_AS_IT_WAS = object()


@contextlib.contextmanager
def kept() -> Iterator[None]:
    """Put back torch's global settings, the working directory and Ctrl-C afterwards."""
    folder, settings = os.getcwd(), _settings()
    interrupt = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        for (get, set_), value in zip(_SETTINGS, settings, strict=True):
            if get() != value:
                set_(value)
        os.chdir(folder)
        if threading.current_thread() is threading.main_thread() and interrupt is not None:
            signal.signal(signal.SIGINT, interrupt)


_SETTINGS: tuple[tuple[Any, Any], ...] = (
    (torch.get_default_dtype, torch.set_default_dtype),
    (torch.is_grad_enabled, torch.set_grad_enabled),
    (torch.get_float32_matmul_precision, torch.set_float32_matmul_precision),
    (torch.are_deterministic_algorithms_enabled, torch.use_deterministic_algorithms),
    (torch.get_num_threads, torch.set_num_threads),
)


def _settings() -> list[Any]:
    return [get() for get, _ in _SETTINGS]


@contextlib.contextmanager
def in_folder(path: str) -> Iterator[None]:
    """Work in the folder of the file at `path` meanwhile, if there is one."""
    folder = os.path.dirname(path)
    before = os.getcwd()
    if os.path.isdir(folder):
        os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


class Environment:
    """The environment variables that a file has set.

    They stay for as long as its launches do, because what compiles or replays them reads them too;
    the next run begins without them.
    """

    def __init__(self) -> None:
        self._changed: dict[str, tuple[str | None, str | None]] = {}

    @contextlib.contextmanager
    def noticed(self) -> Iterator[None]:
        """Remember what is changed meanwhile."""
        before = dict(os.environ)
        try:
            yield
        finally:
            self._changed = _changes(before, os.environ)

    def put_back(self) -> None:
        """Undo what was changed, unless somebody else has changed it again since."""
        for name, (before, after) in self._changed.items():
            if os.environ.get(name) != after:
                continue
            if before is None:
                del os.environ[name]
            else:
                os.environ[name] = before
        self._changed = {}


def _changes(
    before: Mapping[str, str], after: Mapping[str, str]
) -> dict[str, tuple[str | None, str | None]]:
    return {
        name: (before.get(name), after.get(name))
        for name in {*before, *after}
        if before.get(name) != after.get(name)
        and name not in ("TRITON_INTERPRET", "COLUMNS", "LINES")
        and not (name.startswith("PYTEST") or after.get(name, _AS_IT_WAS) is None)
    }
