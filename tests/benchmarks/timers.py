"""Our timing beside other clocks, on a GPU: prints µs and ratios, asserts nothing.

    python -m tests.benchmarks.timers [--json FILE]

Columns: `ours` is `Session.bench` (its source named), `graph` the graph clock over rotating
buffers, `do_bench` triton's own. `cost` is the wall time of one 30 ms measurement, so what a slider
move pays for measuring; `floor` is the relative difference of a config measured against itself.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

import torch
import triton

import playground
from playground.engine import ceilings, sampling
from playground.engine.clocks import graph
from playground.model.statistics import median

ROOT = Path(__file__).resolve().parents[2]
SIZES = (1 << 14, 1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 27)


def row(session, size: int) -> dict[str, object]:
    session.run("example()", {"size": size})
    session.coverage(0)
    cold = session.bench(0, budget_ms=100, cache="cold")
    warm = session.bench(0, budget_ms=100, cache="warm")
    again = session.bench(0, budget_ms=100, cache="cold")
    start = time.perf_counter()
    session.bench(0, budget_ms=30, cache="cold")
    cost_ms = (time.perf_counter() - start) * 1e3
    prepared = session.prepare(0)
    sets = sampling.rotation(prepared, "cold")
    calls = max(len(sets), 20 if size >= 1 << 22 else 200)
    rotating = median(graph.sample([item.run for item in sets], calls, 10))
    del sets
    do_bench = triton.testing.do_bench(prepared.run, return_mode="median")
    return {
        "size": size,
        "source": cold.source,
        "samples": len(cold.samples_ms),
        "cold_us": cold.median_ms * 1e3,
        "warm_us": warm.median_ms * 1e3,
        "graph_us": rotating * 1e3,
        "do_bench_us": do_bench * 1e3,
        "gbps": cold.bandwidth_gbps,
        "host_us": (cold.host_ms or 0) * 1e3,
        "floor": again.median_ms / cold.median_ms - 1,
        "cost_ms": cost_ms,
        "notes": cold.notes,
    }


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    if not torch.cuda.is_available():
        print("needs an NVIDIA GPU")
        return 2
    session = playground.open(ROOT / "kernels" / "vector_add.py")
    ceiling = ceilings.copy_gbps()
    print(f"{session.device.name}, triton {triton.__version__}, copy {ceiling:.0f} GB/s")
    rows = [row(session, size) for size in SIZES]
    print(
        "   size source  n     cold    warm   graph do_bench  ratio graph/ours  do_bench/ours"
        "   GB/s  of copy  host  floor  cost ms"
    )
    for r in rows:
        share = (r["gbps"] or 0) / ceiling
        print(
            f"2^{r['size'].bit_length() - 1:<5} {r['source']:<6} {r['samples']:>4}"
            f" {r['cold_us']:>8.2f}"
            f" {r['warm_us']:>7.2f} {r['graph_us']:>7.2f} {r['do_bench_us']:>8.2f}"
            f" {r['graph_us'] / r['cold_us']:>17.3f} {r['do_bench_us'] / r['cold_us']:>14.2f}"
            f" {r['gbps'] or 0:>6.0f} {share:>7.1%} {r['host_us']:>5.1f} {r['floor']:>+6.1%}"
            f" {r['cost_ms']:>7.1f}  {' '.join(r['notes'])}"
        )
    if arguments.json:
        arguments.json.write_text(json.dumps({"device": session.device.name, "rows": rows}))
    session.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
