"""What the window asks of the engine: on the main comm in turn, on the side comm at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from playground.model.config import Config
from playground.model.knobs import KnobValue
from playground.model.measurement import CacheMode
from playground.model.sweep_plan import Strategy
from playground.model.sweep_sizes import Sizes
from playground.model.sweep_workers import Workers

Step = Literal["compile", "check", "measure", "coverage"]
Paint = Literal["owner", "first", "loads", "stores"]

# ---------------------------------------------------------------- requests on the main comm


@dataclass(frozen=True)
class Run:
    """Execute `text` as the file at `path` in a fresh module, then `driver`; capture every launch.

    `driver` is Python code (`example(size=1000)`), or empty for the `__main__` block. `sizes`
    override problem sizes of `example`. The file's own benchmarks (`do_bench`, `perf_report`) and
    the tuning loops of its autotuners run only when asked for.
    """

    path: str
    text: str
    driver: str
    sizes: dict[str, int] = field(default_factory=dict)
    benchmarks: bool = False
    tuning: bool = False


@dataclass(frozen=True)
class Replay:
    """Replay a launch under `config`, doing `steps` in order; each step's result is its own reply.

    `budget_ms` bounds the measuring. `target` is for the compile step; None means the GPU in the
    machine, or the chosen default without one. With `sample` the coverage of a launch that no GPU
    counts is of so many of its programs; its reply says so (`Coverage.programs_counted`).
    """

    launch: int
    config: Config
    steps: tuple[Step, ...]
    revision: int
    budget_ms: float
    cache: CacheMode
    target: str | None = None
    sample: int | None = None


@dataclass(frozen=True)
class CompileAhead:
    """Compile these configs in idle time so that the next slider tick is a cache hit."""

    launch: int
    configs: tuple[Config, ...]
    target: str | None = None


@dataclass(frozen=True)
class GetIr:
    """Ask for one stage of a compiled config (`ttir`, `ttgir`, `llir`, `ptx`, `sass`, `amdgcn`)."""

    launch: int
    config: Config
    stage: str
    target: str | None = None


@dataclass(frozen=True)
class GetProgram:
    """Ask what one program (linear id) of a covered launch loads and stores in `tensor`."""

    launch: int
    config: Config
    tensor: str
    program: int
    view: PlaneView


@dataclass(frozen=True)
class Sweep:
    """Try every config of the space: `values` per knob, else a few steps around `config`.

    `where` are conditions, `most` bounds the configs tried, `baseline` is timed among the
    finalists, `total_s` ends it after so long. With `resume` the rows of the latest sweep of the
    same launch are taken over. `listed` configs (the file's own) are tried besides; without
    `values` only they are. At several `sizes` each is a sweep of its own: `SweepAt`, its rows, and
    its `Swept`, one after the other. `workers` are one here, one for each of several GPUs, or those
    of a cluster.
    """

    launch: int
    config: Config
    values: dict[str, tuple[KnobValue, ...]]
    target: str | None = None
    budget_ms: float = 50.0
    where: tuple[str, ...] = ()
    strategy: Strategy = "exhaustive"
    most: int | None = None
    baseline: Config | None = None
    resume: bool = False
    listed: tuple[Config, ...] = ()
    sizes: tuple[Sizes, ...] = ()
    total_s: float | None = None
    workers: Workers = field(default_factory=Workers)
    cache: CacheMode = "cold"


@dataclass(frozen=True)
class Export:
    """Ask for the text of the tuned `.py` of a launch under `config`.

    With `keep_autotune` the kernel's autotuner keeps its configs, this one first.
    """

    launch: int
    config: Config
    keep_autotune: bool = False


@dataclass(frozen=True)
class ShowFile:
    """Make the file that the request is about what the console sees: its tab came to the front."""


@dataclass(frozen=True)
class CloseFile:
    """Let go of all that is held of the file that the request is about: its tab was closed."""


# ---------------------------------------------------------------- requests on the side comm


@dataclass(frozen=True)
class Hello:
    """The window's first message; the engine answers `Ready` once torch and triton are imported."""

    version: int


@dataclass(frozen=True)
class Cancel:
    """Stop a job at its next step; its reply is `Finished` with `cancelled`."""

    job: int


@dataclass(frozen=True)
class Pause:
    """Let a job wait at its next step, or go on; a sweep keeps what it has meanwhile."""

    job: int
    paused: bool = True


@dataclass(frozen=True)
class PlaneView:
    """A window on a tensor seen as a plane of rows by columns.

    1D tensors are folded into rows, tensors of 3 and more dimensions are cut by `slices` (the index
    of every dimension before the last two). The rectangle is in elements of that plane;
    `max_rows` by `max_columns` bounds the image that comes back.
    """

    row: int = 0
    column: int = 0
    rows: int = 0
    columns: int = 0
    slices: tuple[int, ...] = ()
    max_rows: int = 1024
    max_columns: int = 1024


@dataclass(frozen=True)
class GetPlane:
    """Ask for the picture of a covered tensor; `rows` 0 in the view means all of it."""

    launch: int
    config: Config
    tensor: str
    paint: Paint
    view: PlaneView


@dataclass(frozen=True)
class GetElement:
    """Ask for the exact counters of one element, by its plane position (see `PlaneView`)."""

    launch: int
    config: Config
    tensor: str
    row: int
    column: int
    slices: tuple[int, ...] = ()


@dataclass(frozen=True)
class GetClocks:
    """Ask for the GPU's clocks, temperature and power now."""
