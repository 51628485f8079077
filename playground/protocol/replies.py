"""What the engine answers; every job ends with `Finished`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from playground.model.check import CheckResult
from playground.model.compiling import CompileReport
from playground.model.config import Config
from playground.model.coverage import Coverage
from playground.model.device import DeviceInfo
from playground.model.finding import Finding
from playground.model.launch import Launch
from playground.model.measurement import ClockState, Measurement
from playground.model.sweep import SweepResult, SweepRow
from playground.model.sweep_sizes import Sizes
from playground.protocol.requests import Paint, PlaneView


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
    """What a run captured; `result` is the driver's value as text.

    `driver` is what ran in place of the driver that was asked for, where the app has changed one
    that it had written itself; else it is empty.
    """

    launches: tuple[Launch, ...]
    findings: tuple[Finding, ...]
    result: str
    elapsed_ms: float
    modified_files: tuple[str, ...] = ()
    driver: str = ""


@dataclass(frozen=True)
class Compiled:
    """The compile step of a replay, or its failure as findings.

    `stages` are those that can be shown where there is no report: what it came through.
    """

    revision: int
    report: CompileReport | None
    findings: tuple[Finding, ...] = ()
    stages: tuple[str, ...] = ()


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
    restarts it and loads the file again. `released` means that the launches asked about were let go
    for other files to have their memory: the window runs the file again.
    """

    cancelled: bool = False
    fatal: bool = False
    findings: tuple[Finding, ...] = ()
    released: bool = False


@dataclass(frozen=True)
class Ir:
    """One stage's text; `lines` gives the source lines behind each text line, innermost first.

    A helper's line is followed by the lines of the file that the call came through; a text line
    that no line of the file is behind has none.
    """

    stage: str
    text: str
    lines: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True, eq=False)
class Plane:
    """A picture of a tensor: reduced counters for the rectangle asked for.

    `values` is int32 (rows, columns): the owner program (-1 unwritten), the lowest program that
    stores (`first`, -1 likewise), or the loads or stores of each pixel's elements (the maximum).
    `flags` is uint8 of the same shape: bit 0 some element of the pixel is unwritten, bit 1 some
    element was written by several programs, bit 3 they stored different values there. `plane_rows`,
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
    """Rows that came in since the last message, and how far the sweep is.

    `eta_s` is about how many seconds are left, None where nothing tells.
    """

    rows: tuple[SweepRow, ...]
    done: int
    total: int
    eta_s: float | None = None


@dataclass(frozen=True)
class Swept:
    """The whole sweep; of several problem sizes that at one of them."""

    result: SweepResult
    sizes: Sizes = ()


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
