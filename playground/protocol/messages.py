"""Every message that crosses between the two processes.

The window sends a request on the main comm (it waits its turn behind the console) or the side comm
(answered at once, from the engine's subshell). Every reply and event carries the request's `job`.
A request's class names what it is; `codec` finds the class by that name.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from playground.model.check import CheckResult
from playground.model.compiling import CompileReport
from playground.model.config import Config
from playground.model.coverage import Coverage
from playground.model.device import DeviceInfo
from playground.model.finding import Finding
from playground.model.knobs import KnobValue
from playground.model.launch import Launch
from playground.model.measurement import CacheMode, ClockState, Measurement
from playground.model.sweep import SweepResult, SweepRow
from playground.protocol.timing import (
    Compare,
    Compared,
    CurveProgress,
    Energies,
    Floor,
    GetEnergy,
    GetFloor,
    GetHostCost,
    GetOwnBenchmarks,
    GetRoofline,
    HostCosts,
    OwnBenchmarks,
    Profile,
    Profiled,
    Roofline,
    Trace,
    Traced,
)

Step = Literal["compile", "check", "measure", "coverage"]
Paint = Literal["owner", "loads", "stores"]

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
    machine, or the chosen default without one.
    """

    launch: int
    config: Config
    steps: tuple[Step, ...]
    revision: int
    budget_ms: float
    cache: CacheMode
    target: str | None = None


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
    """Try every config of the space: `values` per knob, else a few steps around `config`."""

    launch: int
    config: Config
    values: dict[str, tuple[KnobValue, ...]]
    target: str | None = None
    budget_ms: float = 50.0


@dataclass(frozen=True)
class Export:
    """Ask for the text of the tuned `.py` of a launch under `config`.

    With `keep_autotune` the kernel's autotuner keeps its configs, this one first.
    """

    launch: int
    config: Config
    keep_autotune: bool = False


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


# ---------------------------------------------------------------- replies


@dataclass(frozen=True)
class Ready:
    """The engine is up: what it runs on."""

    version: int
    device: DeviceInfo
    targets: tuple[str, ...]
    interrupted_by: str = ""


@dataclass(frozen=True)
class Progress:
    """How far a job is: `fraction` in [0, 1], or None while it cannot be told."""

    text: str
    fraction: float | None = None


@dataclass(frozen=True)
class RunResult:
    """What a run captured; `result` is the driver's value as text."""

    launches: tuple[Launch, ...]
    findings: tuple[Finding, ...]
    result: str
    elapsed_ms: float
    modified_files: tuple[str, ...] = ()


@dataclass(frozen=True)
class Compiled:
    """The compile step of a replay, or its failure as findings."""

    revision: int
    report: CompileReport | None
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class Unusable:
    """Configs of a launch that cannot run on `target`, as compiling found, and why each cannot.

    Sent as soon as it is known, from compiling ahead too, so that sliders mark the values.
    """

    launch: int
    target: str
    configs: tuple[Config, ...]
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class Checked:
    """The check step of a replay; `derived` names knobs found to be dictated by the data."""

    revision: int
    config: Config
    result: CheckResult
    findings: tuple[Finding, ...] = ()
    derived: tuple[str, ...] = ()


@dataclass(frozen=True)
class Measured:
    """The measure step of a replay, quick or full."""

    revision: int
    measurement: Measurement | None
    findings: tuple[Finding, ...] = ()
    engine_ms: float = 0.0


@dataclass(frozen=True)
class Covered:
    """The coverage step of a replay."""

    revision: int
    coverage: Coverage | None
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class Finished:
    """The last reply of every job; failures that ended it are findings.

    `fatal` means the engine's process can no longer be used (a poisoned CUDA context): the window
    restarts it and loads the file again.
    """

    cancelled: bool = False
    fatal: bool = False
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class Ir:
    """One stage's text; `lines` gives each text line's source line, 0 for none."""

    stage: str
    text: str
    lines: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Plane:
    """A picture of a tensor: reduced counters for the rectangle asked for.

    `values` is int32 (rows, columns): the owner program (-1 unwritten), or the loads or stores of
    each pixel's elements (the maximum). `flags` is uint8 of the same shape: bit 0 some element of
    the pixel is unwritten, bit 1 some element was written by several programs. `plane_rows`,
    `plane_columns` are the size of the whole plane; `row_stride` is the fold of a 1D tensor.
    """

    tensor: str
    paint: Paint
    view: PlaneView
    plane_rows: int
    plane_columns: int
    values: np.ndarray
    flags: np.ndarray
    programs: int
    maximum: int


@dataclass(frozen=True, eq=False)
class ProgramFootprint:
    """What one program touches in a rectangle: uint8 (rows, columns), bit 0 loads, bit 1 stores."""

    tensor: str
    program: int
    view: PlaneView
    touched: np.ndarray
    loads: int
    stores: int


@dataclass(frozen=True)
class Element:
    """Exact counters of one element; programs are linear ids, -1 for none."""

    tensor: str
    index: tuple[int, ...]
    loads: int
    stores: int
    owner: int
    first_loader: int
    last_loader: int
    multi_written: bool


@dataclass(frozen=True)
class SweepProgress:
    """Rows that came in since the last message, and how far the sweep is."""

    rows: tuple[SweepRow, ...]
    done: int
    total: int


@dataclass(frozen=True)
class Swept:
    """The whole sweep."""

    result: SweepResult


@dataclass(frozen=True)
class Exported:
    """The tuned file's text and a name for it."""

    text: str
    suggested_name: str
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class Clocks:
    """The GPU's state now; all None without one."""

    state: ClockState


Request = (
    Run | Replay | CompileAhead | GetIr | GetProgram | Sweep | Export
    | Compare | Trace | GetRoofline | GetHostCost | GetEnergy | GetFloor | Profile
    | GetOwnBenchmarks
    | Hello | Cancel | GetPlane | GetElement | GetClocks
)  # fmt: skip
Reply = (
    Ready | Progress | RunResult | Compiled | Unusable | Checked | Measured | Covered | Finished
    | Ir | Plane | ProgramFootprint | Element | SweepProgress | Swept | Exported | Clocks
    | Compared | CurveProgress | Traced | Roofline | HostCosts | Energies | Floor | Profiled
    | OwnBenchmarks
)  # fmt: skip
