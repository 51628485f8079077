"""Nsight Compute on exactly one launch: the command, running it, and reading what it says."""

from __future__ import annotations

import csv
import io
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from playground.engine.job import Job
from playground.model.nsight import Metric, NsightReport

if TYPE_CHECKING:
    from collections.abc import Sequence

RANGE = "playground"
"""The NVTX range round the launch that is profiled; everything outside it is left alone."""
SECTIONS = (
    "SpeedOfLight", "MemoryWorkloadAnalysis", "Occupancy", "WarpStateStats", "LaunchStats",
    "SchedulerStats",
)  # fmt: skip
LIMIT_S = 180.0
_POLL_S = 0.2


class NsightError(RuntimeError):
    """Nsight Compute is missing, not allowed, or profiled nothing; the message says what to do."""


def command(target: Sequence[str], log: str | None = None) -> list[str]:
    """Return the command that profiles `target` (itself a command that replays one launch).

    Clocks are left as they are (`--clock-control none`): locking them needs rights and changes the
    machine for others. Caches are flushed before each pass, so figures are those of a cold L2.
    """
    ncu = shutil.which("ncu") or "ncu"
    line = [ncu, "--nvtx", "--nvtx-include", f"{RANGE}/", "--clock-control", "none"]
    line += ["--cache-control", "all", "--target-processes", "all"]
    for section in SECTIONS:
        line += ["--section", section]
    line += ["--csv", "--page", "details"]
    if log is not None:
        line += ["--log-file", log]
    return [*line, *target]


def replay_command(path: str, options: Sequence[str], *, installed: bool = False) -> list[str]:
    """Return the command that replays one launch of `path` once, inside the range."""
    start = ["triton-playground"] if installed else [sys.executable, "-m", "playground"]
    return [*start, "replay", path, *options]


def copyable(path: str, options: Sequence[str]) -> str:
    """Return the command line for a user to run where `ncu` is."""
    line = command(replay_command(path, options, installed=True))
    return shlex.join(["ncu", *line[1:]])


def profile(path: str, options: Sequence[str], job: Job | None = None) -> NsightReport:
    """Profile one launch of `path` and return what Nsight Compute found.

    Raises
    ------
    NsightError
        `ncu` is not there, its counters are not allowed, or nothing was profiled; the message ends
        with the command to run by hand.
    """
    if shutil.which("ncu") is None:
        raise NsightError(
            "Nsight Compute (ncu) is not on the PATH; where it is, run: " + copyable(path, options)
        )
    job = job or Job()
    with tempfile.TemporaryDirectory(prefix="playground-ncu-") as folder:
        log = Path(folder) / "report.csv"
        line = command(replay_command(path, options), str(log))
        said = _run(line, job)
        text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    report = parse(text)
    if not report.metrics:
        raise NsightError(_why(text + said) + "; by hand: " + copyable(path, options))
    return report


def _run(line: list[str], job: Job) -> str:
    job.progress("Nsight Compute is profiling the launch")
    root = str(Path(__file__).resolve().parents[2])
    paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
    process = subprocess.Popen(
        line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
    )  # fmt: skip
    try:
        waited_s = 0.0
        while True:
            try:
                return process.communicate(timeout=_POLL_S)[0]
            except subprocess.TimeoutExpired:
                waited_s += _POLL_S
                job.check()
                if waited_s > LIMIT_S:
                    raise NsightError(f"Nsight Compute was not done after {LIMIT_S:g} s") from None
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()


def parse(text: str) -> NsightReport:
    """Return the metrics in the CSV of `ncu --page details`; the rest is skipped."""
    lines = text.splitlines()
    start = next((i for i, row in enumerate(lines) if row.startswith('"ID"')), None)
    if start is None:
        return NsightReport("", ())
    kernel = ""
    metrics: list[Metric] = []
    advice: list[str] = []
    for row in csv.DictReader(io.StringIO("\n".join(lines[start:]))):
        kernel = kernel or (row.get("Kernel Name") or "")
        name, value = row.get("Metric Name") or "", row.get("Metric Value") or ""
        if name:
            section = row.get("Section Name") or ""
            metrics.append(Metric(section, name, value, row.get("Metric Unit") or ""))
        told = (row.get("Rule Description") or "").strip()
        if told and told not in advice:
            advice.append(told)
    return NsightReport(kernel, tuple(metrics), tuple(advice))


def _why(text: str) -> str:
    if "ERR_NVGPUCTRPERM" in text:
        return (
            "the driver keeps performance counters to administrators (ERR_NVGPUCTRPERM): see "
            "https://developer.nvidia.com/ERR_NVGPUCTRPERM"
        )
    lines = [line for line in text.splitlines() if "==ERROR==" in line or "==WARNING==" in line]
    return lines[0].strip() if lines else "Nsight Compute profiled no launch"
