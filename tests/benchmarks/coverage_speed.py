"""How long counting coverage takes, beside the prototype's figures; prints ratios, asserts nothing.

    python -m tests.benchmarks.coverage_speed [--json FILE] [--lanes-a-thread N]

`all` is the wall time of a whole count after compile, all that `Session.coverage` does for a new
config: loads, stores, storers, lanes outside, access sites, hazards and the summary (median of 5);
`parts` are its pieces, `rest` what they leave. `loaders` is the run for the first and last loader
of each element, made after the answer, for pointing at elements. `count` is the counting run alone,
launch to end. `compile` is the tracing copy's first compile (its counting and its recording
variant, side by side), `counting copy` the counting variant alone, `plain` the kernel's own; `run`
is the same kernel without counting. Without a GPU the interpreter's figures are printed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

LIMIT_MS = {"matmul 4096 bf16 128x128x64": 15.0, "matmul 8192 bf16 128x128x64": 110.0}
"""All counts, after compile."""
COMPILE_LIMIT = 3.0
"""The tracing copy's compile over the kernel's own."""

PROTOTYPE_MS = {
    "vector add 2^26": 1.0,
    "matmul 4096 bf16 128x128x64": 13.8,
    "matmul 8192 bf16 128x128x64": 106.0,
}


def plain_compile_ms(ready) -> float | None:
    """Return how long the kernel's own compile takes in this process; None in the interpreter."""
    from playground.engine.triton_private import wrappers

    function = ready.launch.function
    if wrappers.is_interpreted(function):
        return None
    import triton

    names = {parameter.name for parameter in function.params}
    arguments = {name: ready.arguments[name] for name in names}
    options = {name: value for name, value in ready.options.items() if value is not None}
    kept = triton.knobs.compilation.always_compile
    triton.knobs.compilation.always_compile = True
    try:
        function.device_caches.clear()
        start = time.perf_counter()
        function.warmup(**arguments, **options, grid=(1,))
        return (time.perf_counter() - start) * 1e3
    finally:
        triton.knobs.compilation.always_compile = kept


def compile_counting_ms(ready) -> float | None:
    """Return how long the counting variant alone compiles; None in the interpreter."""
    from playground.engine.replay_layout import layout_for
    from playground.engine.triton_private import wrappers

    if wrappers.is_interpreted(ready.launch.function):
        return None
    import torch

    from playground.engine.triton_private import tracing_runs

    kept = dict(tracing_runs._copies)
    tracing_runs._copies.clear()
    try:
        copy = tracing_runs.copy_of(ready, layout_for(ready), torch.device("cuda", 0))
        start = time.perf_counter()
        copy.compile(ready.arguments, "count")
        return (time.perf_counter() - start) * 1e3
    finally:
        tracing_runs._copies.clear()
        tracing_runs._copies.update(kept)


def measure(name: str, call, **knobs) -> dict[str, object]:
    """Count one launch twice and time a few pictures of its largest tensor."""
    import torch

    from playground.engine.coverage import count
    from playground.protocol.messages import PlaneView
    from tests.engine.coverage_parts import captured, prepared

    ready = prepared(captured(call)[-1], **knobs)
    ready.run()
    wait = torch.cuda.synchronize if torch.cuda.is_available() else (lambda: None)
    wait()
    start = time.perf_counter()
    ready.run()
    wait()
    plain_ms = (time.perf_counter() - start) * 1e3
    compile_plain_ms = plain_compile_ms(ready)
    first = count(ready)
    start = time.perf_counter()
    first.know_loaders(ready)  # its copy is compiled when it is first asked for
    wait()
    first_loaders_ms = (time.perf_counter() - start) * 1e3
    passes = []
    for _ in range(5):
        start = time.perf_counter()
        counts = count(ready)
        passes.append((time.perf_counter() - start) * 1e3)
    again_ms = sorted(passes)[2]
    start = time.perf_counter()
    counts.know_loaders(ready)
    wait()
    loaders_ms = (time.perf_counter() - start) * 1e3
    largest = max(counts.layout.tensors, key=lambda view: view.elements)
    planes = {}
    for paint in ("owner", "loads", "stores"):
        start = time.perf_counter()
        counts.plane(largest.name, paint, PlaneView())
        planes[paint] = (time.perf_counter() - start) * 1e3
    start = time.perf_counter()
    counts.footprint(ready, largest.name, 0, PlaneView())
    program_ms = (time.perf_counter() - start) * 1e3
    prototype_ms = PROTOTYPE_MS.get(name)
    return {
        "name": name, "all_ms": again_ms, "loaders_ms": loaders_ms,
        "first_loaders_ms": first_loaders_ms,
        "limit_ms": LIMIT_MS.get(name),
        "parts_ms": dict(counts.run.parts_ms), "compile_plain_ms": compile_plain_ms,
        "sites": len(counts.summary().sites), "mode": counts.run.mode,
        "compile_ms": first.run.compile_ms, "compile_count_ms": compile_counting_ms(ready),
        "count_ms": counts.run.duration_ms, "plain_ms": plain_ms,
        "planes_ms": planes, "program_ms": program_ms, "prototype_ms": prototype_ms,
        "ratio": None if prototype_ms is None else counts.run.duration_ms / prototype_ms,
        "resolution": counts.run.resolution,
    }  # fmt: skip


