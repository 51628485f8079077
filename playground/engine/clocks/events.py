"""Kernel times from a pair of CUDA events round each launch: honest from about 50 µs upwards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Callable


def sample(launch: Callable[[], Any], before: Callable[[], None] | None, count: int) -> list[float]:
    """Return the durations of `count` launches in ms, the launch gap of a few µs included."""
    begin = [torch.cuda.Event(enable_timing=True) for _ in range(count)]
    end = [torch.cuda.Event(enable_timing=True) for _ in range(count)]
    for start, stop in zip(begin, end, strict=True):
        if before is not None:
            before()
        start.record()
        launch()
        stop.record()
    torch.cuda.synchronize()
    return [start.elapsed_time(stop) for start, stop in zip(begin, end, strict=True)]
