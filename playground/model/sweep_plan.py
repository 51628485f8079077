"""What a sweep is to do: its space, how to search it, and how long."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from playground.model.config import Config
from playground.model.measurement import CacheMode
from playground.model.sweep_space import SweepSpace
from playground.model.sweep_workers import Workers

Strategy = Literal["auto", "exhaustive", "random", "tpe", "climb"]
STRATEGIES: tuple[Strategy, ...] = ("auto", "exhaustive", "random", "tpe", "climb")

EXHAUSTIVE_UP_TO = 500
"""Valid configs that `auto` tries all of; beyond that it searches by TPE."""
MOST_EXHAUSTIVE = 10_000
"""Valid configs up to which all are tried where that is asked for."""
SEARCHED = 100
"""Configs that a search tries unless told otherwise."""


@dataclass(frozen=True)
class SweepPlan:
    """One sweep; times in ms where the name says so, else in seconds.

    `start` is the sliders' config, where `climb` begins and which is among the finalists; so is
    `baseline`. With `confirm` the finalists are timed again in turns, with `prove` they are looked
    at on other inputs too. `most` bounds the configs tried, `total_s` the whole sweep, `limit_s`
    one config. `resume` takes over the rows of the latest sweep of the same launch, so that only
    the rest is tried; `stored` keeps every row on disk as it comes.
    """

    space: SweepSpace
    strategy: Strategy = "auto"
    most: int | None = None
    budget_ms: float = 50.0
    total_s: float | None = None
    limit_s: float | None = None
    start: Config | None = None
    baseline: Config | None = None
    cache: CacheMode = "cold"
    seed: int = 0
    confirm: bool = True
    prove: bool = True
    resume: bool = False
    stored: bool = False
    sizes: tuple[tuple[str, int], ...] = field(default=())
    workers: Workers = field(default_factory=Workers)


def chosen_strategy(plan: SweepPlan, valid: int, *, timed: bool) -> Strategy:
    """Return the strategy that `auto` stands for; without times there is nothing to search by."""
    if plan.strategy != "auto":
        return plan.strategy if timed or plan.strategy in ("exhaustive", "random") else "random"
    if valid <= EXHAUSTIVE_UP_TO:
        return "exhaustive"
    return "tpe" if timed else "random"


def too_many(strategy: Strategy, most: int | None, valid: int) -> str:
    """Return why so many valid configs cannot all be tried, empty where they need not be."""
    if strategy != "exhaustive" or valid <= MOST_EXHAUSTIVE:
        return ""
    if most is not None and most <= MOST_EXHAUSTIVE:
        return ""
    return f"{valid:,} configs are too many to try them all"
