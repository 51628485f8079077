"""What a sweep spends beside a GPU that is made up: real compiles, times as long as they are told.

`python -m tests.benchmarks.sweep_pipeline [--configs 12] [--gpus 1]`, on any machine. The file runs
in the interpreter, every config is really compiled for cuda:90, for the sweep's size and for the
ragged one; a check and a timing take `--try-ms`, the confirmation `--confirm-s`. The same sweep is
made twice with an empty cache: as it is, and without looking ahead at the other inputs.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile
import time

from tests.benchmarks.sweep_speed import GROUP_M, VALUES
from tests.child_environment import ROOT, child_environment

SIZE = 64


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--configs", type=int, default=12, help="of the 72, small tiles first")
    parser.add_argument("--gpus", type=int, default=1)
    parser.add_argument("--try-ms", type=float, default=26.0)
    parser.add_argument("--confirm-s", type=float, default=0.5)
    parser.add_argument("--side", choices=("as it is", "not ahead"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.side:
        _sweep(options)
        return
    print(
        f"{os.cpu_count()} cores, {options.configs} configs, {options.gpus} GPUs made up\n"
        f"{'':12}{'all':>8}{'compiled':>10}{'tried':>8}{'asked':>8}{'confirm':>9}{'inputs':>8}"
    )
    for side in ("not ahead", "as it is"):
        told = _side(side, options)
        phases = told["phases"]
        tried_s = told["elapsed_s"] - sum(
            phases[name] for name in ("foresee_s", "confirm_s", "prove_s")
        )
        print(
            f"{side:12}{told['elapsed_s']:8.2f}{phases['compile_s']:10.2f}{tried_s:8.2f}"
            f"{phases['foresee_s']:8.2f}{phases['confirm_s']:9.2f}{phases['prove_s']:8.2f}   "
            f"{told['proved']} right at {told['at']}", flush=True,
        )  # fmt: skip


def _side(side: str, options: argparse.Namespace) -> dict:
    with tempfile.TemporaryDirectory(prefix="pg-sweep-") as folder:
        environment = child_environment(
            interpret=True, TRITON_CACHE_DIR=folder, XDG_DATA_HOME=folder,
            TRITON_DEFAULT_FP_FUSION="1",
        )  # fmt: skip
        command = [
            sys.executable, "-m", "tests.benchmarks.sweep_pipeline", "--side", side,
            "--configs", str(options.configs), "--gpus", str(options.gpus),
            "--try-ms", str(options.try_ms), "--confirm-s", str(options.confirm_s),
        ]  # fmt: skip
        done = subprocess.run(
            command, env=environment, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
        )
    return json.loads(done.stdout.splitlines()[-1])


def _sweep(options: argparse.Namespace) -> None:
    import playground
    from playground.engine import benches, foresight
    from playground.engine.bench_messages import (
        Confirm,
        Confirmed,
        Foresee,
        Foreseen,
        Prove,
        Proved,
        Tried,
        Try,
    )
    from playground.engine.compiling import Compiler
    from playground.engine.job import Job
    from playground.engine.other_inputs import OtherInputs
    from playground.model.config import Config
    from playground.model.sweep_plan import SweepPlan
    from playground.model.sweep_space import SweepSpace

    session = playground.open(ROOT / "kernels" / "matmul.py")
    session.run("example()", {"m": SIZE, "n": SIZE, "k": SIZE})
    launch = session.launches[0].info
    every = [
        launch.config.updated(dict(zip(VALUES, values, strict=True)) | {"GROUP_M": GROUP_M})
        for values in itertools.product(*VALUES.values())
    ]
    # At a ragged size some large tiles take ptxas a minute: those are for a larger machine.
    every.sort(key=lambda config: (config["BLOCK_M"] * config["BLOCK_N"], config["num_stages"]))
    configs = tuple(every[: options.configs])

    def truth(config: Config) -> float:
        wide = config["BLOCK_M"] * config["BLOCK_N"]
        return 0.15 + 0.1 * abs(wide - 32768) / 32768 + 0.01 * config["num_stages"]

    class Gpu:
        def __init__(self, number: int) -> None:
            self.gpu, self.device, self.start_s = f"GPU-{number}", "", 0.0
            self._other: OtherInputs | None = None
            self._compiler = Compiler(session.device, session.hosted)
            self._compiler.worker_limit = 1
            self._compiler.use(session.path, session.text, session.driver, session.sizes)
            self._compiler.prestart()
            self._number = number

        def start(self) -> None:
            pass

        def make_ready(self, _go_on) -> None:
            self.device = f"made up {self._number:08x}"

        def ask(self, order, _limit_s, _go_on):
            if isinstance(order, Try):
                time.sleep(options.try_ms / 1000)
                return Tried("correct", "", (truth(order.config),) * 20, "events")
            if isinstance(order, Confirm):
                time.sleep(options.confirm_s)
                noise = random.Random(1)
                times = tuple(
                    tuple(truth(c) * (1 + noise.gauss(0, 1e-3)) for _ in range(100))
                    for c in order.configs
                )
                return Confirmed(order.configs, times, "events")
            if self._other is None:
                self._other = OtherInputs(session, 0, order.seed, order.sizes, Job())
            if isinstance(order, Foresee):
                return Foreseen(self._other.orders(order.configs, "cuda:90"))
            assert isinstance(order, Prove)
            began, right = time.perf_counter(), []
            for config in order.configs:  # one after the other, as a process compiles what it runs
                if right and time.perf_counter() - began > order.seconds:
                    break
                waiting = [[one for _, one in self._other.orders((config,), "cuda:90")]]
                self._compiler.compile_ahead(
                    lambda waiting=waiting: waiting.pop() if waiting else None,
                    lambda _order: None, Job(),
                )  # fmt: skip
                time.sleep(options.try_ms / 2000)
                right.append(config)
            return Proved(tuple(right), (), self._other.at)

        def close(self) -> None:
            if self._other is not None:
                self._other.close()
                self._other = None
            self._compiler.close()

    if options.side == "not ahead":
        foresight.Foresight.turn = foresight.Foresight.look = lambda *_, **__: None
    gpus = [Gpu(number) for number in range(options.gpus)]
    benches.open_benches = lambda *_: benches.Benches(gpus, True, "cuda:90")
    session.prestart_bench()  # the compile workers
    session.compiler.compile(session.launches[0])  # they are warm, as when started ahead
    result = session.sweep(0, plan=SweepPlan(SweepSpace(listed=configs), start=launch.config))
    session.close()
    print(
        json.dumps({
            "elapsed_s": result.elapsed_s, "phases": result.phases.__dict__,
            "proved": sum(row.proved for row in result.rows), "at": result.proved_at,
        })
    )  # fmt: skip


if __name__ == "__main__":
    main()
