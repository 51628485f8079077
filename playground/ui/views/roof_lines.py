"""The lines of a roofline, from ceilings: one over intensity, one over bytes for plain kernels."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from playground.ui.views.formatting import significant, time_text

if TYPE_CHECKING:
    from playground.model.coverage import Coverage
    from playground.model.roofline import Ceilings
    from playground.ui.document_roofline import RoofPoint

Kind = Literal["roof", "memory", "l2", "arithmetic", "launch"]


@dataclass(frozen=True)
class RoofLine:
    """A ceiling as a line between points (x, y); `text` names it with its figure."""

    kind: Kind
    text: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class RoofPicture:
    """What is drawn: axes, ranges, ceilings, and the roof over this launch.

    `over` is `intensity` (TFLOP/s over operations per byte) where `tl.dot` was counted, else
    `bytes` (GB/s over the bytes moved): such a kernel has no place on the other one.
    """

    over: Literal["intensity", "bytes"]
    x_range: tuple[float, float]
    y_range: tuple[float, float]
    lines: tuple[RoofLine, ...]
    roof: RoofLine
    x: float

    def top(self, x: float) -> float:
        """Return the roof's height at `x`."""
        return _height(self.roof.points, x)


def picture(ceilings: Ceilings, counted: Coverage, points: tuple[RoofPoint, ...]) -> RoofPicture:
    """Return the roofline of a counted launch."""
    if counted.flops and any(ceilings.rate(kind) for kind, _ in counted.flops_by_kind):
        return _over_intensity(ceilings, counted, points)
    return _over_bytes(ceilings, counted, points)


def place(point: RoofPoint, over: str) -> tuple[float, float]:
    """Return where a point stands."""
    if over == "intensity":
        return point.intensity, point.tflops
    return float(point.bytes_unique), point.gbps


def rate_text(gbps: float) -> str:
    """Return a rate of bytes with its unit."""
    return f"{significant(gbps, 4)} GB/s"


def _over_intensity(
    ceilings: Ceilings, counted: Coverage, points: tuple[RoofPoint, ...]
) -> RoofPicture:
    kinds = [(kind, flops) for kind, flops in counted.flops_by_kind if ceilings.rate(kind)]
    main = max(kinds, key=lambda pair: pair[1])[0]
    used = {kind: ceilings.rate(kind) or 0.0 for kind, _ in kinds}
    fma = ceilings.rate("fp32 fma")
    top = used[main]
    slope = ceilings.copy_gbps / 1e3  # TFLOP/s for each operation per byte
    ridge = top / slope
    x = counted.flops / counted.bytes_unique
    xs = [ridge, x, *(point.intensity for point in points if point.flops)]
    low, high = min(xs) / 12, max(xs) * 12
    lines = [
        RoofLine(
            "memory", f"device memory {rate_text(ceilings.copy_gbps)}",
            ((low, low * slope), (ridge, top)),
        )
    ]  # fmt: skip
    if ceilings.l2_gbps:
        steep = ceilings.l2_gbps / 1e3
        lines.append(
            RoofLine(
                "l2", f"L2 {rate_text(ceilings.l2_gbps)}",
                ((low, low * steep), (max(top / steep, low), max(top, low * steep))),
            )
        )  # fmt: skip
    rates = {**used, **({"fp32 fma": fma} if fma else {})}
    for kind, rate in rates.items():
        start = max(rate / slope, low)
        text = f"{kind} {significant(rate, 3)} TFLOP/s"
        lines.append(RoofLine("arithmetic", text, ((start, rate), (high, rate))))
    roof = RoofLine("roof", "", ((low, low * slope), (ridge, top), (high, top)))
    ys = [y for line in lines for _, y in line.points]
    ys += [point.tflops for point in points if point.flops]
    bottom = min([low * slope, *(point.tflops for point in points if point.flops)])
    return RoofPicture(
        "intensity", (low, high), (bottom / 1.5, max(ys) * 2.2), tuple(lines), roof, x
    )


def _over_bytes(
    ceilings: Ceilings, counted: Coverage, points: tuple[RoofPoint, ...]
) -> RoofPicture:
    memory = ceilings.copy_gbps
    launch_ms = ceilings.launch_ms
    x = float(counted.bytes_unique)
    ridge = memory * launch_ms * 1e6 if launch_ms else x
    xs = [ridge, x, *(float(point.bytes_unique) for point in points)]
    low, high = min(xs) / 12, max(xs) * 12
    lines = []
    if launch_ms:
        slope = 1 / (launch_ms * 1e6)
        lines.append(
            RoofLine(
                "launch", f"an empty kernel takes {time_text(launch_ms)}",
                ((low, low * slope), (ridge, memory)),
            )
        )  # fmt: skip
        roof = RoofLine("roof", "", ((low, low * slope), (ridge, memory), (high, memory)))
    else:
        roof = RoofLine("roof", "", ((low, memory), (high, memory)))
    lines.append(
        RoofLine("memory", f"device memory {rate_text(memory)}", (
            (ridge if launch_ms else low, memory), (high, memory)))
    )  # fmt: skip
    if ceilings.l2_gbps:
        start = ceilings.l2_gbps * launch_ms * 1e6 if launch_ms else low
        lines.append(
            RoofLine("l2", f"L2 {rate_text(ceilings.l2_gbps)}", (
                (start, ceilings.l2_gbps), (high, ceilings.l2_gbps)))
        )  # fmt: skip
    ys = [y for line in lines for _, y in line.points] + [point.gbps for point in points]
    bottom = min([roof.points[0][1], *(point.gbps for point in points), memory / 30])
    return RoofPicture("bytes", (low, high), (bottom / 1.5, max(ys) * 2.2), tuple(lines), roof, x)


def _height(points: tuple[tuple[float, float], ...], x: float) -> float:
    """Return the height of a line that is straight on logarithmic axes."""
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        if x <= x1 or (x1, y1) == points[-1]:
            if y0 == y1 or x0 == x1:
                return y1
            return y0 * x / x0  # every slant here is a rate: height in proportion to x
    return points[-1][1]
