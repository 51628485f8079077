"""What compiling a config came to: the report, the text of each stage, or why there is none."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from playground.engine import sass_places
from playground.engine.resources import disassemble
from playground.engine.triton_private.compiled import tool

if TYPE_CHECKING:
    from collections.abc import Mapping

    from playground.model.compiling import CompileReport
    from playground.model.finding import Finding


class Asm(dict[str, "str | bytes"]):
    """Text or binary by stage; `sass` is made from the cubin when first asked for.

    Two views that ask for one cubin's SASS at a time, in threads of their own, get the same one.
    """

    def __init__(self, stages: Mapping[str, str | bytes] | None = None) -> None:
        super().__init__(stages or {})
        self._disassembling = threading.Lock()

    def __missing__(self, stage: str) -> str | bytes:
        cubin = self.get("cubin")
        if stage != "sass" or not isinstance(cubin, bytes):
            raise KeyError(stage)
        with self._disassembling:
            if stage not in self:
                sass = disassemble(cubin, tool("nvdisasm"))
                self[stage] = sass_places.put_right(sass, str(self.get("ptx", "")))
        return self[stage]


@dataclass(frozen=True)
class CompileOutcome:
    """What compiling a config came to.

    `report` is None when it failed, and then a finding of severity error says why. A config that
    compiles but cannot launch has both. `asm` holds each stage's text and the binary; where it
    failed, those of the stages that were through. `undecided`: the worker could not execute the
    file or find the kernel, whatever the config.
    """

    report: CompileReport | None
    findings: tuple[Finding, ...] = ()
    asm: dict[str, str | bytes] = field(default_factory=Asm, repr=False)
    undecided: bool = False

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages that can be shown, first to last; of a failed one those it came through."""
        return tuple(self.asm) if self.report is None else self.report.stages

    @property
    def unusable(self) -> str:
        """Why this config cannot run on its target, in one sentence; empty when it can.

        Empty as well where the worker could not even reach the kernel: that says nothing about the
        config.
        """
        if self.undecided or (self.report is not None and self.report.fits):
            return ""
        reasons = [finding.message for finding in self.findings if finding.severity == "error"]
        return reasons[0].partition("\n")[0] if reasons else "it does not compile"


class StageError(RuntimeError):
    """A stage cannot be shown; the message says why."""
