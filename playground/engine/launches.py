"""What the console shows of a session: the list of launches, and what the last replay gave."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, overload

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from playground.engine.capture import CapturedLaunch
    from playground.engine.compile_outcome import CompileOutcome
    from playground.model.check import CheckResult
    from playground.model.config import Config
    from playground.model.coverage import Coverage
    from playground.model.finding import Finding
    from playground.model.launch import Launch
    from playground.model.measurement import Measurement


class LaunchList:
    """The captured launches in order; prints as a small table."""

    def __init__(self, launches: Sequence[CapturedLaunch] = ()) -> None:
        self._launches = tuple(launches)

    def __len__(self) -> int:
        return len(self._launches)

    def __iter__(self) -> Iterator[CapturedLaunch]:
        return iter(self._launches)

    @overload
    def __getitem__(self, index: int) -> CapturedLaunch: ...
    @overload
    def __getitem__(self, index: slice) -> LaunchList: ...
    def __getitem__(self, index: int | slice) -> CapturedLaunch | LaunchList:
        if isinstance(index, slice):
            return LaunchList(self._launches[index])
        try:
            return self._launches[index]
        except IndexError:
            raise IndexError(
                f"there is no launch {index}: the run captured {len(self._launches)}"
            ) from None

    def __repr__(self) -> str:
        if not self._launches:
            return "no launches"
        rows = [("#", "kernel", "line", "grid", "config", "tensors")]
        rows += [_row(launch) for launch in self._launches]
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        return "\n".join(
            "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
            for row in rows
        )


def _row(launch: CapturedLaunch) -> tuple[str, str, str, str, str, str]:
    info = launch.info
    tensors = ", ".join(f"{item.name} {item.text}" for item in info.arguments if item.tensor)
    line = "" if info.call_line is None else str(info.call_line)
    grid = "×".join(map(str, info.grid))
    kernel = info.kernel if info.count == 1 else f"{info.kernel} ×{info.count}"
    return str(info.index), kernel, line, grid, info.config.label(), tensors


@dataclass
class Last:
    """What the latest replay, or step of one, gave: `play.last`."""

    launch: Launch | None = None
    config: Config | None = None
    outcome: CompileOutcome | None = field(default=None, repr=False)
    check: CheckResult | None = None
    measurement: Measurement | None = field(default=None, repr=False)
    coverage: Coverage | None = field(default=None, repr=False)
    findings: tuple[Finding, ...] = ()

    @property
    def asm(self) -> dict[str, str | bytes]:
        """Every stage of the compiled kernel by name: `asm["ptx"]`."""
        return {} if self.outcome is None else self.outcome.asm

    @property
    def report(self) -> object:
        """The compile report, or None."""
        return None if self.outcome is None else self.outcome.report

    def __repr__(self) -> str:
        if self.launch is None:
            return "nothing was replayed yet"
        label = "" if self.config is None else self.config.label()
        lines = [f"<{self.launch.kernel} {label}>"]
        report = None if self.outcome is None else self.outcome.report
        if report is not None:
            registers = "?" if report.registers is None else report.registers
            lines.append(
                f"  compiled for {report.target}: {registers} registers, "
                f"{report.shared_bytes} shared bytes"
            )
        if self.check is not None:
            lines.append(f"  {self.check.text()}")
        if self.measurement is not None:
            low, high = self.measurement.interval_ms
            what = "interpreter wall time" if self.measurement.source == "interpreter" else "median"
            lines.append(f"  {what} {self.measurement.median_ms:.4g} ms ({low:.4g} to {high:.4g})")
        if self.coverage is not None:
            lines.append(
                f"  {self.coverage.bytes_unique} unique bytes, {self.coverage.flops} tl.dot FLOPs"
            )
        lines += [f"  {finding.text()}" for finding in self.findings]
        return "\n".join(lines)
