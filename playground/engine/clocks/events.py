"""Kernel times from a pair of CUDA events round each launch: honest from about 50 µs upwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playground.engine.clocks.work import Work

RESOLUTION_MS = 0.5e-3
"""Half a microsecond, as the CUDA runtime's documentation of cudaEventElapsedTime has it."""


def sample(work: Work, count: int) -> list[float]:
    """Return the durations of `count` launches in ms, the launch gap of a few µs included."""
    return turns([work], [0] * count)


def turns(works: Sequence[Work], order: Sequence[int]) -> list[float]:
    """Return the time in ms of each turn: `works[order[0]]`, `works[order[1]]` and so on."""
    begin = [torch.cuda.Event(enable_timing=True) for _ in order]
    end = [torch.cuda.Event(enable_timing=True) for _ in order]
    for index, start, stop in zip(order, begin, end, strict=True):
        work = works[index]
        if work.before is not None:
            work.before()
        start.record()
        work.launch()
        stop.record()
    torch.cuda.synchronize()
    return [start.elapsed_time(stop) for start, stop in zip(begin, end, strict=True)]
