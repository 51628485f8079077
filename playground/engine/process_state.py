"""What a script of its own process may set as it likes, put back for the next run's sake."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from typing import TYPE_CHECKING, Any

import torch

from playground.engine import helper_modules
from playground.engine.triton_private import patches, stub_driver

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


@contextlib.contextmanager
def kept() -> Iterator[None]:
    """Put back torch's settings, Triton's driver, folder, paths, limits and Ctrl-C afterwards.

    The place that the file's helpers are imported from stays: its functions may yet do so.
    """
    folder, settings, paths = os.getcwd(), _settings(), list(sys.path)
    interrupt, depth = signal.getsignal(signal.SIGINT), sys.getrecursionlimit()
    try:
        with stub_driver.driver_kept():
            yield
    finally:
        sys.setrecursionlimit(depth)
        patches.return_modules()
        for (get, set_), value in zip(_SETTINGS, settings, strict=True):
            if get() != value:
                set_(value)
        os.chdir(folder)
        sys.path[:] = [item for item in sys.path if item in paths or item == helper_modules.place()]
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
    """The environment variables that a file sets: undone after its run, there for its replays."""

    def __init__(self) -> None:
        self._changed: dict[str, str | None] = {}

    @contextlib.contextmanager
    def scoped(self) -> Iterator[None]:
        """Remember what is changed meanwhile, and undo it."""
        before = dict(os.environ)
        try:
            yield
        finally:
            after = dict(os.environ)
            self._changed = {
                name: after.get(name)
                for name in {*before, *after}
                if before.get(name) != after.get(name)
            }
            _set({name: before.get(name) for name in self._changed})

    @contextlib.contextmanager
    def applied(self) -> Iterator[None]:
        """Set it meanwhile: what compiles or launches a kernel may read it."""
        before = {name: os.environ.get(name) for name in self._changed}
        _set(self._changed)
        try:
            yield
        finally:
            _set(before)


def _set(values: Mapping[str, str | None]) -> None:
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
