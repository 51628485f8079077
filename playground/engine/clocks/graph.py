"""Kernel times from CUDA graphs of many launches, over rotating sets of buffers when cold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def sample(launches: Sequence[Callable[[], Any]], calls: int, count: int) -> list[float]:
    """Return `count` samples in ms, each the mean of `calls` launches inside one graph replay.

    Parameters
    ----------
    launches
        One callable per set of buffers; they take turns, so that together they can exceed the L2.
    calls
        Launches per graph; the graph's own start is spread over them.
    """
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.stream(stream):
        launches[0]()
        stream.synchronize()
        with torch.cuda.graph(graph, stream=stream):
            for index in range(calls):
                launches[index % len(launches)]()
        begin = [torch.cuda.Event(enable_timing=True) for _ in range(count)]
        end = [torch.cuda.Event(enable_timing=True) for _ in range(count)]
        graph.replay()
        for start, stop in zip(begin, end, strict=True):
            start.record(stream)
            graph.replay()
            stop.record(stream)
        stream.synchronize()
    torch.cuda.current_stream().wait_stream(stream)
    return [start.elapsed_time(stop) / calls for start, stop in zip(begin, end, strict=True)]
