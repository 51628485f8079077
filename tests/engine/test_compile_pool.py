"""What the pool does when orders take too long or are no longer wanted, with real workers."""

import json
import subprocess
import sys
from pathlib import Path

from tests.child_environment import child_environment

ROOT = Path(__file__).parents[2]

SLOW = """
import os, time
import torch
import triton
import triton.language as tl

@triton.jit
def slow(x, B: tl.constexpr):
    tl.store(x + tl.arange(0, B), 1.0)

if os.environ.get("TRITON_INTERPRET") != "1":
    real = triton.JITFunction.warmup
    def warmup(self, *args, B, **kwargs):
        if B == 64:
            time.sleep(60)
        return real(self, *args, B=B, **kwargs)
    triton.JITFunction.warmup = warmup

def example():
    slow[(1,)](torch.zeros(32), 32)
"""

SCRIPT = """
import json, sys, threading, time
from playground.engine import compile_pool
from playground.engine.job import CancelledError, Job
from playground.engine.session import Session

session = Session()
session.load(sys.argv[1])
session.run("example()")
compiler, launch = session.compiler, session.launches[0]
compiler.worker_limit = 1
fine, slow = launch.info.config, launch.info.config.updated({"B": 64})
found = {"first": compiler.compile(launch, fine).report is not None}

job = Job()
threading.Timer(0.5, job.cancel).start()
started = time.monotonic()
try:
    compiler.compile(launch, slow, None, job)
except CancelledError:
    found["cancelled_after_s"] = time.monotonic() - started
found["next"] = compiler.compile(launch, fine.updated({"B": 128})).report is not None
found["workers"] = compiler.workers

session.close()
compile_pool.COMPILE_LIMIT_S = 5.0
session = Session()
session.load(sys.argv[1])
session.run("example()")
compiler, launch = session.compiler, session.launches[0]
outcome = compiler.compile(launch, slow)
found["late"] = [finding.text() for finding in outcome.findings]
# A new worker's start counts as well, and takes long on a busy machine.
compile_pool.COMPILE_LIMIT_S = 60.0
found["after"] = compiler.compile(launch, fine.updated({"B": 256})).report is not None
session.close()
print(json.dumps(found))
"""


def test_a_slow_compilation_is_cancelled_at_once_and_ended_at_the_limit(tmp_path):
    path = tmp_path / "slow.py"
    path.write_text(SLOW)
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(path)], capture_output=True, text=True, cwd=ROOT,
        env=child_environment(interpret=True), check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["first"]
    assert found["cancelled_after_s"] < 10
    assert found["next"]  # by a second worker: the first is still busy
    assert found["workers"] == 2
    (late,) = found["late"]
    assert "timeout: compiling slow B=64" in late
    assert "slow.py:8: error (compile)" in late
    assert found["after"]
