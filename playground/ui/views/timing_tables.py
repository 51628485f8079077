"""The table twins of the timing plots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from playground.model.config import Config
from playground.ui.views.formatting import interval_text, method_text, significant, time_text
from playground.ui.views.table_twin import Column

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from playground.model.knobs import KnobValue
    from playground.model.measurement import Measurement


@dataclass(frozen=True)
class Sample:
    """One sample and its number."""

    number: int
    time_ms: float


def samples_of(measurement: Measurement) -> tuple[Sample, ...]:
    """Return a measurement's samples with their numbers, from 1."""
    return tuple(Sample(i, time) for i, time in enumerate(measurement.samples_ms, 1))


SAMPLE_COLUMNS: tuple[Column[Sample], ...] = (
    Column("Sample", lambda sample: sample.number, numeric=True),
    Column(
        "Time", lambda sample: sample.time_ms,
        lambda sample: time_text(sample.time_ms, 4), numeric=True, unit="ms",
    ),
)  # fmt: skip


def _rate_text(item: Measurement) -> str:
    return "" if item.bandwidth_gbps is None else f"{significant(item.bandwidth_gbps, 4)} GB/s"


def varying_label(config: Config, varying: Collection[str]) -> str:
    """Return the knobs of `config` that differ among the configs shown, or all if none does."""
    chosen = Config(tuple(pair for pair in config.values if pair[0] in varying))
    return (chosen if chosen.values else config).label()


def history_columns(configs: Sequence[Config]) -> tuple[Column[Measurement], ...]:
    """Return the columns for measurements of these configs: only knobs that differ are named."""
    seen: dict[str, set[KnobValue]] = {}
    for config in configs:
        for name, value in config.values:
            seen.setdefault(name, set()).add(value)
    varying = {name for name, values in seen.items() if len(values) > 1}
    return (
        Column(
            "Config", lambda item: item.config.label(),
            lambda item: varying_label(item.config, varying), tip=lambda item: item.config.label(),
        ),
        *_HISTORY_FIGURES,
    )  # fmt: skip


_HISTORY_FIGURES: tuple[Column[Measurement], ...] = (
    Column(
        "Median", lambda item: item.median_ms, lambda item: time_text(item.median_ms, 4),
        numeric=True, unit="ms",
    ),
    Column(
        "95 % interval", lambda item: item.interval_ms[0],
        lambda item: interval_text(*item.interval_ms), numeric=True,
    ),
    Column(
        "Spread (%)", lambda item: item.spread * 100,
        lambda item: f"{item.spread * 100:.1f} %", numeric=True,
    ),
    Column("Bandwidth (GB/s)", lambda item: item.bandwidth_gbps, _rate_text, numeric=True),
    Column("Samples", lambda item: len(item.samples_ms), numeric=True),
    Column("Clock and cache", method_text),
)  # fmt: skip
