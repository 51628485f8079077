"""What Nsight Compute says of one launch."""

from __future__ import annotations

from dataclasses import dataclass


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
    """The figures of one profiled launch, and the tool's own advice."""

    kernel: str
    metrics: tuple[Metric, ...]
    advice: tuple[str, ...] = ()

    def value(self, name: str) -> float | None:
        """Return the number of the metric called `name`, or None."""
        return next((item.number for item in self.metrics if item.name == name), None)

    def sections(self) -> tuple[str, ...]:
        """Return the names of the sections in order."""
        return tuple(dict.fromkeys(item.section for item in self.metrics))