def rows(gpu: bool) -> list[dict[str, object]]:
    """Measure what this machine can."""
    import torch

    from tests.engine.coverage_parts import load

    add, matmul = load("vector_add"), load("matmul")
    if not gpu:
        return [
            measure("vector add 98432", lambda: add.example(98432)),
            measure(
                "matmul 256 fp16 64x64x32", lambda: matmul.matmul(*matmul.inputs(256, 256, 256))
            ),
        ]
    blocks = {"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64, "num_warps": 8}
    result = [measure("vector add 2^26", lambda: add.example(1 << 26))]
    for n in (4096, 8192):
        result.append(
            measure(
                f"matmul {n} bf16 128x128x64",
                lambda n=n: matmul.matmul(*matmul.inputs(n, n, n, torch.bfloat16)),
                **blocks,
            )
        )
        result.append(
            measure(
                f"matmul {n} bf16 128x128x64, b transposed",
                lambda n=n: matmul.matmul(
                    *(lambda a, b: (a, b.t()))(*matmul.inputs(n, n, n, torch.bfloat16))
                ),
                **blocks,
            )
        )
    return result


def main() -> None:
    """Print a table, and JSON where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path)
    parser.add_argument(
        "--lanes-a-thread", type=int, help="instead of the copy's own choice, by which it has warps"
    )
    options = parser.parse_args()
    from playground.engine.machine import has_nvidia_gpu

    gpu = has_nvidia_gpu()
    if not gpu:
        os.environ["TRITON_INTERPRET"] = "1"  # before triton is imported
        from playground.engine.triton_private import interpreter

        interpreter.install()
    if options.lanes_a_thread:
        from playground.engine.triton_private import tracing

        tracing.LANES_A_THREAD = options.lanes_a_thread
    result = rows(gpu)
    for row in result:
        ratio = "" if row["ratio"] is None else f"  {row['ratio']:.2f} x prototype"
        planes = " ".join(f"{name} {value:.1f}" for name, value in row["planes_ms"].items())
        limit = f" (limit {row['limit_ms']:g})" if row["limit_ms"] else ""
        over = row["compile_plain_ms"]
        times = (
            f" = {row['compile_ms'] / over:.1f} x plain, limit {COMPILE_LIMIT:g}" if over else ""
        )
        parts = ", ".join(f"{name} {value:.1f}" for name, value in row["parts_ms"].items())
        rest = row["all_ms"] - sum(row["parts_ms"].values())
        alone = row["compile_count_ms"]
        if alone and over:
            times += f" (counting copy {alone:.0f} = {alone / over:.1f} x)"
        print(
            f"{row['name']:<42} all {row['all_ms']:.1f} ms{limit}  compile {row['compile_ms']:.0f}"
            f"{times}\n    {parts}, rest {rest:.1f}; loaders {row['loaders_ms']:.1f} "
            f"(with its copy's compile, once, {row['first_loaders_ms']:.0f})"
        )
        print(
            f"    count {row['count_ms']:9.2f} ms  run {row['plain_ms']:8.2f}  "
            f"planes {planes}  program {row['program_ms']:.1f}{ratio}"
        )
    if options.json:
        options.json.write_text(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
