"""Requests and replies about debugging: one program stepped or run alone, prints, comparisons."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from playground.model.config import Config
from playground.model.debugging import (
    AloneRun,
    Breakpoint,
    Differences,
    NonFinite,
    Prints,
    StepVerb,
    Stop,
)
from playground.model.finding import Finding

DebugMode = Literal["gpu", "interpreter"]
Against = Literal["interpreter", "reference", "captured"]


@dataclass(frozen=True)
class PrepareDebugger:
    """Start the process that interprets programs: it needs seconds. Main comm; no reply."""


@dataclass(frozen=True)
class Debug:
    """Step through one program (linear id) in the interpreter, on copies of the launch's data.

    Main comm; the engine is free again at once. The job replies `DebugStopped` at every stop and
    takes `DebugCommand`s until it ends; cancelling it ends the program, whatever it does. `shown`
    names the value whose elements come along.
    """

    launch: int
    config: Config
    program: int
    breakpoints: tuple[Breakpoint, ...] = ()
    watches: tuple[str, ...] = ()
    shown: str = ""
    stop_at_entry: bool = True


@dataclass(frozen=True)
class DebugCommand:
    """Tell the program that `debugged` (a `Debug`'s job) steps through what to do.

    Side comm. `verb` moves it (`until` runs to `line`). Breakpoints, watches and the shown value
    are replaced where they are given, also while it runs.
    """

    debugged: int
    verb: StepVerb | None = None
    file: str = ""
    line: int = 0
    breakpoints: tuple[Breakpoint, ...] | None = None
    watches: tuple[str, ...] | None = None
    shown: str | None = None


@dataclass(frozen=True, eq=False)
class BlockValue:
    """The elements of a value: float64, int64 or bool, in its shape.

    A pointer's are elements of the tensor `of`. `truncated` says that the block is larger than is
    sent: the first indices of its first dimension are here.
    """

    name: str
    type: str
    data: np.ndarray = field(repr=False)
    of: str = ""
    truncated: bool = False


@dataclass(frozen=True, eq=False)
class DebugStopped:
    """The program stands; `shown` is the value asked for, None where it has none here."""

    stop: Stop
    shown: BlockValue | None = None


@dataclass(frozen=True)
class DebugRunning:
    """The program goes on."""


@dataclass(frozen=True)
class DebugEnded:
    """The program has ended: what it printed and went wrong with; nothing of it is left."""

    prints: Prints
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class RunAlone:
    """Run one program and no other; replied to with `RanAlone`. Main comm."""

    launch: int
    config: Config
    program: int
    mode: DebugMode


@dataclass(frozen=True, eq=False)
class WrittenValues:
    """The elements (counted row by row) that a program wrote to a tensor, before and after."""

    tensor: str
    elements: np.ndarray = field(repr=False)
    before: np.ndarray = field(repr=False)
    after: np.ndarray = field(repr=False)


@dataclass(frozen=True, eq=False)
class RanAlone:
    """What the program did, with the values that it wrote; the first of them where many."""

    run: AloneRun
    values: tuple[WrittenValues, ...]
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class GetPrints:
    """Run a launch, or one program of it, and ask what it prints; replied to with `PrintsOf`."""

    launch: int
    config: Config
    mode: DebugMode
    program: int | None = None


@dataclass(frozen=True)
class PrintsOf:
    """What was printed."""

    prints: Prints
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class HuntNonFinite:
    """Ask where NaN and infinities of a launch come about; replied to with `Hunted`. Main comm."""

    launch: int
    config: Config
    program: int | None = None


@dataclass(frozen=True)
class Hunted:
    """Where they come about."""

    found: NonFinite
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class CompareElements:
    """Compare a launch's result with another one, element by element. Main comm.

    `against` is `interpreter` (the GPU's beside the interpreter's), `reference` or `captured`.
    """

    launch: int
    config: Config
    against: Against


@dataclass(frozen=True, eq=False)
class ErrorMap:
    """How far a tensor's elements are off, as a picture: the largest error of each pixel's.

    `errors` is float64 (rows, columns), NaN where nothing was compared, `ratios` the error over
    what is allowed; `plane` tells how many rows and columns of elements they stand for.
    """

    tensor: str
    errors: np.ndarray = field(repr=False)
    ratios: np.ndarray = field(repr=False)
    plane: tuple[int, int]


@dataclass(frozen=True, eq=False)
class Differed:
    """How far the two are apart."""

    differences: Differences
    maps: tuple[ErrorMap, ...] = ()
    findings: tuple[Finding, ...] = ()
