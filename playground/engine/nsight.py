"""Nsight Compute on exactly one launch: the command, running it, and reading what it says."""

from __future__ import annotations

import csv
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from playground.engine.job import Job
from playground.model.nsight import Metric, NsightReport
from playground.model.stall_reasons import ISSUED, stalls

if TYPE_CHECKING:
    from collections.abc import Sequence

RANGE = "playground"
"""The NVTX range round the launch that is profiled; everything outside it is left alone."""
SECTIONS = (
    "SpeedOfLight", "MemoryWorkloadAnalysis", "Occupancy", "WarpStateStats", "LaunchStats",
    "SchedulerStats",
)  # fmt: skip
STALLS = r"regex:smsp__average_warps_issue_stalled_.*_per_issue_active\.ratio"
"""Warps in each state for every instruction issued, which is the cycles a warp spends in it.

A pattern, because each architecture has some reasons that others lack.
"""
LIMIT_S = 180.0
_POLL_S = 0.2
# By its own name, as it is printed for a metric asked for, or by the label that the section has.
_STALL = re.compile(
    r"smsp__average_warps?(?:_latency)?_issue_stalled_(\w+?)(?:_per_issue_active)?(?:\.ratio)?$"
)
_UNKNOWN_METRIC = re.compile(r"==ERROR==.*\b(?:metrics?|regex)\b", re.IGNORECASE)
_STALL_LABEL = re.compile(r"(?:Stall (\w+(?: \w+)*)|Selected)$")


class NsightError(RuntimeError):
    """Nsight Compute is missing, not allowed, or profiled nothing; a note has the command."""


def command(target: Sequence[str], log: str | None = None, *, waits: bool = True) -> list[str]:
    """Return the command that profiles `target` (itself a command that replays one launch).

    Clocks are left as they are (`--clock-control none`): locking them needs rights and changes the
    machine for others. Caches are flushed before each pass, so figures are those of a cold L2.
    `waits` asks for every stall reason by itself, which the sections do not print.
    """
    ncu = shutil.which("ncu") or "ncu"
    line = [ncu, "--nvtx", "--nvtx-include", f"{RANGE}/", "--clock-control", "none"]
    line += ["--cache-control", "all", "--target-processes", "all"]
    for section in SECTIONS:
        line += ["--section", section]
    if waits:
        line += ["--metrics", STALLS]
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
        `ncu` is not there, its counters are not allowed, or nothing was profiled; a note of the
        error has the command to run by hand (`copyable`).
    """
    if shutil.which("ncu") is None:
        raise _failed("Nsight Compute (ncu) is not on the PATH", path, options)
    job = job or Job()
    target = replay_command(path, options)
    report, said = _profiled(target, job, waits=True)
    if not report.metrics and _UNKNOWN_METRIC.search(said):
        # A version or GPU that has no such metrics: the sections say enough to be worth having.
        report, said = _profiled(target, job, waits=False)
    if not report.metrics:
        raise _failed(_why(said), path, options)
    return report


def _failed(why: str, path: str, options: Sequence[str]) -> NsightError:
    """Return the error that says why, and in a note what to run where it works."""
    error = NsightError(why)
    error.add_note("by hand, where it is allowed: " + copyable(path, options))
    return error


def _profiled(target: list[str], job: Job, *, waits: bool) -> tuple[NsightReport, str]:
    """Return the report, and everything that was printed."""
    with tempfile.TemporaryDirectory(prefix="playground-ncu-") as folder:
        log = Path(folder) / "report.csv"
        said = _run(command(target, str(log), waits=waits), job)
        text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    return parse(text), text + said


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
    """Return the metrics and stall reasons in the CSV of `ncu --page details`, and its advice."""
    lines = text.splitlines()
    start = next((i for i, row in enumerate(lines) if row.startswith('"ID"')), None)
    if start is None:
        return NsightReport("", ())
    kernel = ""
    metrics: list[Metric] = []
    advice: list[str] = []
    waits: dict[str, float] = {}
    for row in csv.DictReader(io.StringIO("\n".join(lines[start:]))):
        kernel = kernel or (row.get("Kernel Name") or "")
        name, value = row.get("Metric Name") or "", row.get("Metric Value") or ""
        if name:
            section = row.get("Section Name") or ""
            metric = Metric(section, name, value, row.get("Metric Unit") or "")
            reason = _reason(name)
            if reason is None:
                metrics.append(metric)
            elif metric.number is not None:
                waits.setdefault(reason, metric.number)
        told = (row.get("Rule Description") or "").strip()
        if told and told not in advice:
            advice.append(told)
    return NsightReport(kernel, tuple(metrics), tuple(advice), stalls(waits))


def _reason(name: str) -> str | None:
    """Return the state that a metric counts, or None where it counts something else."""
    found = _STALL.match(name)
    if found:
        # `..._not_issued` counts part of the same state again.
        return None if found[1].endswith("_not_issued") else found[1]
    label = _STALL_LABEL.match(name)
    if label is None:
        return None
    return (label[1] or ISSUED).lower().replace(" ", "_")


def _why(text: str) -> str:
    if "ERR_NVGPUCTRPERM" in text:
        return (
            "the driver keeps performance counters to administrators (ERR_NVGPUCTRPERM): see "
            "https://developer.nvidia.com/ERR_NVGPUCTRPERM"
        )
    lines = [line for line in text.splitlines() if "==ERROR==" in line or "==WARNING==" in line]
    return lines[0].strip() if lines else "Nsight Compute profiled no launch"
