"""What a moved constexpr costs until its resources are known, beside a bare `warmup` in a script.

Run as `python -m tests.benchmarks.compile_latency [TARGET] [CONFIGS]` from the checkout's root; it
needs no GPU. Both sides compile the same new configs in turns, each into an empty cache of its own
and in a process that has compiled before; the order within a turn changes. `ours` is
`Session.compile` up to the report with registers, spills and occupancy; `bare` is `kernel.warmup`,
which has none of these.
Every line of figures is one JSON object; times are medians in ms, `ratio` the median of the turns'
ratios. `kept` is the same config once more, from memory.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.child_environment import child_environment

ROOT = Path(__file__).parents[2]
KERNELS = ROOT / "kernels"

SPACES = {
    "vector_add": {"BLOCK_SIZE": (128, 256, 512, 2048, 4096), "num_warps": (1, 2, 4, 8)},
    "softmax": {"num_warps": (1, 2, 4, 8), "num_stages": (1, 2, 3, 4)},
    "matmul": {
        "BLOCK_M": (32, 64, 128), "BLOCK_N": (32, 64, 128), "BLOCK_K": (32, 64),
        "num_warps": (4, 8),
    },
}  # fmt: skip

BARE = """
import importlib.util, json, sys, time
from playground.engine.triton_private import compiled, stub_driver

target, path, name = sys.argv[1:4]
stub_driver.activate_stub(target)
spec = importlib.util.spec_from_file_location("kernel_file", path)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
kernel = getattr(module, name)
import torch
for line in sys.stdin:
    values = {
        key: compiled.StandInTensor(getattr(torch, value["dtype"])) if isinstance(value, dict) else value
        for key, value in json.loads(line).items()
    }
    started = time.perf_counter()
    kernel.warmup(grid=(1, 1, 1), **values)
    print(json.dumps(1e3 * (time.perf_counter() - started)), flush=True)
"""  # noqa: E501


class Bare:
    """A script that does nothing but `warmup`, in a process of its own."""

    def __init__(self, target: str, launch, cache: str) -> None:
        environment = child_environment(
            interpret=False, TRITON_CACHE_DIR=cache, TRITON_DEFAULT_FP_FUSION="1"
        )
        self._process = subprocess.Popen(
            [sys.executable, "-c", BARE, target, launch.info.file, launch.info.kernel],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment,
        )  # fmt: skip
        self._launch = launch

    def compile_ms(self, config) -> float:
        """Return the time of one `warmup`."""
        values = {
            argument.name: {"dtype": argument.tensor.dtype.removeprefix("torch.")}
            if argument.tensor
            else self._launch.arguments[argument.name]
            for argument in self._launch.info.arguments
        }
        given = {**values, **config.as_dict()}
        given = {name: value for name, value in given.items() if value is not None}
        self._process.stdin.write(json.dumps(given) + "\n")
        self._process.stdin.flush()
        return float(json.loads(self._process.stdout.readline()))

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait()


def main() -> None:
    target = sys.argv[1] if len(sys.argv) > 1 else "cuda:90"
    most = int(sys.argv[2]) if len(sys.argv) > 2 else 12
    for name, space in SPACES.items():
        with tempfile.TemporaryDirectory(prefix="pg-bench-") as folder:
            os.environ["TRITON_CACHE_DIR"] = str(Path(folder, "ours"))
            print(json.dumps(_kernel(name, space, target, most, str(Path(folder, "bare")))))


def _kernel(name: str, space, target: str, most: int, cache: str):
    from playground.engine.session import Session

    session = Session()
    path = KERNELS / f"{name}.py"
    session.load(path, path.read_text(encoding="utf-8"))
    session.run("example()")
    launch = session.launches[0]
    bare = Bare(target, launch, cache)
    captured = launch.info.config
    session.compile(0, captured, target)  # starts the worker, fills what is filled once
    bare.compile_ms(captured)
    combinations = itertools.product(*space.values())
    configs = [captured.updated(dict(zip(space, values, strict=True))) for values in combinations]
    random.Random(0).shuffle(configs)
    turns, kept = [], []
    for number, config in enumerate([item for item in configs if item != captured][:most]):
        if number % 2:
            theirs = bare.compile_ms(config)
            ours = _ours_ms(session, config, target)
        else:
            ours = _ours_ms(session, config, target)
            theirs = bare.compile_ms(config)
        turns.append((ours, theirs))
        kept.append(_ours_ms(session, config, target))
    bare.close()
    session.close()
    return {
        "kernel": name, "target": target, "configs": len(turns),
        "ours_ms": round(statistics.median(ours for ours, _ in turns), 1),
        "bare_ms": round(statistics.median(theirs for _, theirs in turns), 1),
        "ratio": round(statistics.median(ours / theirs for ours, theirs in turns), 3),
        "kept_ms": round(statistics.median(kept), 2),
    }  # fmt: skip


def _ours_ms(session, config, target: str) -> float:
    started = time.perf_counter()
    outcome = session.compile(0, config, target)
    took_ms = 1e3 * (time.perf_counter() - started)
    if outcome.report is None or outcome.report.registers is None:
        raise SystemExit("; ".join(item.text() for item in outcome.findings))
    return took_ms


if __name__ == "__main__":
    main()
