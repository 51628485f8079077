"""Record exhaustive sweeps of about 1,000 configs each on this machine's GPU, for offline replay.

`python -m tests.benchmarks.record_sweeps [--out FOLDER] [--seconds S] [NAME ...]` writes one
compact JSON file a sweep (assets/sweeps by default), which `search_quality` then replays without a
GPU. Every config is compiled in parallel and timed shortly while others compile; a config far from
the best is timed with ten samples, which is enough to know that it is far. What was not done after
`--seconds` is told, and a second call goes on where the first was cut off.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tests.child_environment import ROOT
from tests.sweep_tables import RECORDED, packed

BUDGET_MS = 25.0
"""Kernel time a config: half of a sweep's usual screening."""


@dataclass(frozen=True)
class Recipe:
    """A kernel file of ours at one problem, and the values of each knob."""

    file: str
    driver: str
    values: dict[str, tuple[int, ...]]
    where: tuple[str, ...] = ()


RECIPES = {
    "matmul-4096-bf16": Recipe(
        "matmul.py", "example(m=4096, n=4096, k=4096, dtype=torch.bfloat16)",
        {"BLOCK_M": (32, 64, 128, 256), "BLOCK_N": (32, 64, 128, 256), "BLOCK_K": (32, 64, 128),
         "GROUP_M": (1, 8, 16), "num_warps": (4, 8), "num_stages": (2, 3, 4, 5)},
        ("BLOCK_M * BLOCK_N <= 32768",),
    ),
    "split-k-64-by-4096-over-16384": Recipe(
        "split_k.py", "example(m=64, n=4096, k=16384, dtype=torch.bfloat16)",
        {"BLOCK_M": (16, 32, 64), "BLOCK_N": (32, 64, 128), "BLOCK_K": (32, 64, 128),
         "SPLIT_K": (1, 2, 4, 8, 16), "num_warps": (2, 4, 8), "num_stages": (2, 3, 4)},
    ),
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(RECIPES))
    parser.add_argument("--out", type=Path, default=RECORDED)
    parser.add_argument("--seconds", type=float, default=120.0, help="for each sweep")
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in RECIPES]
    if unknown:
        parser.error(f"no recipe {unknown[0]}; there are {', '.join(RECIPES)}")
    options.out.mkdir(parents=True, exist_ok=True)
    for name in options.names or RECIPES:
        record(name, RECIPES[name], options.out, options.seconds)


def record(name: str, recipe: Recipe, folder: Path, seconds: float) -> None:
    """Sweep one recipe's whole space and write its times."""
    import playground
    from playground.engine.job import Job
    from playground.model.sweep_plan import SweepPlan
    from playground.model.sweep_space import make_space
    from playground.protocol.messages import SweepProgress

    began = time.perf_counter()

    def say(text: str) -> None:
        print(f"{time.perf_counter() - began:6.1f} s  {name}: {text}", flush=True)

    session = playground.open(ROOT / "kernels" / recipe.file)
    session.prestart_bench()
    session.run(recipe.driver)
    launch = session.launches[0].info
    space = make_space(launch.knobs, launch.config, recipe.values, recipe.where)
    say(f"{space.count().text()} on {session.device.name}")

    def take(reply: object) -> None:
        if isinstance(reply, SweepProgress) and reply.done % 100 == 0:
            say(f"{reply.done} of {reply.total}")

    plan = SweepPlan(
        space, "exhaustive", budget_ms=BUDGET_MS, total_s=seconds - (time.perf_counter() - began),
        start=launch.config, confirm=False, stored=True, resume=True,
    )  # fmt: skip
    result = session.sweep(0, plan=plan, job=Job(take))
    device = session.device
    session.close()
    statuses = Counter(row.status for row in result.rows)
    times = {
        row.config: row.median_ms if row.status == "correct" else None
        for row in result.rows
        if row.status != "constraint"
    }
    missing = space.count().valid - len(times)
    path = folder / f"{name}.json"
    told = {"device": device.name, "triton": device.triton, "kernel": launch.kernel,
            "driver": recipe.driver}  # fmt: skip
    path.write_text(packed(told, space, times))
    say(f"{dict(statuses)}, {missing} not reached; {path.stat().st_size / 1e3:.1f} kB: {path}")
    if result.best is not None:
        say(f"best {result.best.median_ms:.4f} ms: {result.best.config.label()}; {result.note}")
    if missing:
        print(f"{name}: call again, with more --seconds, to go on", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
