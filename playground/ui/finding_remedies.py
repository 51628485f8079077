"""What the app can do about a finding at one click."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from playground.model.finding import Finding
    from playground.ui.document import Document


@dataclass(frozen=True)
class Remedy:
    """Something that a button beside a finding does."""

    id: Literal["benchmarks", "tuning"]
    text: str
    tip: str

    def apply(self, document: Document) -> None:
        """Do it: what was left out of the run is put in, and the file runs again."""
        if self.id == "benchmarks":
            document.set_run_benchmarks(True)
        else:
            document.set_run_tuning(True)
        document.run()


_BENCHMARKS = Remedy("benchmarks", "Run it", "Run the file again with its own benchmarks")
_TUNING = Remedy("tuning", "Run it", "Run the file again with its own tuning")


def remedy_for(finding: Finding) -> Remedy | None:
    """Return what can be done about `finding`, or None.

    A run that left something out names the command line's flag for it; it stands for the same here.
    """
    if finding.stage not in ("driver", "capture"):
        return None
    if "--benchmarks" in finding.hint:
        return _BENCHMARKS
    return _TUNING if "--tuning" in finding.hint else None
