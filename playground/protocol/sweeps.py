"""Requests and replies about sweeps: what leads up to one, past ones, and what is made of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from playground.model.config import Config
from playground.model.past_sweep import PastSweep
from playground.model.sweep import SweepResult
from playground.model.sweep_sizes import Sizes
from playground.model.sweep_workers import Workers

SweepForm = Literal["autotune", "dispatch", "t4", "table"]


@dataclass(frozen=True)
class PrepareSweep:
    """Start the processes that a sweep times in: each needs seconds until it has torch.

    Main comm, in idle time; nothing comes back but `Finished`.
    """

    workers: Workers = field(default_factory=Workers)


@dataclass(frozen=True)
class SweepAt:
    """The rows that follow are of the launch at these problem sizes, the `number`-th `of` so many.

    Sent before each part of a sweep at several sizes.
    """

    sizes: Sizes
    number: int
    of: int


@dataclass(frozen=True)
class GetSweeps:
    """Ask for every sweep that the store holds; side comm, replied to with `Sweeps`."""


@dataclass(frozen=True)
class Sweeps:
    """Past sweeps, the newest first; `note` tells of a store that had to be set aside."""

    sweeps: tuple[PastSweep, ...]
    note: str = ""


@dataclass(frozen=True)
class OpenSweep:
    """Ask for a past sweep with all its rows; side comm, replied to with `OpenedSweep`."""

    number: int


@dataclass(frozen=True)
class OpenedSweep:
    """A past sweep; without one `problem` says why it cannot be opened."""

    sweep: PastSweep | None = None
    result: SweepResult | None = None
    problem: str = ""


@dataclass(frozen=True)
class ExportSweep:
    """Ask for a file made of past sweeps (their numbers in the store), one a problem size.

    `autotune` writes the tuned `.py` of the launch with the `best` few of each for its tuner to
    choose between, `dispatch` one with a table of configs by size; `t4` is the rows of the first as
    T4 JSON, `table` the best config of each by the problem size called `size`, as inference servers
    read it. Main comm, replied to with `Exported`.
    """

    form: SweepForm
    launch: int
    config: Config
    sweeps: tuple[int, ...]
    best: int = 3
    size: str = ""
