"""A measurement: the samples and statistics of timing one config."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from playground.model.config import Config
from playground.model.statistics import median, median_interval, quantile

ClockSource = Literal["cupti", "proton", "graph", "events", "interpreter"]
CacheMode = Literal["cold", "warm", "none"]
Stopped = Literal["settled", "budget"]


@dataclass(frozen=True)
class ClockState:
    """The GPU's state at one moment, from NVML; None where it cannot be read.

    `utilisation` is the share of the last sampling period in which a kernel ran, in per cent.
    """

    sm_clock_mhz: int | None = None
    memory_clock_mhz: int | None = None
    temperature_c: int | None = None
    power_w: float | None = None
    throttle: str = ""
    utilisation: int | None = None


@dataclass(frozen=True)
class Energy:
    """Energy of one launch in joules, from `launches` of them in `elapsed_s`; power in watts."""

    joules: float
    power_w: float
    launches: int
    elapsed_s: float


@dataclass(frozen=True)
class HostCost:
    """What the program that launches pays on the CPU, in ms, beside the kernel's own time.

    `first_call_ms` compiles, `cold_start_ms` finds the compiled kernel in Triton's cache on disk,
    as a new process does; `cached_ms` is every later call through `kernel[grid](...)`.
    """

    first_call_ms: float
    cold_start_ms: float
    cached_ms: float


@dataclass(frozen=True)
class Measurement:
    """Samples of one config in milliseconds of kernel time, and where they came from.

    With source `interpreter` the samples are wall time of Triton's interpreter on the CPU: they
    say nothing about a GPU, and no bandwidth is derived from them.
    Sampling ends when the median is `settled` or the `budget_ms` of measuring time is spent.
    `bytes_requested` and `bytes_unique` are counted per launch (see `Coverage`), never typed in.
    `silent_ms` is the median without the kernel's prints, None where it has none.
    """

    launch: int
    config: Config
    samples_ms: tuple[float, ...] = field(repr=False)  # a thousand numbers tell a reader nothing
    source: ClockSource
    cache: CacheMode
    bytes_requested: int | None = None
    bytes_unique: int | None = None
    flops: int | None = None
    host_ms: float | None = None
    before: ClockState = ClockState()
    after: ClockState = ClockState()
    budget_ms: float | None = None
    stopped: Stopped = "budget"
    notes: tuple[str, ...] = ()
    silent_ms: float | None = None

    @property
    def median_ms(self) -> float:
        """Median of the samples in ms."""
        return median(self.samples_ms)

    @property
    def interval_ms(self) -> tuple[float, float]:
        """95 % interval of the median in ms, from order statistics."""
        return median_interval(self.samples_ms)

    @property
    def spread(self) -> float:
        """Interquartile range over the median (no unit)."""
        middle = self.median_ms
        if middle == 0:
            return 0.0
        return (quantile(self.samples_ms, 0.75) - quantile(self.samples_ms, 0.25)) / middle

    @property
    def bandwidth_gbps(self) -> float | None:
        """Unique bytes over the median in GB/s (1e9), or None in the interpreter or uncounted."""
        if self.source == "interpreter" or self.bytes_unique is None or self.median_ms <= 0:
            return None
        return self.bytes_unique / (self.median_ms * 1e6)

    @property
    def tflops(self) -> float | None:
        """Counted `tl.dot` operations over the median in TFLOP/s, or None."""
        if self.source == "interpreter" or not self.flops or self.median_ms <= 0:
            return None
        return self.flops / (self.median_ms * 1e9)
