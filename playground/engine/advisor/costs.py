"""What a launch should take, part by part: the model that expected gains come from.

The parts overlap on a GPU, so the launch takes about as long as the longest of them (the roofline's
idea: Williams, Waterman, Patterson, CACM 52(4), 2009, with more roofs). Each formula is beside its
part. Absolute times are rough; advice only uses the ratio of two of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from playground.engine import compile_remarks
from playground.model.access_site import SECTOR_BYTES

if TYPE_CHECKING:
    from playground.engine.advisor.facts import Facts
    from playground.model.access_site import AccessSite
    from playground.model.machine_code import LineCode

LATENCY_MS = 0.8e-3
"""Assumed time of a dependent load from device memory under load, in ms.

About 500 cycles unloaded on Hopper (Luo et al., Benchmarking and Dissecting the Nvidia Hopper GPU
Architecture via Microbenchmarking, IPDPS 2024), and about three times that when the memory is busy.
"""
START_MS = 0.3e-3
"""Assumed time to start a program and to end it, in ms."""
L2_OVER_MEMORY = 2.0
"""Assumed rate of the L2 over that of device memory, where it was not measured."""
_SCHEDULERS = 4
_BYTES_A_CYCLE = 64
"""Bytes that a multiprocessor exchanges with the L2 a cycle."""
_FP32_LANES = {"cuda:80": 64, "cuda:75": 64, "cuda:70": 64}


@dataclass(frozen=True)
class Costs:
    """Expected times of a launch's parts in ms; a part that nothing is known of is 0.

    `memory_ms`: distinct bytes over the copy rate. `l2_ms`: sectors moved over the L2's rate.
    `arithmetic_ms`: products over their peak, programs dealt out to multiprocessors in whole.
    `latency_ms`: waves of programs, each as long as the loads that wait for one another.
    `issue_ms`: instructions over what the schedulers issue. `spill_ms`: spill traffic over the L1's
    way out. `contention_ms`: atomics on one address, which the L2 does one a cycle. `serial` tells
    that products and their loads take turns, because no loads run ahead; `in_turns` that products
    and all other instructions do, because the assembler lets no product run beside them.
    """

    memory_ms: float = 0.0
    l2_ms: float = 0.0
    arithmetic_ms: float = 0.0
    latency_ms: float = 0.0
    issue_ms: float = 0.0
    spill_ms: float = 0.0
    contention_ms: float = 0.0
    serial: bool = False
    in_turns: bool = False

    @property
    def time_ms(self) -> float:
        """The longest part; spills come on top of what the schedulers issue."""
        loading = max(self.l2_ms, self.latency_ms)
        computing = self.arithmetic_ms + (loading if self.serial else 0.0)
        computing += self.issue_ms if self.in_turns else 0.0
        return max(self.memory_ms, self.l2_ms, computing, self.latency_ms,
                   self.issue_ms + self.spill_ms, self.contention_ms)  # fmt: skip

    @property
    def least_ms(self) -> float:
        """What bytes, products and instructions take at the rates of the GPU, with no waiting."""
        return max(self.memory_ms, self.l2_ms, self.arithmetic_ms, self.issue_ms)

    @property
    def least_bound(self) -> str:
        """What that is, in words."""
        free = replace(self, latency_ms=0.0, spill_ms=0.0, contention_ms=0.0, in_turns=False)
        return free.bound

    @property
    def bound(self) -> str:
        """What the longest part is, in words."""
        parts = {
            "device memory": self.memory_ms,
            "the L2's sectors": self.l2_ms,
            "matrix products": self.arithmetic_ms + (self.issue_ms if self.in_turns else 0.0),
            "waiting for loads": self.latency_ms,
            "issuing instructions": self.issue_ms + self.spill_ms,
            "atomics on one address": self.contention_ms,
        }
        return max(parts, key=lambda name: parts[name])


def costs(facts: Facts) -> Costs:
    """Return the expected times of a launch's parts."""
    if facts.gpu is None or facts.ceilings is None:
        return Costs()
    copy = facts.ceilings.copy_gbps * 1e6
    coverage = facts.coverage
    unique = coverage.bytes_unique if coverage is not None else 0
    return Costs(
        memory_ms=unique / copy if copy else 0.0,
        l2_ms=_l2_ms(facts) if copy else 0.0,
        arithmetic_ms=_arithmetic_ms(facts),
        latency_ms=_latency_ms(facts),
        issue_ms=_issue_ms(facts),
        spill_ms=_spill_ms(facts),
        contention_ms=_contention_ms(facts),
        serial=bool(coverage is not None and coverage.flops) and not is_pipelined(facts),
        in_turns=compile_remarks.products_wait(facts.findings),
    )


