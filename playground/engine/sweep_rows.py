"""The rows of a sweep: what compiling, trying and confirming a config makes of its row."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from playground.model.statistics import median, median_interval
from playground.model.sweep import SweepRow, timed_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from playground.engine.bench_messages import Tried
    from playground.engine.compile_outcome import CompileOutcome
    from playground.model.config import Config
    from playground.model.finding import Finding
    from playground.model.measurement import ClockSource


def compiled_row(config: Config, outcome: CompileOutcome) -> SweepRow:
    """Return the row of a config that was compiled; its status says whether it can be tried."""
    report = outcome.report
    errors = tuple(item for item in outcome.findings if item.severity == "error")
    if report is None:
        return SweepRow(config, "compile", _reason(errors or outcome.findings))
    row = SweepRow(
        config,
        "unjudged",
        registers=report.registers,
        spill_bytes=report.spill_bytes,
        shared_bytes=report.shared_bytes,
        programs_per_sm=report.occupancy.programs_per_sm if report.occupancy else None,
    )
    if not report.fits:
        return replace(row, status="resources", reason=_reason(errors) or "does not fit the target")
    return row


def tried_row(row: SweepRow, tried: Tried, device: str) -> SweepRow:
    """Return a compiled row with what came of trying its config on a device."""
    row = replace(row, status=tried.status, reason=tried.reason, device=device)
    if not tried.samples_ms:
        return row
    low, high = median_interval(tried.samples_ms)
    return replace(
        row, median_ms=median(tried.samples_ms), low_ms=low, high_ms=high,
        samples=len(tried.samples_ms), source=tried.source, screened=tried.screened,
    )  # fmt: skip


def confirmed_row(
    row: SweepRow, times_ms: Sequence[float], source: ClockSource | None, device: str
) -> SweepRow:
    """Return a row with the times of its turns among the finalists in place of the earlier ones."""
    low, high = median_interval(times_ms)
    return replace(
        row, median_ms=median(times_ms), low_ms=low, high_ms=high, samples=len(times_ms),
        source=source, screened=False, confirmed=True, kept=False, device=device,
    )  # fmt: skip


def finalists(
    rows: Sequence[SweepRow], most: int, always: Iterable[Config | None]
) -> list[SweepRow]:
    """Return the `most` fastest correct rows, and those of `always` that are correct."""
    timed = timed_rows(rows)
    first, wanted = timed[:most], set(always)
    return first + [row for row in timed[most:] if row.config in wanted]


def _reason(findings: Sequence[Finding]) -> str:
    return findings[0].message if findings else ""
