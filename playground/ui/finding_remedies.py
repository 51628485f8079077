"""What the app can do about a finding at one click."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from playground.model.finding import Finding
    from playground.ui.document import Document


@dataclass(frozen=True)
class Remedy:
    """Something that a button beside a finding does."""

    id: Literal["benchmarks", "tuning", "ragged"]
    text: str
    tip: str
    sizes: tuple[tuple[str, int], ...] = ()

    def apply(self, document: Document) -> None:
        """Do it, and run the file again: with what was left out, or with the other sizes."""
        if self.id == "benchmarks":
            document.set_run_benchmarks(True)
        elif self.id == "tuning":
            document.set_run_tuning(True)
        for name, value in self.sizes:
            document.set_size(name, value)
        document.run()


_BENCHMARKS = Remedy("benchmarks", "Run it", "Run the file again with its own benchmarks")
_RAGGED = re.compile(r"^run example\((.+)\) as well$")
_SIZE = re.compile(r"(\w+)=(\d+)")
_TUNING = Remedy("tuning", "Run it", "Run the file again with its own tuning")


def remedy_for(finding: Finding) -> Remedy | None:
    """Return what can be done about `finding`, or None.

    A run that left something out names the command line's flag for it; it stands for the same here.
    """
    if finding.stage not in ("driver", "capture"):
        return None
    if "--benchmarks" in finding.hint:
        return _BENCHMARKS
    ragged = _RAGGED.match(finding.hint)
    if ragged is not None:
        sizes = tuple((name, int(value)) for name, value in _SIZE.findall(ragged[1]))
        tip = f"Run with {ragged[1]}: sizes that no block divides"
        return Remedy("ragged", "Try ragged sizes", tip, sizes)
    return _TUNING if "--tuning" in finding.hint else None
