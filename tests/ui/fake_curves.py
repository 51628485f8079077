"""Scripted answers about time, with figures as an H200 gives them (see README and tests/gpu)."""

from __future__ import annotations

import itertools
import math
import random

from playground.model import roofline
from playground.model.config import Config
from playground.model.coverage import Coverage
from playground.model.curve import Axis, Curve, CurveRow, Line, OwnBenchmark, timed_row
from playground.model.device import DeviceInfo
from playground.model.finding import Finding
from playground.model.launch import Launch
from playground.model.nsight import Metric, NsightReport
from playground.model.roofline import Ceilings
from playground.model.stall_reasons import stalls
from playground.protocol import messages, timing

H200 = Ceilings(
    device="NVIDIA H200",
    copy_gbps=4255.0,
    tflops=(
        ("fp16", 712.0), ("bf16", 694.0), ("tf32", 402.0), ("fp32", 50.9), ("fp64", 58.4),
        ("fp8", 1274.0), ("int8", 1310.0), ("fp32 fma", 59.6),
    ),
    measured=True,
    source="measured here: device copy of 1 GiB, products of 8192² matrices by cuBLAS "
    "(torch 2.11.0), reads and multiply-adds by own kernels",
    l2_gbps=9870.0,
    launch_ms=0.00112,
)  # fmt: skip
OWN = OwnBenchmark(
    "benchmark", "vector-add-performance",
    (Axis("size", tuple(1 << bit for bit in range(12, 27, 2))),), ("Triton", "Torch"), "GB/s", 16,
)  # fmt: skip


def median_ms(bytes_unique: int, flops: int, config: Config | None, cache: str) -> float:
    """A launch of so many bytes: the empty kernel, then what memory and blocks allow."""
    rate = 4060.0 if cache == "cold" or bytes_unique > 40e6 else 8200.0
    blocks = [int(v) for n, v in (config.values if config else ()) if n.startswith("BLOCK") and v]
    block = blocks[0] if blocks else 1024
    penalty = 1 + 0.06 * abs(math.log2(block) - 10) if config else 1.0
    work_ms = max(bytes_unique / (rate * 1e6), flops / 6.2e11)
    return 0.00115 + work_ms * penalty


def curve(request: timing.Trace, kernel: str, failing: int = 0) -> list[messages.Reply]:
    """Rows one by one as the engine sends them, then the whole curve.

    Sizes over `failing` (if not 0) do not fit into memory.
    """
    own = bool(request.own)
    axes = OWN.axes if own else request.axes
    lines = tuple(Line(name, None, name) for name in OWN.lines) if own else request.lines
    names = [axis.name for axis in axes]
    kept = tuple(row for row in request.before.rows if row.median_ms) if request.before else ()
    rows = list(kept)
    total = math.prod(len(axis.values) for axis in axes) * len(lines)
    replies: list[messages.Reply] = []
    for values in itertools.product(*(axis.values for axis in axes)):
        sizes = tuple(zip(names, values, strict=True))
        for line in lines:
            if any((row.line, row.sizes) == (line.label, sizes) for row in kept):
                continue
            row = _row(sizes, line, request.cache, failing, own=own)
            rows.append(row)
            text = f"{line.label} at " + ", ".join(f"{n}={v}" for n, v in sizes)
            replies.append(messages.Progress(text, len(rows) / total))
            replies.append(timing.CurveProgress((row,), len(rows), total))
    whole = Curve(
        request.launch, request.own or kernel, axes, tuple(line.label for line in lines),
        tuple(rows), request.cache, own_label=OWN.label if own else "",
    )  # fmt: skip
    return [*replies, timing.Traced(whole)]


def _row(
    sizes: tuple[tuple[str, int], ...], line: Line, cache: str, failing: int, *, own: bool
) -> CurveRow:
    from dataclasses import replace

    elements = math.prod(value for _, value in sizes)
    chance = random.Random(repr((sizes, line.label, cache)))
    if failing and elements > failing:
        return CurveRow(sizes, line.label, reason="CUDA out of memory: tried to allocate 96 GiB")
    if len(sizes) == 1:
        count, flops = 12 * elements, None
    else:
        count, flops = 2 * elements + 4096 * sum(v for _, v in sizes), 2 * 2048 * elements
    middle = median_ms(count, flops or 0, line.config, cache)
    middle *= {"Torch": 1.04, "reference": 1.03}.get(line.label, 1.0)
    spread = 0.004 + 0.05 / (1 + middle * 300)
    samples = [middle * (1 + chance.gauss(0, spread)) for _ in range(48)]
    row = timed_row(sizes, line.label, samples, "cupti", count, flops)
    if own:
        return replace(row, bytes_unique=None, flops=None, own=count / (row.median_ms * 1e6))
    return row


