"""What the host pays for a launch through Triton: compiled anew, found on disk, found in memory."""

from __future__ import annotations

import contextlib
import tempfile
import time
from typing import TYPE_CHECKING

import torch
from triton import knobs

from playground.engine.triton_private import launcher
from playground.model.measurement import HostCost
from playground.model.statistics import median

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playground.engine.replay import PreparedReplay

_CACHED_CALLS = 15
"""Few enough that the launch queue never fills: past that point the GPU would be timed instead."""
_COLD_STARTS = 3


def measure(prepared: PreparedReplay) -> HostCost:
    """Return what a launch costs the host, in ms, measured through Triton's own `run`.

    For the first call Triton's cache folder is an empty one; for a cold start what it keeps in
    memory is put aside. Both are put back.
    """
    launch = prepared.launch
    call = launcher.plain_call(
        launch.function, prepared.grid, prepared.arguments, prepared.options, launch.positional
    )
    call()
    torch.cuda.synchronize()
    cached_ms = median([_once(call) for _ in range(_CACHED_CALLS)])
    with _forgotten(launch.function):
        cold_ms = _once(call)
    times = [cold_ms]
    for _ in range(_COLD_STARTS - 1):
        with _forgotten(launch.function):
            times.append(_once(call))
    with empty_cache(), _forgotten(launch.function):
        first_ms = _once(call)
    prepared.restore()
    return HostCost(first_ms, median(times), cached_ms)


@contextlib.contextmanager
def empty_cache() -> Iterator[None]:
    """Give Triton an empty cache folder for a while."""
    with (
        tempfile.TemporaryDirectory(prefix="playground-first-call-") as folder,
        _cache_folder(folder),
    ):
        yield


def _once(call: Callable[[], object]) -> float:
    torch.cuda.synchronize()
    start = time.perf_counter()
    call()
    elapsed_ms = (time.perf_counter() - start) * 1e3
    torch.cuda.synchronize()
    return elapsed_ms


@contextlib.contextmanager
def _forgotten(function: object) -> Iterator[None]:
    caches = function.device_caches  # type: ignore[attr-defined]  # a JITFunction's
    before = dict(caches)
    caches.clear()
    try:
        yield
    finally:
        caches.clear()
        caches.update(before)


@contextlib.contextmanager
def _cache_folder(folder: str) -> Iterator[None]:
    before = knobs.cache.dir
    knobs.cache.dir = folder
    try:
        yield
    finally:
        knobs.cache.dir = before
