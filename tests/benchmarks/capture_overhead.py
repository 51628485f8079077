"""What capture costs: the same files run plainly and through a session, side by side.

    python -m tests.benchmarks.capture_overhead [--rounds N]

The bound is 5 % over running the driver plainly, plus 5 ms a launch. On a GPU one process takes
turns: it executes the text as Python would, then `Session.run` does, whose hooks are there only
meanwhile; two processes differ by 10 % in how fast they run the same Python. Without a GPU there
are two, because the plain run is interpreted by Triton's own interpreter. Figures are medians over
the rounds after a first one that compiles: wall time on the GPU, else processor time, which a busy
machine does not stretch.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from playground.engine.machine import has_nvidia_gpu
from tests.child_environment import child_environment

ROOT = Path(__file__).resolve().parents[2]

LOOP = """
import torch, triton, triton.language as tl

@triton.jit
def step(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, tl.load(x + i, i < n) * 0.5 + tl.load(y + i, i < n), i < n)

def example(size: int = 4096, steps: int = 300):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x, y = torch.rand(size, device=device), torch.zeros(size, device=device)
    for _ in range(steps):
        step[lambda meta: (triton.cdiv(size, meta["B"]),)](x, y, size, B=1024)
    return y
"""

INDICES = """
import torch, triton, triton.language as tl

