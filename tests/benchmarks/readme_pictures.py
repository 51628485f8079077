"""Takes every picture of the README again, each with the command that its kernel needs.

    python -m tests.benchmarks.readme_pictures [--only NAME ...] [--folder FOLDER]

Run from the checkout's root on the machine with the GPU; what a machine without one cannot show is
left out and said. The figures of the README's tables are printed by the other scripts of this
folder: `--figures` runs those as well and keeps what each prints beside the pictures.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIMIT_S = 420
FIGURES: dict[str, tuple[str, ...]] = {
    "timing_truth": (), "kernel_ceilings": ("--likely",), "kernel_variants": (),
    "capture_overhead": (), "coverage_speed": (), "coverage_cpu": (), "schedule_speed": (),
    "slider_latency": (), "startup": (), "felt": (), "file_switch": (),
    "sweep_speed": ("--prestart", "--verify"), "search_quality": (), "compile_speed": (),
    "compile_latency": (), "coverage_views": (), "sweep_views": (), "ir_views": (),
    "interpreter_speed": (), "advisor_tries": (),
}  # fmt: skip
"""Scripts whose figures stand in the README, and their options."""
APART = {
    "sweep_gpus": "two GPUs",
    "record_sweeps": "writes what search_quality reads, two minutes of a GPU to itself",
    "sweep_pipeline": "a GPU that is made up: no figure of the README is its",
    "likely_configs": "a list for kernel_ceilings",
}
"""Scripts that the README names beside its figures, and why they do not run with the others."""


@dataclass(frozen=True)
class Shot:
    """One picture: its name in `assets/pictures`, the file it shows, options of the photograph."""

    name: str
    kernel: str
    options: tuple[str, ...]
    needs_gpu: bool = True


SHOTS = (
    Shot("matmul", "matmul", ("--problem", '{"m": 4096, "n": 4096, "k": 4096}', "--config",
         '{"BLOCK_M": 128, "BLOCK_N": 256, "BLOCK_K": 64, "num_warps": 8}')),
    Shot("compare", "vector_add", ("--problem", '{"size": 16777216}', "--config",
         '{"BLOCK_SIZE": 4096, "num_warps": 2}', "--compare", "reference", "--front",
         "compare,telemetry")),
    Shot("roofline", "matmul", ("--problem", '{"m": 4096, "n": 4096, "k": 4096}', "--nsight",
         "--front", "roofline,nsight")),
    Shot("vector_add_dark", "vector_add", ("--problem", '{"size": 16777216}', "--theme", "dark")),
    Shot("schedule", "matmul", ("--problem", '{"m": 4096, "n": 4096, "k": 4096}', "--config",
         '{"BLOCK_M": 128, "BLOCK_N": 128}', "--front", "schedule")),
    Shot("coverage", "matmul", ("--maps", "large", "--program", "5", "--step", "3", "--front",
         "coverage"), needs_gpu=False),
    Shot("compiler", "matmul", ("--compiler", "stages:sass", "--target", "cuda:90", "--line", "61"),
         needs_gpu=False),
    Shot("compiler_compare", "matmul", ("--config", '{"num_warps": 8}', "--compiler",
         "compilations:ttgir", "--target", "cuda:90"), needs_gpu=False),
    Shot("debugger", "matmul", ("--debug", "5:61:3", "--value", "total", "--watch", "total.max()",
         "--front", "debugger"), needs_gpu=False),
    Shot("advisor", "matmul", ("--front", "advisor"), needs_gpu=False),
    Shot("sweep", "matmul", ("--problem", '{"m": 4096, "n": 4096, "k": 4096}', "--sweep",
         "--space", "BLOCK_M=64,128", "--space", "BLOCK_N=64,128,256", "--space", "BLOCK_K=32,64",
         "--space", "num_warps=4,8", "--space", "num_stages=2..4", "--sweep-view", "heat",
         "--front", "sweep", "--timeout", "300")),
)  # fmt: skip


def command(shot: Shot, folder: Path) -> list[str]:
    """Return the command that takes a picture."""
    kernel = ROOT / "kernels" / f"{shot.kernel}.py"
    return [
        sys.executable, "-m", "playground.ui.photograph", *shot.options, str(kernel),
        str(folder / f"{shot.name}.png"),
    ]  # fmt: skip


def main(arguments: list[str] | None = None) -> int:
    """Take the pictures; return 0 when all are there and nothing is missing from them."""
    from playground.engine.machine import has_nvidia_gpu

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", nargs="*", choices=[shot.name for shot in SHOTS])
    parser.add_argument("--folder", type=Path, default=ROOT / "assets" / "pictures")
    parser.add_argument("--figures", action="store_true", help="run the benchmarks as well")
    options = parser.parse_args(arguments)
    options.folder.mkdir(parents=True, exist_ok=True)
    gpu, bad = has_nvidia_gpu(), 0
    environment = {"QT_QPA_PLATFORM": "offscreen", **os.environ}
    for shot in SHOTS:
        if options.only and shot.name not in options.only:
            continue
        if shot.needs_gpu and not gpu:
            print(f"{shot.name:<18} left out: it shows what a GPU does, and there is none")
            continue
        started = time.monotonic()
        done = subprocess.run(
            command(shot, options.folder), cwd=ROOT, env=environment, capture_output=True,
            text=True, timeout=LIMIT_S, check=False,
        )  # fmt: skip
        lines = done.stdout.strip().splitlines()
        try:
            missing = ", ".join(json.loads(lines[-1])["missing"])
        except (IndexError, ValueError):
            missing = done.stderr.strip().splitlines()[-1:] or [f"status {done.returncode}"]
        bad += bool(missing)
        told = f"without {missing}" if missing else "complete"
        print(f"{shot.name:<18} {told}, {time.monotonic() - started:.0f} s", flush=True)
    for name, asked in FIGURES.items() if options.figures else ():
        with (options.folder / f"{name}.txt").open("w") as out:
            status = subprocess.run(
                [sys.executable, "-m", f"tests.benchmarks.{name}", *asked], cwd=ROOT, stdout=out,
                stderr=subprocess.STDOUT, env=environment, check=False,
            ).returncode  # fmt: skip
        bad += bool(status)
        print(f"{name:<18} {'printed' if not status else f'status {status}'}", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())
