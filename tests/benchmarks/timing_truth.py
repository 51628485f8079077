"""Our timing beside the hardware's own records and do_bench, on a GPU; asserts nothing.

    python -m tests.benchmarks.timing_truth [--json FILE] [--part times|repeat|compare|cost ...]

times    our cold and warm median, the same launches through torch's public profiler (CUPTI), and
         triton's do_bench: µs and ratios.
repeat   20 pairs of runs of one config: how many agree within the noise floor printed for it.
compare  100 comparisons of a config with itself and 10 with a planted difference of 2 %.
cost     wall time of a measurement over the time its samples need by protocol.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import time
from pathlib import Path

import torch
import triton
from torch.profiler import ProfilerActivity, profile

import playground
from playground.engine import ceilings, comparing, contestants, sampling
from playground.engine.clocks import events
from playground.engine.clocks.work import Work
from playground.engine.job import Job
from playground.model.statistics import median

ROOT = Path(__file__).resolve().parents[2]
ATOMICS = """
import torch, triton, triton.language as tl

@triton.jit
def histogram_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, i < n, other=0)
    tl.atomic_add(out_ptr + x, 1, i < n)

def example(n: int = 1 << 20):
    x = torch.randint(0, 4096, (n,), device="cuda")
    out = torch.zeros(4096, dtype=torch.int32, device="cuda")
    histogram_kernel[(triton.cdiv(n, 1024),)](x, out, n, BLOCK=1024)
    return out
"""
CASES: list[tuple[str, dict[str, int]]] = [
    *(("vector_add", {"size": 1 << bits}) for bits in (14, 16, 18, 20, 22, 24, 26, 27)),
    ("softmax", {"n_rows": 4096, "n_cols": 781}),
    *(("matmul", {"m": n, "n": n, "k": n}) for n in (512, 1024, 2048, 4096, 8192)),
    ("atomics", {"n": 1 << 20}),
]


def kernel_file(name: str) -> Path:
    if name != "atomics":
        return ROOT / "kernels" / f"{name}.py"
    path = Path("/tmp") / "playground_atomics.py"
    path.write_text(ATOMICS)
    return path


def recorded_ms(prepared, work: Work, count: int = 60) -> float:
    """Return the median of the profiler's public kernel events, the first five left out."""
    name = prepared.launch.info.kernel
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CUDA], acc_events=True) as profiler:
        for _ in range(count):
            work.perform()
        torch.cuda.synchronize()
    found = [
        (event.time_range.start, event.device_time_total)
        for event in profiler.events()
        if event.name == name
    ]
    return median([duration for _, duration in sorted(found)[5:]]) / 1e3


def times(open_case) -> list[dict[str, object]]:
    rows = []
    for name, sizes in CASES:
        session = open_case(name, sizes)
        counted = session.coverage(0)
        row: dict[str, object] = {"case": name, "sizes": sizes}
        for cache in ("cold", "warm"):
            measured = session.bench(0, budget_ms=100, cache=cache)
            prepared = session.prepare(0)
            counted = session.counted(0, prepared.config, Job())
            work = sampling.work_of(prepared, cache, sampling.reads_what_it_writes(counted))
            row[cache] = measured.median_ms * 1e3
            row[f"{cache}_truth"] = recorded_ms(prepared, work) * 1e3
            row["source"] = measured.source
            row["spread"] = measured.spread
        prepared = session.prepare(0)
        row["do_bench"] = triton.testing.do_bench(prepared.run, return_mode="median") * 1e3
        row["gbps"] = counted.bytes_unique / (row["cold"] * 1e3)
        rows.append(row)
        print(
            f"{name:<10} {'x'.join(map(str, sizes.values())):<14} {row['source']:<6}"
            f" cold {row['cold']:>9.2f} ({row['cold'] / row['cold_truth']:.3f})"
            f" warm {row['warm']:>9.2f} ({row['warm'] / row['warm_truth']:.3f})"
            f" do_bench {row['do_bench']:>9.2f} ({row['do_bench'] / row['cold_truth']:.2f} of cold,"
            f" {row['do_bench'] / row['warm_truth']:.2f} of warm)",
            flush=True,
        )
    return rows


REPEATED = [
    ("vector_add", {"size": 1 << 16}),
    ("vector_add", {"size": 1 << 22}),
    ("softmax", {"n_rows": 4096, "n_cols": 781}),
    ("matmul", {"m": 1024, "n": 1024, "k": 1024}),
]


def repeat(open_case) -> list[dict[str, object]]:
    rows = []
    for name, sizes in REPEATED:
        session = open_case(name, sizes)
        config = session.launches[0].info.config
        floor = session.noise_floor(0, config, "cold")
        apart = []
        for _ in range(20):
            one, other = (session.measure(0, config, 50.0, "cold", Job()) for _ in range(2))
            apart.append(abs(one.median_ms / other.median_ms - 1))
        agree = sum(item <= floor for item in apart)
        rows.append({"case": name, "sizes": sizes, "floor": floor, "agree": agree, "apart": apart})
        print(
            f"{name:<10} {'x'.join(map(str, sizes.values())):<14} floor {floor:.2%}"
            f" agree {agree}/20, largest difference {max(apart):.2%}",
            flush=True,
        )
    return rows


