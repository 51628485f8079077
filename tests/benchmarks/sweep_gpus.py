"""How much faster a sweep of 200 configs is on two GPUs than on one.

`python -m tests.benchmarks.sweep_gpus [--gpus 2] [--size 8192] [--cluster local] [--share]`, on a
machine with that many GPUs. The configs (matmul, bf16) are compiled ahead, so that what is compared
is the trying: throughput is configs a second while every worker is at work, from the first row of
the last to begin. The whole sweep, confirmation included, is printed beside. With
`--cluster PROFILE` a few configs are also tried on the engines of an ipyparallel cluster; without
ipyparallel that part is left out and said. `--share` runs two workers on one GPU where there is no
second: the code path, not the gain.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import time
from collections import Counter
from dataclasses import dataclass, field

from tests.child_environment import ROOT

VALUES = {
    "BLOCK_M": (64, 128, 256), "BLOCK_N": (64, 128, 256), "BLOCK_K": (32, 64, 128),
    "GROUP_M": (4, 8), "num_warps": (4, 8), "num_stages": (2, 3, 4),
}  # fmt: skip
CONFIGS = 200
LIMIT = 1.8


@dataclass
class Rows:
    """When each row came, in seconds, and of which device."""

    workers: int
    at_s: list[float] = field(default_factory=list)
    devices: list[str] = field(default_factory=list)

    @property
    def per_second(self) -> float:
        """Rows a second while all workers are at work: from when each has begun to the last few."""
        first = {device: self.devices.index(device) for device in set(self.devices)}
        begin = max(first.values())
        end = len(self.at_s) - self.workers  # towards the end some have nothing left to do
        return (end - begin) / (self.at_s[end] - self.at_s[begin])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gpus", type=int, default=2)
    parser.add_argument("--size", type=int, default=8192)
    parser.add_argument("--configs", type=int, default=CONFIGS)
    parser.add_argument("--cluster", default="local", help="a profile, or 'none'")
    parser.add_argument("--share", action="store_true")
    options = parser.parse_args()

    import playground
    from playground.model.sweep_space import make_space
    from playground.model.sweep_workers import Workers

    session = playground.open(ROOT / "kernels" / "matmul.py")
    n = options.size
    session.run(f"example(m={n}, n={n}, k={n}, dtype=torch.bfloat16)")
    launch = session.launches[0].info
    space = make_space(launch.knobs, launch.config, VALUES, ("BLOCK_M * BLOCK_N <= 32768",))
    began = time.perf_counter()
    outcomes = session.compiler.compile_many(session.launches[0], list(space.valid()))
    fitting = [c for c, made in outcomes.items() if made.report is not None and made.report.fits]
    configs = tuple(fitting[: options.configs])
    print(
        f"{session.device.name}, {n}^3 bf16: {len(configs)} configs that fit, compiled ahead in "
        f"{time.perf_counter() - began:.1f} s", flush=True,
    )  # fmt: skip
    found = {"1 GPU": _sweep(session, configs, Workers(1))}
    several = f"{options.gpus} GPUs"
    found[several] = _sweep(session, configs, Workers(options.gpus, share=options.share))
    if options.cluster != "none":
        if importlib.util.find_spec("ipyparallel") is None:
            print("ipyparallel is not installed here: no cluster", flush=True)
        else:
            workers = Workers(options.gpus, options.share, options.cluster)
            few = configs[: 10 * options.gpus]  # that it works, and on which devices
            found[f"cluster {options.cluster}"] = _sweep(session, few, workers)
    session.close()
    print(f"\n{'':18}{'configs/s':>10}{'whole, s':>10}{'devices':>9}  statuses")
    for name, one in found.items():
        print(
            f"{name:18}{one['per_second']:10.2f}{one['elapsed_s']:10.2f}{len(one['devices']):9}  "
            f"{one['statuses']}"
        )
        print(f"{'':18}{one['winner']}; {one['note']}")
    gain = found[several]["per_second"] / found["1 GPU"]["per_second"]
    whole = found["1 GPU"]["elapsed_s"] / found[several]["elapsed_s"]
    print(json.dumps(found))
    print(f"{several} over one: {gain:.2f} times the throughput, whole sweep {whole:.2f} times")
    met = gain >= LIMIT
    print(f"limit {LIMIT:g}: {'met' if met else 'MISSED'}", flush=True)
    sys.exit(0 if met or options.share else 1)


def _sweep(session: object, configs: tuple, workers: object) -> dict:
    from playground.engine.job import Job
    from playground.model.sweep_plan import SweepPlan
    from playground.model.sweep_space import SweepSpace
    from playground.protocol.messages import SweepProgress

    rows = Rows(workers.count)

    def take(reply: object) -> None:
        if isinstance(reply, SweepProgress):
            rows.at_s.append(time.perf_counter())
            rows.devices.append(reply.rows[0].device)

    plan = SweepPlan(
        SweepSpace(listed=configs), "exhaustive", start=session.launches[0].info.config,
        workers=workers,
    )  # fmt: skip
    result = session.sweep(0, plan=plan, job=Job(take))
    best = result.best
    told = {
        "per_second": rows.per_second,
        "elapsed_s": result.elapsed_s,
        "devices": dict(Counter(row.device for row in result.rows)),
        "statuses": dict(Counter(row.status for row in result.rows)),
        "winner": f"{best.config.label()}: {best.median_ms:.4f} ms on {best.device}"
        if best
        else "",
        "note": result.note,
        "phases": result.phases.__dict__,
    }
    print(
        f"{workers}: {len(result.rows)} rows in {result.elapsed_s:.2f} s, "
        f"{rows.per_second:.2f} configs/s", flush=True,
    )  # fmt: skip
    return told


if __name__ == "__main__":
    main()
