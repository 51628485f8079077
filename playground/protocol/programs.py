"""Requests and replies about the programs of a counted launch: their schedule and their steps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from playground.model.config import Config
from playground.model.schedule import CacheReuse, Schedule


@dataclass(frozen=True)
class GetSchedule:
    """Ask where and when each program of a launch runs; replied to with `Scheduled`.

    Main comm. Without a GPU the job ends with a finding that says so.
    """

    launch: int
    config: Config


@dataclass(frozen=True, eq=False)
class Scheduled:
    """The schedule: per linear program id its multiprocessor (int32), start and end (int64 ns).

    Times count from the first start.
    """

    figures: Schedule
    multiprocessor: np.ndarray
    start_ns: np.ndarray
    end_ns: np.ndarray


@dataclass(frozen=True)
class GetSteps:
    """Ask for the accesses of one program (linear id) in order; replied to with `ProgramSteps`.

    Main comm.
    """

    launch: int
    config: Config
    program: int


@dataclass(frozen=True, eq=False)
class ProgramSteps:
    """The accesses of one program, in the order in which it makes them.

    Step i is of site `sites[i]` (an index into the coverage's `sites`), on tensor `tensors[i]` (an
    index into the coverage's `tensors`, -1 for none of them); the elements it touches are
    `elements[offsets[i]:offsets[i + 1]]`, each the element's place in the tensor counted row by row
    (int64). `truncated` says that only the first steps are here.
    """

    launch: int
    config: Config
    program: int
    sites: np.ndarray
    tensors: np.ndarray
    offsets: np.ndarray
    elements: np.ndarray
    truncated: bool = False


@dataclass(frozen=True)
class GetReuse:
    """Ask what an L2 cache would fetch; replied to with `Reused`.

    Main comm. `target` names the GPU whose L2 is taken; None is the one in the machine, or the
    chosen default without one.
    """

    launch: int
    config: Config
    target: str | None = None


@dataclass(frozen=True)
class Reused:
    """The estimate, or None where the accesses could not be had."""

    reuse: CacheReuse | None


@dataclass(frozen=True)
class SaveCounts:
    """Ask for the counts of every element as a `.npz` file; replied to with `CountsSaved`.

    Main comm. The engine writes the file, as the counts can be as large as the tensors. With
    `schedule` it has where and when each program ran, too.
    """

    launch: int
    config: Config
    path: str
    schedule: bool = False


@dataclass(frozen=True)
class CountsSaved:
    """The file is there, or `problem` says why not."""

    path: str
    problem: str = ""
