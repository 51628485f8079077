"""What a sweep does ahead, on a real GPU: processes before torch, other inputs before the end."""

from __future__ import annotations

import subprocess
import sys
import time

import psutil
import pytest

from tests.child_environment import ROOT, child_environment

pytestmark = pytest.mark.gpu

OTHER_INPUTS = """
import os, tempfile, time
from pathlib import Path
cache = Path(os.environ["TRITON_CACHE_DIR"])
import playground
from playground.engine.bench_messages import Foresee, Prove, Try
from playground.engine.bench_process import BenchProcess, recipe_of
from playground.engine.job import Job

def cubins():
    return len(list(cache.rglob("matmul_kernel.cubin")))

session = playground.open(KERNELS / "matmul.py")
session.run("example()", {"m": 512, "n": 512, "k": 512})
config = session.launches[0].info.config
configs = tuple(config.updated({"BLOCK_M": block}) for block in (32, 64, 128))
sizes = (("m", 513), ("n", 513), ("k", 513))
bench = BenchProcess(recipe_of(session, 0))
go_on = lambda: None
found = bench.ask(Foresee(7, sizes, configs), 100, go_on)
waiting, done = [[order for _, order in found.orders]], []
session.compiler.compile_ahead(lambda: waiting.pop() if waiting else None, done.append, Job())
before = cubins()
began = time.perf_counter()
told = bench.ask(Prove(configs, 7, sizes, 60.0), 100, go_on)
tried = bench.ask(Try(config, 50.0, "cold"), 100, go_on)
answer({"problem": found.problem, "orders": len(done), "right": len(told.right), "at": told.at,
        "before": before, "after": cubins(), "prove_s": time.perf_counter() - began,
        "tried": [tried.status, len(tried.samples_ms) > 0]})
bench.close()
session.close()
"""


def test_what_is_compiled_ahead_is_what_the_check_finds(run_engine, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "cache"))
    code = OTHER_INPUTS.replace('os.environ["TRITON_CACHE_DIR"]', repr(str(tmp_path / "cache")))
    code = f"import os; os.environ['TRITON_CACHE_DIR'] = {str(tmp_path / 'cache')!r}\n" + code
    answer = run_engine(code, interpret=False)
    assert answer["problem"] == ""
    assert (answer["orders"], answer["right"]) == (3, 3)
    assert answer["at"] == "m=513 n=513 k=513 seed=7"
    # Nothing was compiled again: the orders are what the GPU's process asks Triton's cache for.
    # (The captured config may be compiled anew for the sweep's own inputs: one at the most.)
    assert answer["after"] - answer["before"] <= 1, answer
    assert answer["tried"] == ["correct", True]


def _sweeping(tmp_path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "playground", "sweep", str(ROOT / "kernels" / "matmul.py"),
         "--set", "m=1024", "--space", "BLOCK_M=32..128:pow2", "--space", "BLOCK_N=32..128:pow2",
         "--space", "num_stages=2..4", "--json"],
        env=child_environment(
            TRITON_CACHE_DIR=str(tmp_path / "cache"), XDG_DATA_HOME=str(tmp_path)
        ),
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def test_killed_it_leaves_no_process_and_only_what_times_uses_the_gpu(tmp_path) -> None:
    pynvml = pytest.importorskip("pynvml")
    sweep = _sweeping(tmp_path)
    end = time.monotonic() + 60
    ours: list[psutil.Process] = []
    compiling: set[int] = set()
    while time.monotonic() < end:
        ours = psutil.Process(sweep.pid).children(recursive=True)
        named = {one.pid: " ".join(one.cmdline()) for one in ours if one.is_running()}
        compiling = {pid for pid, line in named.items() if "compile_worker" in line}
        if compiling and any("bench_worker" in line for line in named.values()):
            time.sleep(6)  # all have torch by now, and compile or time
            break
        time.sleep(0.2)
    pynvml.nvmlInit()
    on_gpu = {
        process.pid
        for index in range(pynvml.nvmlDeviceGetCount())
        for process in pynvml.nvmlDeviceGetComputeRunningProcesses(
            pynvml.nvmlDeviceGetHandleByIndex(index)
        )
    }
    pynvml.nvmlShutdown()
    ours = psutil.Process(sweep.pid).children(recursive=True)
    worker = next(one for one in ours if "playground.cli.worker" in " ".join(one.cmdline()))
    worker.kill()
    sweep.wait(timeout=30)
    _, left = psutil.wait_procs(ours, timeout=20)
    assert left == []
    assert compiling
    assert on_gpu & compiling == set()