# ------------------------------------------------------------------- memory


def l2_gbps(facts: Facts) -> float:
    """Return the L2's rate in GB/s for the multiprocessors that this launch has programs for.

    A multiprocessor takes 64 bytes a cycle at most (NVIDIA H100 Tensor Core GPU Architecture,
    2022).
    """
    if facts.ceilings is None:
        return 1.0
    busy = max(min(facts.multiprocessors, facts.programs), 1)
    return min(whole_l2_gbps(facts), busy * _BYTES_A_CYCLE * clock_ghz(facts))


def _l2_ms(facts: Facts) -> float:
    """Return what the sectors take: full rounds of programs at the L2's rate, the last as it can.

    A round is one program for each multiprocessor. The few programs of a last one have the L2 to
    themselves, but none of them takes more than its multiprocessor does: 64 bytes a cycle.
    """
    total = moved_bytes(facts)
    if not facts.programs:
        return 0.0
    whole, rest = divmod(facts.programs, facts.multiprocessors)
    full = total * whole * facts.multiprocessors / facts.programs
    time = full / (l2_gbps(facts) * 1e6)
    if not rest:
        return time
    each = total / facts.programs / (_BYTES_A_CYCLE * clock_ghz(facts) * 1e6)
    shared = rest * total / facts.programs / (whole_l2_gbps(facts) * 1e6)
    return time + max(each, shared)


def whole_l2_gbps(facts: Facts) -> float:
    """Return the L2's rate in GB/s: measured, else assumed to be twice that of device memory."""
    if facts.ceilings is None:
        return 1.0
    return facts.ceilings.l2_gbps or L2_OVER_MEMORY * facts.ceilings.copy_gbps


def scale(site: AccessSite) -> float:
    """Return how many times more the whole launch asks for than was looked at."""
    return 1 / site.looked_at_share


def moved(site: AccessSite) -> float:
    """Return the bytes of the sectors that a place moves in the whole launch."""
    return site.sectors * SECTOR_BYTES * scale(site)


def needed(site: AccessSite) -> float:
    """Return the bytes of the fewest sectors that could do the same."""
    return site.sectors_least * SECTOR_BYTES * scale(site)


def moved_bytes(facts: Facts) -> float:
    """Return the bytes of all sectors that the launch moves between its programs and the L2."""
    return sum(moved(site) for site in facts.sites)


# ------------------------------------------------------------------- arithmetic


def peak_tflops(facts: Facts, kind: str) -> float | None:
    """Return the rate of a kind of product in TFLOP/s; float16's for bfloat16 and so on."""
    if facts.ceilings is None:
        return None
    alike = {"bf16": "fp16", "fp16": "bf16", "fp32": "fp32 fma"}.get(kind, kind)
    return facts.ceilings.rate(kind) or facts.ceilings.rate(alike)


def uneven(facts: Facts) -> float:
    """Return the busiest multiprocessor's share of the programs over an even share, 1 or more.

    ceil(programs / multiprocessors) * multiprocessors / programs: what a last wave that is not full
    costs where programs share nothing but the multiprocessor they are on.
    """
    each = facts.programs / facts.multiprocessors
    return math.ceil(each) / each if each else 1.0


def _arithmetic_ms(facts: Facts) -> float:
    if facts.coverage is None:
        return 0.0
    total = 0.0
    for kind, flops in facts.coverage.flops_by_kind:
        rate = peak_tflops(facts, kind)
        total += flops / (rate * 1e9) if rate else 0.0
    return total * uneven(facts)


# ------------------------------------------------------------------- waiting