def plant(open_case, name: str, sizes: dict[str, int], key: str):
    """Return a session of a larger problem that takes 2 % longer, as near as sizes allow."""
    base = open_case(name, sizes).bench(0, budget_ms=200).median_ms
    tried = []
    for percent in range(102, 112):
        session = open_case(name, {**sizes, key: sizes[key] * percent // 100 // 64 * 64})
        longer = session.bench(0, budget_ms=200).median_ms / base - 1
        tried.append((abs(longer - 0.02), longer, percent))
        if longer > 0.025:
            break
    _, longer, percent = min(tried)
    return open_case(name, {**sizes, key: sizes[key] * percent // 100 // 64 * 64}), longer


def compare(open_case) -> list[dict[str, object]]:
    rows = []
    for name, sizes, key in (
        ("vector_add", {"size": 1 << 22}, "size"),
        ("vector_add", {"size": 1 << 24}, "size"),
        ("softmax", {"n_rows": 16384, "n_cols": 781}, "n_rows"),
    ):
        session = open_case(name, sizes)
        config = session.launches[0].info.config
        floor = session.noise_floor(0, config, "cold")
        verdicts = []
        for seed in range(100):
            a, b = (contestants.of_config(session, 0, config, "cold", Job()) for _ in range(2))
            verdicts.append(
                comparing.compare(
                    a, b, cache="cold", budget_ms=200, job=Job(), floor=floor, seed=seed
                ).verdict
            )
            a.close(), b.close()
        quiet = sum(verdict in ("same", "unsure") for verdict in verdicts)
        other, planted = plant(open_case, name, sizes, key)
        found, seconds = 0, []
        for seed in range(10):
            a = contestants.of_config(other, 0, config, "cold", Job())
            b = contestants.of_config(session, 0, config, "cold", Job())
            start = time.perf_counter()
            result = comparing.compare(
                a, b, cache="cold", budget_ms=4500, job=Job(), floor=floor, seed=seed
            )
            seconds.append(time.perf_counter() - start)
            found += result.verdict == "slower"
            a.close(), b.close()
        rows.append({
            "case": name, "sizes": sizes, "floor": floor, "quiet": quiet,
            "same": verdicts.count("same"), "found": found, "slowest_s": max(seconds),
            "planted": planted, "ratio": result.ratio,
        })  # fmt: skip
        print(
            f"{name:<10} {'x'.join(map(str, sizes.values())):<14} against itself: {quiet}/100 same"
            f" or unsure ({verdicts.count('same')} same); planted {planted:.2%}: {found}/10 found,"
            f" ratio {result.ratio:.4f}, at most {max(seconds):.2f} s; floor {floor:.2%}",
            flush=True,
        )
    return rows


def cost(open_case) -> list[dict[str, object]]:
    rows = []
    for (name, sizes), budget_ms in itertools.product(REPEATED, (30.0, 100.0, 400.0)):
        session = open_case(name, sizes)
        session.bench(0, budget_ms=20)
        prepared = session.prepare(0)
        counted = session.counted(0, prepared.config, Job())
        work = sampling.work_of(prepared, "cold", sampling.reads_what_it_writes(counted))
        between_ms = min(events.sample(Work(work.before), 5)) if work.before else 0.0
        start = time.perf_counter()
        measured = session.measure(0, prepared.config, budget_ms, "cold", Job())
        wall_ms = (time.perf_counter() - start) * 1e3
        needed_ms = (len(measured.samples_ms) + sampling.DROPPED) * (
            measured.median_ms + between_ms
        )
        allowed_ms = 1.3 * needed_ms + 30
        rows.append({
            "case": name, "sizes": sizes, "budget_ms": budget_ms, "wall_ms": wall_ms,
            "needed_ms": needed_ms, "allowed_ms": allowed_ms, "stopped": measured.stopped,
        })  # fmt: skip
        print(
            f"{name:<10} {'x'.join(map(str, sizes.values())):<14} budget {budget_ms:>5.0f} ms"
            f" needs {needed_ms:>6.1f} wall {wall_ms:>6.1f} allowed {allowed_ms:>6.1f}"
            f" {'ok' if wall_ms <= allowed_ms else 'OVER'} ({measured.stopped}, "
            f"{len(measured.samples_ms)} samples)",
            flush=True,
        )
    return rows


PARTS = {"times": times, "repeat": repeat, "compare": compare, "cost": cost}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", type=Path)
    parser.add_argument("--part", nargs="*", choices=PARTS, default=list(PARTS))
    arguments = parser.parse_args()
    if not torch.cuda.is_available():
        print("needs an NVIDIA GPU")
        return 2
    sessions: dict[str, playground.Session] = {}

    def open_case(name: str, sizes: dict[str, int]):
        key = f"{name} {sizes}"
        if key not in sessions:
            while len(sessions) > 15:
                sessions.pop(next(iter(sessions))).close()
            session = playground.open(kernel_file(name))
            session.run("example()", sizes)
            sessions[key] = session
        return sessions[key]

    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, triton {triton.__version__},"
          f" copy {ceilings.copy_gbps():.0f} GB/s")  # fmt: skip
    result = {}
    for part in arguments.part:
        print(f"--- {part}", flush=True)
        result[part] = PARTS[part](open_case)
    for session in sessions.values():
        session.close()
    if arguments.json:
        arguments.json.write_text(json.dumps(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