@triton.jit
def gather(x, index, seed, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    at = tl.load(index + i, i < n, other=0) & 1023
    tl.store(out + i, tl.load(x + at, i < n) + seed * 0.0, i < n)

def example(size: int = 4096, steps: int = 50):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x, out = torch.rand(1024, device=device), torch.empty(size, device=device)
    for number in range(steps):
        # Large numbers that are no addresses: hashes, and a seed that changes.
        index = torch.randint(1 << 40, 1 << 50, (size,), device=device)
        gather[lambda meta: (triton.cdiv(size, meta["B"]),)](
            x, index, (number + 1) << 33, out, size, B=1024
        )
    return out
"""

HOST = """
import torch, triton, triton.language as tl

@triton.jit
def double(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, tl.load(x + i, i < n) * 2, i < n)

def example(device: str, size: int = 4096, steps: int = 20000):
    x = torch.rand(64)
    for number in range(steps):  # small operations: their cost is the way into torch
        x = (x * 1.0001).clamp(0, 1)
        if number % 20 == 0:
            y = torch.empty_like(x)
    words = {str(number): number for number in range(steps)}
    total = sum(len(word) + words[word] for word in sorted(words))
    x, y = torch.rand(size, device=device), torch.empty(size, device=device)
    double[lambda meta: (triton.cdiv(size, meta["B"]),)](x, y, size, B=1024)
    return y, total
"""

NAMES_A_GPU = 'DEVICE = "cuda" if torch.cuda.is_available() else "cpu"'

CHILD = """
import json, os, sys, time, types

which, file, driver = sys.argv[1:4]
text = open(file, encoding="utf-8").read()
import torch, triton
torch.set_num_threads(1)

def plainly():
    module = types.ModuleType("plain")
    module.__file__ = file
    sys.modules["plain"] = module
    exec(compile(text, file, "exec"), module.__dict__)
    value = eval(driver, module.__dict__)
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return value

if which != "plain":
    from playground.engine.session import Session
    play = Session()
    play.load(file)
for line in sys.stdin:
    turn = line.strip()
    launches = 0
    clock = time.perf_counter if torch.cuda.is_available() else time.process_time
    started = clock()
    if turn == "session":
        play.run(driver)
        launches = sum(launch.info.count for launch in play.launches)
    else:
        value = plainly()
    took_ms = (clock() - started) * 1e3
    if turn == "session" and any(finding.severity == "error" for finding in play.findings):
        sys.exit("\\n".join(finding.text() for finding in play.findings))
    print(json.dumps(["ANSWER", took_ms, launches]), flush=True)
"""


class Side:
    """A process that runs a file plainly, through a session, or in turns (`both`)."""

    def __init__(self, which: str, file: Path, driver: str, *, gpu: bool) -> None:
        environment = child_environment(
            interpret=not gpu, checkout=which != "plain", PYTHONWARNINGS="ignore",
            TRITON_DEFAULT_FP_FUSION="1",
        )  # fmt: skip
        self._process = subprocess.Popen(
            [sys.executable, "-c", CHILD, which, str(file), driver], env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=file.parent,
        )  # fmt: skip

    def round(self, turn: str) -> tuple[float, int]:
        """Run the file once, `plain` or through the `session`; return milliseconds and launches."""
        sent, answers = self._process.stdin, self._process.stdout
        if sent is None or answers is None:
            raise RuntimeError("the process has no pipes")
        sent.write(f"{turn}\n")
        sent.flush()
        for line in answers:
            if line.startswith('["ANSWER"'):
                _, took_ms, launches = json.loads(line)
                return took_ms, launches
        raise RuntimeError(f"a side ended with {self._process.wait()}")

    def close(self) -> None:
        """End the process."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait(timeout=60)


def measured(file: Path, driver: str, rounds: int, *, gpu: bool) -> dict[str, Any]:
    """Return the median times of both ways, of their difference, and the launches of one run."""
    if gpu:
        both = Side("both", file, driver, gpu=gpu)
        sides = {"plain": both, "session": both}
    else:
        sides = {name: Side(name, file, driver, gpu=gpu) for name in ("plain", "session")}
    times: dict[str, list[float]] = {"plain": [], "session": []}
    launches = 0
    for number in range(rounds + 1):
        for name, side in sides.items():
            took_ms, counted = side.round(name)
            launches = max(launches, counted)
            if number:
                times[name].append(took_ms)
    for side in set(sides.values()):
        side.close()
    over = [one - other for one, other in zip(times["session"], times["plain"], strict=True)]
    return {
        "plain": median(times["plain"]), "session": median(times["session"]),
        "over": median(over), "launches": launches,
    }  # fmt: skip


def cases(folder: Path, *, gpu: bool) -> dict[str, tuple[Path, str]]:
    """Return file and driver by name."""
    made = {}
    for name, text in (
        ("loop", LOOP), ("indices", INDICES), ("host", HOST), ("names", HOST + NAMES_A_GPU),
    ):  # fmt: skip
        made[name] = folder / f"{name}.py"
        made[name].write_text(text, encoding="utf-8")
    kernels = ROOT / "kernels"
    found = {
        "vector add": (kernels / "vector_add.py", "example(size=98432)"),
        "softmax": (kernels / "softmax.py", "example(n_rows=128, n_cols=781)"),
        "matmul": (kernels / "matmul.py", "example(m=256, n=256, k=256)"),
        "300 launches": (made["loop"], "example()"),
        "large indices": (made["indices"], "example()"),
        "heavy host code": (made["host"], f"example({'cuda' if gpu else 'cpu'!r})"),
        "and names a GPU": (made["names"], f"example({'cuda' if gpu else 'cpu'!r})"),
    }
    if gpu:
        found["vector add 2^26"] = (kernels / "vector_add.py", f"example(size={1 << 26})")
        found["matmul 4096"] = (kernels / "matmul.py", "example(m=4096, n=4096, k=4096)")
    return found


def main() -> None:
    """Print one line a case; end with 1 when a case breaks the bound."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", default="", help="part of a case's name")
    arguments = parser.parse_args()
    gpu = has_nvidia_gpu()
    broken = 0
    print(f"{'case':<16} {'launches':>8} {'plain ms':>9} {'session ms':>10} {'ratio':>6} "
          f"{'ms a launch':>11}  within the bound")  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        for name, (file, driver) in cases(Path(folder), gpu=gpu).items():
            if arguments.only not in name:
                continue
            got = measured(file, driver, arguments.rounds, gpu=gpu)
            over_ms = got["over"]
            allowed_ms = 0.05 * got["plain"] + 5.0 * got["launches"]
            broken += over_ms > allowed_ms
            print(
                f"{name:<16} {got['launches']:>8} {got['plain']:>9.1f} {got['session']:>10.1f} "
                f"{got['session'] / got['plain']:>6.2f} {over_ms / got['launches']:>11.2f}  "
                f"{'yes' if over_ms <= allowed_ms else f'no: {over_ms - allowed_ms:.1f} ms over'}",
                flush=True,
            )
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
