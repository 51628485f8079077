"""What Nsight Compute says of one launch."""

from __future__ import annotations

from dataclasses import dataclass

from playground.model.stall_reasons import Stall

_BUSY = 0.8


@dataclass(frozen=True)
class Metric:
    """One figure of a section, as Nsight Compute prints it."""

    section: str
    name: str
    value: str
    unit: str = ""

    @property
    def number(self) -> float | None:
        """The value as a number, or None; digit groups are commas there."""
        try:
            return float(self.value.replace(",", ""))
        except ValueError:
            return None


@dataclass(frozen=True)
class NsightReport:
    """The figures of one profiled launch, the tool's own advice, and what its warps wait for.

    `stalls` are ranked, longest first; empty where the tool gave none.
    """

    kernel: str
    metrics: tuple[Metric, ...]
    advice: tuple[str, ...] = ()
    stalls: tuple[Stall, ...] = ()

    def value(self, name: str) -> float | None:
        """Return the number of the metric called `name`, or None."""
        return next((item.number for item in self.metrics if item.name == name), None)

    def sections(self) -> tuple[str, ...]:
        """Return the names of the sections in order."""
        return tuple(dict.fromkeys(item.section for item in self.metrics))

    def issued(self) -> float | None:
        """Return the share of cycles in which a scheduler issues an instruction, or None."""
        idle = self.value("No Eligible")
        return None if idle is None else 1 - idle / 100

    def stall_text(self) -> str:
        """Return in one sentence how much the waiting matters, empty where it is not known."""
        if not self.stalls:
            return ""
        cycles = sum(stall.cycles for stall in self.stalls)
        told = f"Between two of its instructions a warp waits {cycles:.1f} cycles"
        issued = self.issued()
        if issued is None:
            return f"{told}."
        told += f"; a scheduler issues one in {issued:.0%} of all cycles"
        if issued >= _BUSY:
            return f"{told}, so the waiting is hidden behind other warps and costs little."
        return f"{told}, so the first reasons below are what to shorten."
