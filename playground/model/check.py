"""The verdict on a replay's result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class CheckResult:
    """Whether a replay computed what it should.

    `against` names the yardstick: the file's `reference`, or the launch as captured. `unjudged`
    means that no fair verdict is possible here, and `note` says why; a wrong result with a note is
    wrong for that reason, whatever the yardstick says. `route` tells what was run:
    the launch alone, or the whole driver again with the knob overridden where it enters.
    """

    status: Literal["correct", "wrong", "unjudged"]
    against: Literal["reference", "captured", "none"]
    tensor: str = ""
    max_abs_error: float | None = None
    tolerance: float | None = None
    mismatches: int = 0
    elements: int = 0
    first_index: tuple[int, ...] | None = None
    note: str = ""
    route: Literal["launch", "driver"] = "launch"

    def text(self) -> str:
        """Return the verdict in one line."""
        if self.status == "unjudged":
            return f"not judged: {self.note}"
        yardstick = "reference" if self.against == "reference" else "captured result"
        again = "; the driver ran again with it" if self.route == "driver" else ""
        if self.status == "correct":
            error = "" if self.max_abs_error is None else f" (max error {self.max_abs_error:.3g})"
            return f"correct against the {yardstick}{error}{again}"
        if self.note:
            return f"wrong: {self.note}"
        share = f"{self.mismatches} of {self.elements} elements" if self.elements else "the result"
        place = f", first at {list(self.first_index)}" if self.first_index is not None else ""
        what = self.tensor or "the result"
        return f"wrong: {share} of {what} differ from the {yardstick}{place}{again}"
