"""Problem-size curves: one launch timed over sizes, a line for every config and rival."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from playground.model.config import Config
from playground.model.measurement import CacheMode, ClockSource
from playground.model.statistics import median, median_interval

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Spacing = Literal["linear", "log", "powers of two", "ragged"]
Quantity = Literal["ms", "GB/s", "TFLOP/s", "speed-up", "own"]

MOST_SIZES = 200
_TIE = " = "


class AxisError(ValueError):
    """A range of sizes that makes no axis; the message says why."""


@dataclass(frozen=True)
class Axis:
    """The values that a problem size takes, in order; those of `m = n = k` move together.

    Rows name their size as their axis does.
    """

    name: str
    values: tuple[int, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The problem sizes that move along this axis: mostly one."""
        return names_of(self.name)


def names_of(name: str) -> tuple[str, ...]:
    """Return the problem sizes in an axis's name: `m`, or `m = n = k`, or `m,n,k` as typed."""
    return tuple(part for part in name.replace(",", "=").replace(" ", "").split("=") if part)


def tied(names: Sequence[str]) -> str:
    """Return the name of an axis along which all of `names` move together."""
    return _TIE.join(dict.fromkeys(names))


def spread(sizes: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Return every problem size of a row by its own name."""
    return {each: value for name, value in sizes for each in names_of(name)}


def axis(name: str, low: int, high: int, count: int, spacing: Spacing = "log") -> Axis:
    """Return `count` sizes from `low` to `high`, both included, each once.

    Several names, `m,n,k` or `m = n = k`, are one axis along which they are equal.

    `powers of two` are all there are between the ends; `ragged` adds to each the sizes one below
    and one above, where masks and alignment change. `count` bounds only `linear` and `log`.

    Raises
    ------
    AxisError
        The range is empty, not positive where it must be, or makes too many sizes.
    """
    name = tied(names_of(name))
    if low > high:
        raise AxisError(f"{name} runs from {low} up to {high}: the first is the larger")
    if low < 1:
        raise AxisError(f"{name} starts at {low}: a problem size is at least 1")
    if spacing in ("linear", "log") and count < 2 and low != high:
        raise AxisError(f"{name} needs at least two sizes, not {count}")
    values: Iterable[int]
    if spacing == "linear":
        step = (high - low) / max(count - 1, 1)
        values = [round(low + step * index) for index in range(count)]
    elif spacing == "log":
        ratio = math.log(high / low) / max(count - 1, 1)
        values = [round(low * math.exp(ratio * index)) for index in range(count)]
    else:
        powers = [1 << bit for bit in range(high.bit_length()) if low <= 1 << bit <= high]
        if not powers:
            raise AxisError(f"no power of two lies between {low} and {high}")
        near = (0,) if spacing == "powers of two" else (-1, 0, 1)
        values = [power + shift for power in powers for shift in near if power + shift >= 1]
    found = tuple(sorted(set(values)))
    if len(found) > MOST_SIZES:
        raise AxisError(f"{len(found)} sizes of {name} are too many: up to {MOST_SIZES} are timed")
    return Axis(name, found)


@dataclass(frozen=True)
class OwnBenchmark:
    """A `triton.testing.Benchmark` of the file: what it sweeps, its lines and its quantity."""

    name: str
    title: str
    axes: tuple[Axis, ...]
    lines: tuple[str, ...]
    label: str
    points: int


@dataclass(frozen=True)
class Line:
    """One line of the picture: a config of the launch, or an expression (empty config)."""

    label: str
    config: Config | None = None
    expression: str = ""


@dataclass(frozen=True)
class CurveRow:
    """One point: a line at one size. `reason` says why there is no time, where there is none.

    `own` is what the file's own benchmark made of the time, where it was one of these.
    """

    sizes: tuple[tuple[str, int], ...]
    line: str
    median_ms: float | None = None
    low_ms: float | None = None
    high_ms: float | None = None
    samples: int = 0
    bytes_unique: int | None = None
    flops: int | None = None
    source: ClockSource | None = None
    reason: str = ""
    own: float | None = None

    def value(self, quantity: Quantity, base: CurveRow | None = None) -> float | None:
        """Return the row in a quantity; `speed-up` is over the row `base` of the same sizes."""
        if not self.median_ms:
            return None
        if quantity == "ms":
            return self.median_ms
        if quantity == "own":
            return self.own
        if quantity == "GB/s":
            return self.bytes_unique / (self.median_ms * 1e6) if self.bytes_unique else None
        if quantity == "TFLOP/s":
            return self.flops / (self.median_ms * 1e9) if self.flops else None
        return base.median_ms / self.median_ms if base is not None and base.median_ms else None


def timed_row(
    sizes: tuple[tuple[str, int], ...],
    line: str,
    samples_ms: Sequence[float],
    source: ClockSource,
    bytes_unique: int | None,
    flops: int | None,
) -> CurveRow:
    """Return the row for samples of one line at one size."""
    low, high = median_interval(samples_ms)
    return CurveRow(
        sizes, line, median(samples_ms), low, high, len(samples_ms), bytes_unique, flops, source
    )


@dataclass(frozen=True)
class Curve:
    """Every row timed, line by line within each size.

    `own_label` names the quantity `own`, as the file's benchmark does.
    """

    launch: int
    kernel: str
    axes: tuple[Axis, ...]
    lines: tuple[str, ...]
    rows: tuple[CurveRow, ...]
    cache: CacheMode
    cancelled: bool = False
    notes: tuple[str, ...] = ()
    own_label: str = ""

    def of_line(self, line: str) -> tuple[CurveRow, ...]:
        """Return the rows of one line in the order of their sizes."""
        return tuple(sorted((row for row in self.rows if row.line == line), key=lambda r: r.sizes))

    def row(self, line: str, sizes: tuple[tuple[str, int], ...]) -> CurveRow | None:
        """Return the row of a line at given sizes, or None."""
        return next((row for row in self.rows if row.line == line and row.sizes == sizes), None)

    def quantities(self) -> tuple[Quantity, ...]:
        """Return what can be drawn of these rows."""
        found: list[Quantity] = ["ms"]
        if any(row.own is not None for row in self.rows):
            found.insert(0, "own")
        if any(row.bytes_unique for row in self.rows):
            found.append("GB/s")
        if any(row.flops for row in self.rows):
            found.append("TFLOP/s")
        if len(self.lines) > 1:
            found.append("speed-up")
        return tuple(found)

    def as_csv(self) -> str:
        """Return every row with its figures, one line each under a header."""
        names = [name for item in self.axes for name in item.names]
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow([
            *names, "line", "median_ms", "low_ms", "high_ms", "samples", "bytes_unique", "flops",
            "gbps", "tflops", "own", "source", "cache", "reason",
        ])  # fmt: skip
        for row in self.rows:
            sizes = spread(row.sizes)
            writer.writerow([
                *(sizes.get(name, "") for name in names), row.line, _text(row.median_ms),
                _text(row.low_ms), _text(row.high_ms), row.samples, _text(row.bytes_unique),
                _text(row.flops), _text(row.value("GB/s")), _text(row.value("TFLOP/s")),
                _text(row.own), row.source or "", self.cache, row.reason,
            ])  # fmt: skip
        return stream.getvalue()


def _text(value: float | None) -> str:
    return "" if value is None else repr(value)
