"""How long compiling takes: the first compile, a warm one, a cached one, and 72 matmul configs.

Run as `python -m tests.benchmarks.compile_speed [TARGET] [WORKERS …]` from the checkout's root; it
needs no GPU. Every line of figures is one JSON object; ratios are against one worker.
"""

from __future__ import annotations

import itertools
import json
import os
import sys
import tempfile
import time
from pathlib import Path

KERNELS = Path(__file__).parents[2] / "kernels"


def main() -> None:
    target = sys.argv[1] if len(sys.argv) > 1 else "cuda:90"
    cores = os.cpu_count() or 1
    counts = [int(item) for item in sys.argv[2:]] or sorted({1, min(cores, 16)})
    with tempfile.TemporaryDirectory(prefix="pg-bench-") as folder:
        os.environ["TRITON_CACHE_DIR"] = folder
        _single(target)
        _many(target, counts)


def _session(name: str):
    from playground.engine.session import Session

    session = Session()
    path = KERNELS / f"{name}.py"
    session.load(path, path.read_text(encoding="utf-8"))
    session.run("example()")
    return session


def _timed_ms(work) -> float:
    started = time.perf_counter()
    work()
    return 1e3 * (time.perf_counter() - started)


def _single(target: str) -> None:
    for name in ("vector_add", "matmul"):
        session = _session(name)
        figures = {"kernel": name, "target": target, **_of_one(session, target)}
        session.close()
        print(json.dumps({key: _rounded(value) for key, value in figures.items()}))


def _of_one(session, target: str) -> dict[str, float]:
    launch = session.launches[0]
    config = launch.info.config
    knob = next(knob.name for knob in launch.info.knobs if knob.kind == "pow2")
    other = config.with_value(knob, int(config[knob]) * 2)

    def compile_it(wanted):
        outcome = session.compiler.compile(launch, wanted, target)
        if outcome.report is None:
            raise SystemExit("; ".join(item.text() for item in outcome.findings))

    figures = {
        "first_with_worker_start_ms": _timed_ms(lambda: compile_it(config)),
        "warm_worker_new_config_ms": _timed_ms(lambda: compile_it(other)),
        "kept_in_memory_ms": _timed_ms(lambda: compile_it(other)),
    }
    session._compiler_is_current = False
    figures["new_text_disk_cache_ms"] = _timed_ms(lambda: compile_it(other))
    figures["then_disk_cache_ms"] = _timed_ms(lambda: compile_it(config))
    return figures


def _many(target: str, counts: list[int]) -> None:
    alone = 0.0
    for count in counts:
        with tempfile.TemporaryDirectory(prefix="pg-bench-") as folder:
            os.environ["TRITON_CACHE_DIR"] = folder
            figures = _of_many(target, count)
        alone = alone or figures["took_s"]
        figures["times_faster_than_the_first"] = alone / figures["took_s"]
        print(json.dumps({key: _rounded(value) for key, value in figures.items()}))


def _of_many(target: str, count: int) -> dict[str, float]:
    tiles = itertools.product((64, 128, 256), (64, 128, 256), (32, 64), (4, 8), (2, 3))
    names = ("BLOCK_M", "BLOCK_N", "BLOCK_K", "num_warps", "num_stages")
    session = _session("matmul")
    launch = session.launches[0]
    session.compiler.worker_limit = count
    configs = [launch.info.config.updated(dict(zip(names, tile, strict=True))) for tile in tiles]
    started = time.perf_counter()
    outcomes = session.compiler.compile_many(launch, configs, target)
    took_s = time.perf_counter() - started
    made = [item.report for item in outcomes.values() if item.report is not None]
    workers = session.compiler.workers
    session.close()
    return {
        "configs": len(configs), "compiled": len(made),
        "fit": sum(report.fits for report in made),
        "workers": workers, "cores": os.cpu_count() or 1, "took_s": took_s,
    }  # fmt: skip


def _rounded(value):
    return round(value, 2) if isinstance(value, float) else value


if __name__ == "__main__":
    main()
