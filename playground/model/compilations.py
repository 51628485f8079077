"""Two compilations side by side, the compiler's passes, and one config on many targets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from playground.model.compiling import CompileReport
from playground.model.config import Config
from playground.model.finding import Finding


@dataclass(frozen=True)
class Variant:
    """One compilation of a launch: a config for a target, of the text as it is or was.

    `before_edit` means the last compilation of this config before an edit changed what it gives,
    where the engine still has it.
    """

    config: Config
    target: str
    before_edit: bool = False


@dataclass(frozen=True)
class Change:
    """One figure that two compilations are compared by; None where a side has none."""

    name: str
    left: float | None
    right: float | None
    unit: str = ""
    line: int = 0


@dataclass(frozen=True)
class Block:
    """Lines of two texts that belong together: counted from 0, the ends are not included.

    `equal` lines may differ in the numbers of values, registers and labels, and in the places of
    the source that they name: the compiler numbers them anew after every change.
    """

    tag: Literal["equal", "replace", "delete", "insert"]
    left_start: int
    left_end: int
    right_start: int
    right_end: int


@dataclass(frozen=True)
class Pass:
    """One pass of the compiler's pipeline, in order; `diff` is unified, empty when nothing changed.

    Nothing has changed where only values were numbered anew, or places in the source. A long diff
    is cut, and its last line, which begins with a backslash, says so. `lines` counts the lines of
    the text after the pass, without places in the source. `failed`: the compilation
    ended in this pass or right after it.
    """

    name: str
    stage: str
    changed: bool
    lines: int
    diff: str = ""
    failed: bool = False


@dataclass(frozen=True)
class Fit:
    """The config on one target: its report, or the findings that say why there is none."""

    target: str
    report: CompileReport | None
    findings: tuple[Finding, ...] = ()
