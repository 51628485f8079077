"""CPU time and memory of a complete count without a GPU; prints figures, asserts nothing.

    python -m tests.benchmarks.coverage_cpu [--exact] [--viz PYTHON] [CASE …]

Each figure is of a fresh process: `start` is Python, torch, triton and the engine; `count` is the
count with its totals; `picture` the first picture of every tensor by owner, loads and stores.
`--exact` also counts by running program after program. `--viz` names a Python that has triton-viz
3.0, triton 3.6 and torch: its tracing and the answers that its page asks for first are measured
beside ours. Without it, its figures are those of an earlier measurement: see `VIZ_CPU_S`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

CASES = {
    "vector add 2^20": ("vector_add", "add_kernel", "example(1 << 20)"),
    "vector add 2^24": ("vector_add", "add_kernel", "example(1 << 24)"),
    "matmul 512": ("matmul", "matmul_kernel", "matmul(*inputs(512, 512, 512))"),
    "matmul 1024": ("matmul", "matmul_kernel", "matmul(*inputs(1024, 1024, 1024))"),
    "matmul 4096": ("matmul", "matmul_kernel", "matmul(*inputs(4096, 4096, 4096))"),
    "softmax 4096x1024": ("softmax", "softmax_kernel", "example(4096, 1024)"),
    "gather 65536 rows": ("gather_scatter", "gather_kernel", "example(8192, 64, 65536)"),
    "flash attention 2048": (
        "flash_attention",
        "attention_forward",
        "attention(*inputs(1, 4, 2048, 64, torch.float16)[:3])",
    ),
}  # fmt: skip
VIZ_CASES = ("vector add 2^20", "matmul 512", "softmax 4096x1024")
LONG_EXACT = ("matmul 4096", "vector add 2^24", "matmul 1024")
VIZ_CPU_S = {"vector add 2^20": 6.4, "matmul 512": 38.0}
"""triton-viz 3.0 with triton 3.6, tracing and first view, told by this project's first plan."""

OURS = """
import json, resource, sys, time, warnings
warnings.simplefilter("ignore")
import numpy as np
import torch
from playground.engine.triton_private import interpreter
interpreter.install()
from playground.engine.coverage import count
from playground.engine.triton_private.tracing_interpreter import InterpreterCounter
from playground.protocol.messages import PlaneView
from tests.engine.coverage_parts import captured, load, prepared

name, kernel, call, exact = sys.argv[1:5]
module = load(name)
start_s = time.process_time()

class Nothing:
    def on_access(self, access): pass
    def on_dot(self, *args): pass
    def on_operations(self, *args): pass
    def on_work(self): pass
    def on_read(self, addresses, active, element_size): return active

# The capture is no part of the count: of its launches only the first program is followed.
with interpreter.batching(lambda launch: Nothing(), np.zeros(1, dtype=np.int64)):
    launches = captured(lambda: eval(call, vars(module)))
ready = prepared(next(one for one in launches if one.info.kernel == kernel))
before_s, before_wall_s = time.process_time(), time.perf_counter()
if exact == "exact":
    InterpreterCounter._follow = lambda *args, **named: None
counts = count(ready)
count_s, wall_s = time.process_time() - before_s, time.perf_counter() - before_wall_s
before_s = time.process_time()
for view in counts.layout.tensors:
    for paint in ("owner", "loads", "stores"):
        counts.plane(view.name, paint, PlaneView(max_rows=1024, max_columns=1024))
picture_s = time.process_time() - before_s
print("RESULT" + json.dumps({
    "start_s": start_s, "count_s": count_s, "picture_s": picture_s, "wall_s": wall_s,
    "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    "way": counts._source.why_exact or "together",
}))
"""

VIZ = """
import importlib.util, json, resource, sys, time, warnings
warnings.simplefilter("ignore")
import torch, triton_viz
from triton_viz.visualizer import interface

name, kernel, call = sys.argv[1:4]
spec = importlib.util.spec_from_file_location(name, name + ".py")
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
setattr(module, kernel, triton_viz.trace(client="tracer")(getattr(module, kernel)))
start_s = time.process_time()
began = time.perf_counter()
eval(call, vars(module))
count_s = time.process_time() - start_s
before_s = time.process_time()
page = interface.app.test_client()
page.get("/api/data")
for kind, maps in (("load", interface.load_overall_maps), ("store", interface.store_overall_maps)):
    for key in maps:
        page.post(f"/api/{kind}_overall", json={"key": key})
picture_s = time.process_time() - before_s
print("RESULT" + json.dumps({
    "start_s": start_s, "count_s": count_s, "picture_s": picture_s,
    "wall_s": time.perf_counter() - began,
    "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, "way": "triton-viz",
}))
"""


def measured(code: str, python: str, folder: Path, *args: str) -> dict[str, float | str] | str:
    """Return what a fresh process measured, or why it ended without."""
    environment = {
        **os.environ, "TRITON_INTERPRET": "1", "TRITON_DEFAULT_FP_FUSION": "1",
        "PYTHONPATH": str(folder),
    }  # fmt: skip
    done = subprocess.run(
        [python, "-c", code, *args], env=environment, cwd=folder, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    lines = [line for line in done.stdout.splitlines() if line.startswith("RESULT")]
    if not lines:
        said = done.stderr.strip().splitlines()
        return f"ended with status {done.returncode}: {said[-1] if said else 'no word'}"
    found: dict[str, float | str] = json.loads(lines[-1].removeprefix("RESULT"))
    return found


def show(name: str, which: str, found: dict[str, float | str] | str, ours_s: float) -> None:
    """Print one measurement; its ratio to our CPU time where it is not ours."""
    if isinstance(found, str):
        print(f"{name:<22} {which:<12} {found}")
        return
    total_s = float(found["count_s"]) + float(found["picture_s"])
    ratio = f" {total_s / ours_s:6.1f} x ours" if which != "ours" else ""
    print(
        f"{name:<22} {which:<12} start {found['start_s']:5.2f}  count {found['count_s']:7.2f}  "
        f"picture {found['picture_s']:6.2f}  total {total_s:7.2f} CPU-s  "
        f"wall {found['wall_s']:7.2f} s  peak {found['peak_mb']:6.0f} MB{ratio}  {found['way']}",
        flush=True,
    )


def main() -> None:
    """Print one line a case and way."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--exact", action="store_true", help="also program after program")
    parser.add_argument("--viz", metavar="PYTHON", help="a Python with triton-viz 3.0")
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join(CASES))
    options = parser.parse_args()
    for name in options.cases or CASES:
        case = CASES[name]
        found = measured(OURS, sys.executable, ROOT, *case, "together")
        show(name, "ours", found, 0.0)
        if isinstance(found, str):
            continue
        ours_s = float(found["count_s"]) + float(found["picture_s"])
        if options.exact and (options.cases or name not in LONG_EXACT):
            show(name, "one by one", measured(OURS, sys.executable, ROOT, *case, "exact"), ours_s)
        if options.viz and (options.cases or name in VIZ_CASES):
            with tempfile.TemporaryDirectory() as folder:
                text = (ROOT / "kernels" / f"{case[0]}.py").read_text()
                (Path(folder) / f"{case[0]}.py").write_text(text)
                show(name, "triton-viz", measured(VIZ, options.viz, Path(folder), *case), ours_s)
        elif name in VIZ_CPU_S:
            print(
                f"{name:<22} triton-viz   {VIZ_CPU_S[name]} CPU-s told:"
                f" {VIZ_CPU_S[name] / ours_s:.1f} x ours"
            )


if __name__ == "__main__":
    main()
