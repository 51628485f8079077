"""The roofline: what a GPU's memory and arithmetic allow a launch, and where it stands under that.

Samuel Williams, Andrew Waterman, David Patterson: Roofline, CACM 52(4), 2009.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from playground.model.coverage import Coverage
    from playground.model.measurement import Measurement
    from playground.model.targets import Gpu

Bound = Literal["memory", "arithmetic", "launch"]


@dataclass(frozen=True)
class Ceilings:
    """The rates of one GPU: measured on it, or expected from its maker's data sheet.

    `copy_gbps` is device memory, bytes read plus written; `l2_gbps` reads that the L2 serves.
    `tflops` are matrix products by kind (see `FLOP_KINDS`), and `fp32 fma` plain arithmetic.
    `launch_ms` is what an empty kernel takes. `source` says where the figures come from.
    """

    device: str
    copy_gbps: float
    tflops: tuple[tuple[str, float], ...]
    measured: bool
    source: str
    l2_gbps: float | None = None
    launch_ms: float | None = None

    def rate(self, kind: str) -> float | None:
        """Return the rate in TFLOP/s for a kind, or None when it is not known."""
        return dict(self.tflops).get(kind)


@dataclass(frozen=True)
class Standing:
    """One launch under the roof.

    `floor_ms` is the least time the ceilings allow: the larger of moving its bytes once and doing
    its products, and never less than an empty kernel. `share` is that over the measured time, None
    when it was not timed. `intensity` is in operations of `tl.dot` per byte; only those are
    counted, so a kernel without them may be bound by other arithmetic.
    """

    bytes_unique: int
    flops: int
    kind: str
    memory_ms: float
    arithmetic_ms: float
    floor_ms: float
    bound: Bound
    intensity: float
    measured_ms: float | None = None
    notes: tuple[str, ...] = ()

    @property
    def share(self) -> float | None:
        """The floor over the measured time (1 is the roof), or None."""
        return self.floor_ms / self.measured_ms if self.measured_ms else None

    @property
    def tflops(self) -> float | None:
        """Attained rate of `tl.dot` in TFLOP/s, or None."""
        return self.flops / (self.measured_ms * 1e9) if self.measured_ms and self.flops else None

    @property
    def gbps(self) -> float | None:
        """Attained rate of unique bytes in GB/s, or None."""
        return self.bytes_unique / (self.measured_ms * 1e6) if self.measured_ms else None

    def text(self) -> str:
        """Return what bounds it, the floor, and how near it is."""
        what = {
            "memory": "device memory",
            "arithmetic": f"matrix products ({self.kind})",
            "launch": "the launch itself",
        }[self.bound]
        text = f"bound by {what}: at least {duration(self.floor_ms)}"
        if self.share is not None:
            text += f", measured {duration(self.measured_ms or 0.0)}, {self.share:.0%} of the roof"
        return text


def duration(time_ms: float) -> str:
    """Return a time with three figures and the unit that fits it: `1.96 ns`, `12.3 µs`."""
    value, units = time_ms * 1e6, ["ns", "µs", "ms"]
    while float(f"{value:.3g}") >= 1000 and len(units) > 1:
        value /= 1e3
        del units[0]
    return f"{float(f'{value:.3g}'):g} {units[0]}"


def expected(gpu: Gpu) -> Ceilings:
    """Return the ceilings of a GPU that is not here, from its data sheet."""
    return Ceilings(gpu.name, gpu.bandwidth_gbps, gpu.peak_tflops, False, gpu.source)


def standing(
    counted: Coverage, ceilings: Ceilings, measurement: Measurement | None = None
) -> Standing:
    """Return where a counted launch stands under `ceilings`.

    A kind of product whose rate is not known bounds nothing, and a note says so.
    """
    notes: list[str] = []
    memory_ms = counted.bytes_unique / (ceilings.copy_gbps * 1e6) if ceilings.copy_gbps else 0.0
    arithmetic_ms = 0.0
    by_kind = dict(counted.flops_by_kind)
    for kind, flops in by_kind.items():
        rate = ceilings.rate(kind)
        if rate:
            arithmetic_ms += flops / (rate * 1e9)
        else:
            notes.append(f"no ceiling for {kind} products is known of {ceilings.device}")
    if not counted.flops:
        notes.append("only operations of tl.dot are counted: other arithmetic may bound it sooner")
    floor_ms = max(memory_ms, arithmetic_ms)
    bound: Bound = "memory" if memory_ms >= arithmetic_ms else "arithmetic"
    if ceilings.launch_ms is not None and ceilings.launch_ms > floor_ms:
        floor_ms, bound = ceilings.launch_ms, "launch"
    timed = measurement is not None and measurement.source != "interpreter"
    measured_ms = measurement.median_ms if measurement is not None and timed else None
    if measurement is not None and timed and measurement.cache == "warm":
        notes.append("timed with a warm L2: it can stand above the roof of device memory")
    return Standing(
        bytes_unique=counted.bytes_unique,
        flops=counted.flops,
        kind=max(by_kind, key=lambda kind: by_kind[kind]) if by_kind else "",
        memory_ms=memory_ms,
        arithmetic_ms=arithmetic_ms,
        floor_ms=floor_ms,
        bound=bound,
        intensity=counted.flops / counted.bytes_unique if counted.bytes_unique else 0.0,
        measured_ms=measured_ms,
        notes=tuple(notes),
    )
