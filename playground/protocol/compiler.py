"""Messages about what the compiler made of a launch."""

from __future__ import annotations

from dataclasses import dataclass

from playground.model.compilations import Block, Change, Fit, Pass, Variant
from playground.model.compiling import CompileReport
from playground.model.config import Config
from playground.model.finding import Finding
from playground.model.machine_code import MachineCode

# ---------------------------------------------------------------- requests on the main comm


@dataclass(frozen=True)
class GetCode:
    """Ask what each source line became in the machine's code."""

    launch: int
    config: Config
    target: str | None = None


@dataclass(frozen=True)
class GetPasses:
    """Ask what each pass of the compiler changed; compiles once more, past the cache.

    With `llvm` LLVM's own passes follow Triton's, which takes several times as long.
    """

    launch: int
    config: Config
    target: str | None = None
    llvm: bool = False


@dataclass(frozen=True)
class CompareCompilations:
    """Ask for two compilations of a launch side by side."""

    launch: int
    left: Variant
    right: Variant


@dataclass(frozen=True)
class GetStageDiff:
    """Ask for one stage's texts of two compilations, aligned."""

    launch: int
    left: Variant
    right: Variant
    stage: str


@dataclass(frozen=True)
class CompileAll:
    """Compile one config for many targets at once; a `Fitted` is sent as each ends."""

    launch: int
    config: Config
    targets: tuple[str, ...]


@dataclass(frozen=True)
class CompileEdited:
    """Compile a launch of the last run with `text` in place of the file's, running nothing."""

    launch: int
    config: Config
    target: str | None
    text: str


# ---------------------------------------------------------------- replies


@dataclass(frozen=True)
class Code:
    """The machine's code by source line."""

    code: MachineCode


@dataclass(frozen=True)
class Passes:
    """The compiler's pipeline, first pass first; up to the failure where there are findings."""

    launch: int
    config: Config
    target: str
    passes: tuple[Pass, ...]
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class ComparedCompilations:
    """Two compilations: their reports, and what moved, by figure and by source line."""

    left: Variant
    right: Variant
    left_report: CompileReport | None
    right_report: CompileReport | None
    changes: tuple[Change, ...]
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class StageDiff:
    """One stage of two compilations; `blocks` cover both texts from first to last line."""

    stage: str
    left: str
    right: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Fitted:
    """One target of a `CompileAll` is through."""

    fit: Fit
    done: int
    total: int


@dataclass(frozen=True)
class FittedAll:
    """The config on every target asked for, in the order asked."""

    launch: int
    config: Config
    fits: tuple[Fit, ...]


@dataclass(frozen=True)
class Edited:
    """What compiling the edited text found; no report where it does not compile."""

    text: str
    report: CompileReport | None
    findings: tuple[Finding, ...] = ()
