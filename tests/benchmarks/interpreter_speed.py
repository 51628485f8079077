"""The interpreter beside Triton's stock one: prints milliseconds and ratios, asserts nothing.

    python -m tests.benchmarks.interpreter_speed

Each figure is the best of five runs in a process of its own, on the CPU.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.child_environment import child_environment

ROOT = Path(__file__).resolve().parents[2]

CHILD = """
import importlib.util, json, sys, time
import torch
if sys.argv[1] == "ours":
    from playground.engine.triton_private import interpreter
    interpreter.install()

def load(name):
    spec = importlib.util.spec_from_file_location(name, f"{sys.argv[2]}/kernels/{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

add, mm = load("vector_add"), load("matmul")
a, b = add.inputs(98432)
cases = {"vector add 98432": (lambda: add.add(a, b), a + b)}
for dtype in (torch.float16, torch.bfloat16):
    m, n = mm.inputs(256, 256, 256, dtype)
    want = m.double() @ n.double()
    cases[f"matmul 256 {dtype}"] = (lambda m=m, n=n: mm.matmul(m, n), want)
found = {}
for name, (run, want) in cases.items():
    times = []
    for _ in range(5):
        start = time.perf_counter()
        got = run()
        times.append((time.perf_counter() - start) * 1e3)
    found[name] = [min(times), float((got.double() - want.double()).abs().max())]
print(json.dumps(found))
"""


def measured(which: str) -> dict[str, list[float]]:
    """Return (best ms, largest error) by case, of the stock interpreter or ours."""
    environment = child_environment(interpret=True, PYTHONWARNINGS="ignore")
    done = subprocess.run(
        [sys.executable, "-c", CHILD, which, str(ROOT)],
        env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    found: dict[str, list[float]] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    """Print one line a case."""
    stock, ours = measured("stock"), measured("ours")
    print(
        f"{'case':<28} {'stock ms':>9} {'ours ms':>9} {'ratio':>6} {'stock error':>12} {'ours':>8}"
    )
    for name, (stock_ms, stock_error) in stock.items():
        ours_ms, error = ours[name]
        print(
            f"{name:<28} {stock_ms:>9.1f} {ours_ms:>9.1f} {ours_ms / stock_ms:>6.2f}"
            f" {stock_error:>12.3g} {error:>8.2g}"
        )


if __name__ == "__main__":
    main()
