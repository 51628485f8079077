"""Where a count of a matmul's accesses spends its time: parts, host functions, GPU kernels.

    python -m tests.benchmarks.coverage_profile [--size 4096] [--counts 20]

Needs a GPU. `parts` are the pieces that the count itself times, `GPU` is what ran there in one
count (kernel and copy times from CUPTI), `host` the functions in which the host spends most of it.
Prints, asserts nothing.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import statistics
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

BLOCKS = {"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64, "num_warps": 8}


def main() -> None:
    """Count a matmul often and print where the time goes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--counts", type=int, default=20)
    options = parser.parse_args()
    import torch

    from playground.engine.coverage import count
    from tests.engine.coverage_parts import captured, load, prepared

    matmul, n = load("matmul"), options.size
    launch = captured(lambda: matmul.matmul(*matmul.inputs(n, n, n, torch.bfloat16)))[-1]
    ready = prepared(launch, **BLOCKS)
    first = count(ready)
    print(f"compile {first.run.compile_ms:.0f} ms")
    walls, parts, counting = [], {}, []
    for _ in range(options.counts):
        start = time.perf_counter()
        counts = count(ready)
        walls.append((time.perf_counter() - start) * 1e3)
        counting.append(counts.run.duration_ms)
        for name, value in counts.run.parts_ms:
            parts.setdefault(name, []).append(value)
    middle = statistics.median
    told = ", ".join(f"{name} {middle(values):.2f}" for name, values in parts.items())
    rest = middle(walls) - sum(middle(values) for values in parts.values())
    print(
        f"all {middle(walls):.2f} ms (least {min(walls):.2f}), counting run {middle(counting):.2f}"
    )
    print(f"parts {told}, rest {rest:.2f}")

    activities = [torch.profiler.ProfilerActivity.CUDA, torch.profiler.ProfilerActivity.CPU]
    with torch.profiler.profile(activities=activities) as profile:
        count(ready)
    spent: dict[str, tuple[int, float]] = {}
    for event in profile.events():
        if event.device_type == torch.autograd.DeviceType.CUDA:
            calls, total = spent.get(event.name, (0, 0.0))
            spent[event.name] = calls + 1, total + event.self_device_time_total / 1e3
    print("GPU")
    for name, (calls, total) in sorted(spent.items(), key=lambda item: -item[1][1])[:14]:
        print(f"  {total:8.3f} ms {calls:4d} x {name[:100]}")

    watched = cProfile.Profile()
    watched.enable()
    for _ in range(options.counts):
        count(ready)
    watched.disable()
    print(f"host, {options.counts} counts")
    pstats.Stats(watched).sort_stats("tottime").print_stats(22)
    pstats.Stats(watched).sort_stats("cumulative").print_stats(30)


if __name__ == "__main__":
    main()
