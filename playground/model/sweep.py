"""A sweep: every config of a space, tried, checked and timed."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from playground.model.config import Config
from playground.model.knobs import Knob, KnobValue, sweep_values

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from playground.model.launch import Launch

SweepStatus = Literal[
    "correct", "wrong", "unjudged", "compile", "resources", "runtime", "timeout", "cancelled",
]  # fmt: skip


@dataclass(frozen=True)
class SweepRow:
    """One config's outcome: `status`, the reason where it failed, and its time where it ran.

    In the interpreter `median_ms` is None: there a sweep ranks nothing by time.
    """

    config: Config
    status: SweepStatus
    reason: str = ""
    median_ms: float | None = None
    low_ms: float | None = None
    high_ms: float | None = None
    registers: int | None = None
    spill_bytes: int | None = None
    shared_bytes: int | None = None
    programs_per_sm: int | None = None
    unwritten: int | None = None


@dataclass(frozen=True)
class SweepResult:
    """All rows of a sweep in the order tried; `best` is the fastest correct one, if timed."""

    launch: int
    target: str
    rows: tuple[SweepRow, ...]
    total: int
    cancelled: bool
    elapsed_s: float
    note: str = ""

    @property
    def best(self) -> SweepRow | None:
        """The fastest row whose result is correct, or None when nothing was timed."""
        timed = [row for row in self.rows if row.median_ms is not None and row.status == "correct"]
        return min(timed, key=lambda row: row.median_ms or 0.0) if timed else None


def space(
    knobs: Iterable[Knob], config: Config, values: Mapping[str, Sequence[KnobValue]] | None = None
) -> tuple[Config, ...]:
    """Return every config of the space: `values` where given, else a few steps around `config`."""
    chosen = values or {}
    axes = [
        [
            (knob.name, value)
            for value in chosen.get(knob.name, sweep_values(knob, config[knob.name]))
        ]
        for knob in knobs
        if knob.name in config
    ]
    return tuple(Config(combination) for combination in itertools.product(*axes))


def own_space(launch: Launch) -> tuple[Config, ...]:
    """Return the configs to try when none are named.

    Those that the file itself offers for its launch, with the captured one; else a few steps around
    the captured one.
    """
    if not launch.presets:
        return space(launch.knobs, launch.config)
    offered = (launch.config, *(preset.config for preset in launch.presets))
    return tuple(dict.fromkeys(offered))
