"""A sweep: every config of a space, tried, checked and timed."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from playground.model.config import Config
from playground.model.knobs import Knob, KnobValue, sweep_values
from playground.model.measurement import ClockSource
from playground.model.ranking import Ranking

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from playground.model.launch import Launch

SweepStatus = Literal[
    "correct", "wrong", "unjudged", "constraint", "compile", "resources", "runtime", "timeout",
    "cancelled",
]  # fmt: skip


@dataclass(frozen=True)
class SweepRow:
    """One config's outcome: `status`, the reason where it failed, and its time where it ran.

    In the interpreter `median_ms` is None: there a sweep ranks nothing by time. `screened` says
    that timing ended early because the config is far from the best, `confirmed` that it was timed
    among the finalists, in turns; `place` is its group then, 1 for the fastest and what is tied
    with it. `kept` marks a row taken over from an earlier, interrupted sweep. `at_s` is when it
    was known, in seconds from the start of its sweep. `device` is what it was tried on. Where a
    sweep had several, times of different ones are not to be compared: `relative` is the time over
    that of one config, the same for all, on the same device. `proved` is right on other inputs,
    too: with another seed, and at sizes that no block divides.
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
    samples: int = 0
    source: ClockSource | None = None
    screened: bool = False
    confirmed: bool = False
    place: int | None = None
    kept: bool = False
    at_s: float | None = None
    device: str = ""
    relative: float | None = None
    proved: bool = False


@dataclass(frozen=True)
class SweepPhases:
    """Where a sweep's time went, in seconds of wall time.

    Compiling and trying overlap: `compile_s` is until the last config was compiled, `start_s` until
    the bench worker stood before the launch; `check_s` and `screen_s` are sums over the configs.
    `prove_s` is the best on other inputs, as far as it was waited for, and `foresee_s` what it took
    to ask, before the confirmation, what has to be compiled for that.
    """

    compile_s: float = 0.0
    start_s: float = 0.0
    check_s: float = 0.0
    screen_s: float = 0.0
    confirm_s: float = 0.0
    prove_s: float = 0.0
    foresee_s: float = 0.0


@dataclass(frozen=True)
class SweepResult:
    """All rows of a sweep in the order tried; `best` is the fastest correct one, if timed.

    `ranking` has the finalists in groups of ties, empty where they were not timed in turns.
    `excluded` counts configs that a condition ruled out and that have no row of their own, `store`
    is the number under which the sweep can be opened again. `proved_at` says on which other inputs
    the best were looked at.
    """

    launch: int
    target: str
    rows: tuple[SweepRow, ...]
    total: int
    cancelled: bool
    elapsed_s: float
    note: str = ""
    ranking: Ranking = field(default_factory=Ranking)
    phases: SweepPhases = field(default_factory=SweepPhases)
    excluded: int = 0
    store: int | None = None
    proved_at: str = ""

    @property
    def best(self) -> SweepRow | None:
        """The row to take: the winner of the finalists, else the fastest whose result is correct.

        None when nothing was timed.
        """
        for row in self.rows:
            if row.config == self.ranking.winner and row.status == "correct":
                return row
        timed = timed_rows(self.rows)
        return timed[0] if timed else None


def timed_rows(rows: Iterable[SweepRow]) -> list[SweepRow]:
    """Return the rows that are right and timed, the fastest first.

    Where several devices took part only rows on the common scale are compared, and by that.
    """
    timed = [row for row in rows if row.median_ms is not None and row.status == "correct"]
    scaled = [row for row in timed if row.relative is not None]
    if scaled and len({row.device for row in timed}) > 1:
        return sorted(scaled, key=lambda row: row.relative or 0.0)
    return sorted(timed, key=lambda row: row.median_ms or 0.0)


def best_rows(result: SweepResult, most: int) -> tuple[SweepRow, ...]:
    """Return the best rows, the one to take first, then by group of ties and time."""
    timed = timed_rows(result.rows)
    ordered = sorted(timed, key=lambda row: row.place or len(timed) + 1)
    best = result.best
    return tuple(dict.fromkeys([*([best] if best is not None else []), *ordered]))[:most]


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

    Those that the file's own tuner would time for its launch, with the captured one; else a few
    steps around the captured one.
    """
    return tuned_configs(launch) or space(launch.knobs, launch.config)


def tuned_configs(launch: Launch) -> tuple[Config, ...]:
    """Return the configs that the file's own tuner would time, with the captured one.

    Empty where the file offers none.
    """
    if not launch.presets:
        return ()
    offered = (preset.config for preset in launch.presets if preset.tuned)
    return tuple(dict.fromkeys((launch.config, *offered)))