COMMAND = (
    "ncu --nvtx --nvtx-include playground/ --clock-control none --cache-control all "
    "--target-processes all --section SpeedOfLight --section MemoryWorkloadAnalysis "
    "--section Occupancy --section WarpStateStats --section LaunchStats "
    "--section SchedulerStats --metrics "
    "'regex:smsp__average_warps_issue_stalled_.*_per_issue_active\\.ratio' "
    "--csv --page details triton-playground replay "
    "/home/user/vector_add.py --launch 0 --set BLOCK_SIZE=512"
)
_SOL, _MEMORY = "GPU Speed Of Light Throughput", "Memory Workload Analysis"
_WARPS, _LAUNCH = "Warp State Statistics", "Launch Statistics"
NSIGHT = NsightReport(
    "add_kernel",
    (
        Metric(_SOL, "DRAM Frequency", "3.20", "Ghz"),
        Metric(_SOL, "SM Frequency", "1.78", "Ghz"),
        Metric(_SOL, "Elapsed Cycles", "4,021", "cycle"),
        Metric(_SOL, "Memory Throughput", "58.41", "%"),
        Metric(_SOL, "DRAM Throughput", "10.92", "%"),
        Metric(_SOL, "Duration", "2.26", "us"),
        Metric(_SOL, "L1/TEX Cache Throughput", "31.07", "%"),
        Metric(_SOL, "L2 Cache Throughput", "58.41", "%"),
        Metric(_SOL, "Compute (SM) Throughput", "9.83", "%"),
        Metric(_MEMORY, "Memory Throughput", "523.18", "Gbyte/s"),
        Metric(_MEMORY, "Mem Busy", "31.80", "%"),
        Metric(_MEMORY, "Max Bandwidth", "58.41", "%"),
        Metric(_MEMORY, "L1/TEX Hit Rate", "0", "%"),
        Metric(_MEMORY, "L2 Hit Rate", "34.12", "%"),
        Metric("Occupancy", "Block Limit Registers", "21", "block"),
        Metric("Occupancy", "Theoretical Occupancy", "100", "%"),
        Metric("Occupancy", "Theoretical Active Warps per SM", "64", "warp"),
        Metric("Occupancy", "Achieved Occupancy", "31.42", "%"),
        Metric("Occupancy", "Achieved Active Warps Per SM", "20.11", "warp"),
        Metric(_WARPS, "Warp Cycles Per Issued Instruction", "48.70", "cycle"),
        Metric(_WARPS, "Avg. Active Threads Per Warp", "32", ""),
        Metric(_LAUNCH, "Block Size", "128", ""),
        Metric(_LAUNCH, "Grid Size", "193", ""),
        Metric(_LAUNCH, "Registers Per Thread", "18", "register/thread"),
        Metric(_LAUNCH, "Dynamic Shared Memory Per Block", "0", "byte/block"),
        Metric("Scheduler Statistics", "No Eligible", "89.70", "%"),
        Metric("Scheduler Statistics", "Issued Warp Per Scheduler", "0.10", ""),
    ),
    (
        "This kernel grid is too small to fill the available resources on this device, resulting "
        "in only 0.1 full waves across all SMs. Look at Launch Statistics for more details.",
        "On average, each warp of this kernel spends 36.1 cycles being stalled waiting for a "
        "scoreboard dependency on a L1TEX (local, global, surface, texture) operation. This "
        "stall type represents about 74.1% of the total average of 48.7 cycles between issuing "
        "two instructions.",
    ),
    stalls({
        "long_scoreboard": 36.1, "barrier": 4.02, "wait": 2.71, "drain": 1.9, "lg_throttle": 1.24,
        "no_instruction": 0.88, "imc_miss": 0.5, "branch_resolving": 0.22,
        "math_pipe_throttle": 0.08, "not_selected": 0.05, "selected": 1.0, "sleeping": 0.0,
    }),
)  # fmt: skip


class FakeCurves:
    """A part of `FakeEngine`: curves, ceilings, Nsight Compute.

    Sizes over `curve_memory` (if not 0) do not fit into memory.
    """

    device: DeviceInfo
    _launches: tuple[Launch, ...]
    own_benchmarks: tuple[OwnBenchmark, ...] = ()
    curve_memory = 0
    has_nsight = True

    def coverage(self, launch: int, config: Config) -> Coverage:
        raise NotImplementedError

    def _answer_trace(self, request: timing.Trace) -> list[messages.Reply]:
        if self.device.mode != "gpu":
            told = "there is no GPU here: the interpreter's time says nothing to draw"
            return [messages.Finished(findings=(Finding("error", "timing", told),))]
        kernel = self._launches[request.launch].kernel
        return curve(request, kernel, self.curve_memory)

    def _answer_getownbenchmarks(self, _request: timing.GetOwnBenchmarks) -> list[messages.Reply]:
        return [timing.OwnBenchmarks(self.own_benchmarks)]

    def _answer_getroofline(self, request: timing.GetRoofline) -> list[messages.Reply]:
        standing = roofline.standing(self.coverage(request.launch, request.config), H200)
        return [
            messages.Progress("measuring the ceiling of fp16", 0.2),
            timing.Roofline(request.launch, request.config, H200, standing),
        ]

    def _answer_profile(self, request: timing.Profile) -> list[messages.Reply]:
        if not self.has_nsight:
            why = "Nsight Compute (ncu) is not on the PATH"
            return [timing.Profiled(request.launch, request.config, None, COMMAND, why)]
        return [
            messages.Progress("Nsight Compute is profiling the launch"),
            timing.Profiled(request.launch, request.config, NSIGHT, COMMAND),
        ]
