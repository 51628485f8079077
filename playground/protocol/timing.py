"""Messages about time: comparisons, curves, ceilings, energy, host cost, Nsight Compute."""

from __future__ import annotations

from dataclasses import dataclass

from playground.model.comparison import Comparison
from playground.model.config import Config
from playground.model.curve import Axis, Curve, CurveRow, Line, OwnBenchmark
from playground.model.measurement import CacheMode, Energy, HostCost
from playground.model.nsight import NsightReport
from playground.model.roofline import Ceilings, Standing

# ---------------------------------------------------------------- requests on the main comm


@dataclass(frozen=True)
class Compare:
    """Time a launch under `config` in turns with `against`, or with `expression` where it is None.

    `more` goes on measuring the same two, keeping the rounds there are.
    """

    launch: int
    config: Config
    against: Config | None
    expression: str
    cache: CacheMode
    budget_ms: float
    more: Comparison | None = None


@dataclass(frozen=True)
class Trace:
    """Time a launch over problem sizes; `before` holds rows of an earlier curve to keep.

    With `own` the file's benchmark of that name runs instead, over its own sizes and lines.
    """

    launch: int
    axes: tuple[Axis, ...]
    lines: tuple[Line, ...]
    cache: CacheMode
    budget_ms: float
    before: Curve | None = None
    own: str = ""


@dataclass(frozen=True)
class GetOwnBenchmarks:
    """Ask which `triton.testing.Benchmark` objects the file has."""


@dataclass(frozen=True)
class GetRoofline:
    """Ask where a launch stands under the roof of this GPU, or of `target` where there is none.

    `again` measures the ceilings anew.
    """

    launch: int
    config: Config
    target: str | None = None
    again: bool = False


@dataclass(frozen=True)
class GetHostCost:
    """Ask what a launch costs the host: first call, cold start, cached call."""

    launch: int
    config: Config


@dataclass(frozen=True)
class GetEnergy:
    """Ask for the energy of one launch, from running it for a second."""

    launch: int
    config: Config


@dataclass(frozen=True)
class GetFloor:
    """Ask for the noise floor of a launch on this machine."""

    launch: int
    config: Config
    cache: CacheMode


@dataclass(frozen=True)
class Profile:
    """Run Nsight Compute on exactly this launch under `config`."""

    launch: int
    config: Config


# ---------------------------------------------------------------- replies


@dataclass(frozen=True)
class Compared:
    """A comparison as it stands."""

    comparison: Comparison


@dataclass(frozen=True)
class CurveProgress:
    """Rows that came in since the last message, and how far the curve is."""

    rows: tuple[CurveRow, ...]
    done: int
    total: int


@dataclass(frozen=True)
class Traced:
    """The whole curve."""

    curve: Curve


@dataclass(frozen=True)
class OwnBenchmarks:
    """The file's own benchmarks."""

    benchmarks: tuple[OwnBenchmark, ...]


@dataclass(frozen=True)
class Roofline:
    """The ceilings and where the launch stands under them; no standing where nothing is counted."""

    launch: int
    config: Config
    ceilings: Ceilings
    standing: Standing | None


@dataclass(frozen=True)
class HostCosts:
    """What the host pays."""

    launch: int
    config: Config
    cost: HostCost


@dataclass(frozen=True)
class Energies:
    """What a launch uses."""

    launch: int
    config: Config
    energy: Energy


@dataclass(frozen=True)
class Floor:
    """The noise floor of a launch, relative."""

    launch: int
    cache: CacheMode
    floor: float


@dataclass(frozen=True)
class Profiled:
    """What Nsight Compute says, or why it says nothing; `command` is for running it by hand."""

    launch: int
    config: Config
    report: NsightReport | None
    command: str
    why: str = ""