def rounds(facts: Facts) -> float:
    """Return how many loads of one program wait for one another.

    The most often executed load of the program, over the stages by which loads run ahead where a
    loop is pipelined (its machine code has asynchronous copies). Loads of a loop that is unrolled
    wait for nothing: barriers between them keep their order, but let each begin before the one
    before it has arrived.
    """
    text = facts.text
    loads = [
        facts.executions(site) for site in facts.sites
        if site.kind != "store" and not (text is not None and text.is_unrolled(site.line))
    ]  # fmt: skip
    most = max(loads, default=1.0)
    ahead = 1
    stages = facts.config.as_dict().get("num_stages")
    if isinstance(stages, int) and is_pipelined(facts):
        ahead = max(stages - 1, 1)
    return max(most / ahead, 1.0)


def is_pipelined(facts: Facts) -> bool:
    """Tell whether loads run ahead of what needs them, as asynchronous copies."""
    return facts.code is not None and dict(facts.code.total).get("async copy", 0) > 0


def waves(facts: Facts) -> float:
    """Return how many times the programs that fit at once come and go, 1 or more."""
    return max(1.0, facts.programs / (facts.multiprocessors * facts.resident))


def _latency_ms(facts: Facts) -> float:
    # Little's law by programs: as many loads as are in flight end every latency (Volkov,
    # Understanding Latency Hiding on GPUs, UC Berkeley, 2016).
    if not facts.sites:
        return 0.0
    return waves(facts) * (rounds(facts) * LATENCY_MS + START_MS)


def updates_of_one_address(site: AccessSite) -> float:
    """Return how often an atomic's element is updated, on average."""
    if site.kind != "atomic" or not site.bytes_unique:
        return 0.0
    # Of a sample, other programs may update other elements: then this is too little.
    return site.bytes_looked_at / site.bytes_unique


def _contention_ms(facts: Facts) -> float:
    return max((updates_of_one_address(site) for site in facts.sites), default=0.0) / (
        clock_ghz(facts) * 1e6
    )


# ------------------------------------------------------------------- instructions


def clock_ghz(facts: Facts) -> float:
    """Return the clock in GHz that the data sheet's float32 rate implies.

    That rate is multiprocessors * lanes * 2 operations * clock.
    """
    if facts.gpu is None:
        return 1.0
    rate = facts.gpu.peak("fp32")
    lanes = _FP32_LANES.get(facts.target, 128)
    return rate * 1e3 / (facts.gpu.multiprocessors * lanes * 2) if rate else 1.5


def executed(facts: Facts) -> float:
    """Return the instructions that one warp executes: the code's, loops as often as counted."""
    if facts.code is None:
        return 0.0
    total = float(sum(count for kind, count in facts.code.total if kind != "other"))
    for line in facts.code.lines:
        total += _counted(line) * (facts.trips(line.line) - 1)
    return total


def tensor_instructions(facts: Facts) -> int:
    """Return the instructions of the tensor cores in the code."""
    return 0 if facts.code is None else dict(facts.code.total).get("tensor core", 0)


def slots(facts: Facts) -> float:
    """Return the issue slots that one warp takes: a memory instruction takes four of them.

    A multiprocessor has four schedulers and load/store units for one warp a cycle (NVIDIA H100
    Tensor Core GPU Architecture, 2022: 32 of them).
    """
    if facts.code is None:
        return 0.0
    accesses = sum(
        sum(count for kind, count in line.counts if kind in ("wide memory", "narrow memory"))
        * facts.trips(line.line)
        for line in facts.code.lines
    )
    return executed(facts) + (_SCHEDULERS - 1) * accesses


def _counted(line: LineCode) -> int:
    return sum(count for kind, count in line.counts if kind != "other")


def _issue_ms(facts: Facts) -> float:
    busy = min(facts.multiprocessors, facts.programs)
    if not busy:
        return 0.0
    warps = facts.threads / facts.warp_size
    cycles = executed(facts) * warps * facts.programs / (_SCHEDULERS * busy)
    return cycles / (clock_ghz(facts) * 1e6)


def spilled_bytes(facts: Facts) -> float:
    """Return the bytes that all threads move to and from where registers are spilled."""
    if facts.code is None:
        return 0.0
    each = sum(line.spill_bytes * facts.trips(line.line) for line in facts.code.lines)
    return each * facts.threads * facts.programs


def _spill_ms(facts: Facts) -> float:
    busy = min(facts.multiprocessors, facts.programs)
    if not busy:
        return 0.0
    return spilled_bytes(facts) / (busy * _BYTES_A_CYCLE * clock_ghz(facts) * 1e6)
