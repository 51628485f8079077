"""A search by Optuna's tree-structured Parzen estimator, finished by a look around the best."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

import optuna

from playground.model.search import RandomSearch

if TYPE_CHECKING:
    from collections.abc import Iterable

    from playground.model.config import Config
    from playground.model.sweep_space import SweepSpace

STARTUP = 16
"""Random configs before the estimator has enough to estimate from."""
TOP = 4
"""Of so many of the best the neighbours are looked at."""
EVERY_OTHER_NEAR = 2
"""Of so many configs one is a neighbour of the best so far: the estimator alone leaves gaps."""
_BAD = 3.0
"""Factor on the slowest time that stands for a config that failed (told as a failure, the sampler
learns nothing of it)."""
_TRIES = 64
"""Proposals of the sampler that may be known already, before a neighbour or a random one is
taken."""


class TpeSearch:
    """Configs proposed by what is known of the others; `first` are tried before.

    Values go in as ordinals: a knob's values are in an order that means something, and the
    estimator smooths along it. Proposals that a condition rules out are answered at once.
    """

    def __init__(
        self, space: SweepSpace, most: int, seed: int = 0, first: Iterable[Config] = ()
    ) -> None:
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            sampler = optuna.samplers.TPESampler(
                seed=seed, multivariate=True, constant_liar=True, n_startup_trials=STARTUP
            )
        self._study = optuna.create_study(sampler=sampler)
        self._space = space
        self._axes = [(name, values) for name, values in space.axes if len(values) > 1]
        self._fixed = {name: values[0] for name, values in space.axes if len(values) == 1}
        self._random = RandomSearch(space, most, seed, first)
        self._first = [config for config in first if space.meets(config)]
        self._left = most
        self._asked = 0
        self._trials: dict[Config, Any] = {}
        self._known: dict[Config, float | None] = {}

    def ask(self, count: int) -> list[Config]:
        """Return up to `count` configs that were not asked for before."""
        found: list[Config] = []
        while self._left > 0 and len(found) < count:
            config = self._next()
            if config is None:
                self._left = 0
                break
            self._left -= 1
            self._asked += 1
            found.append(config)
        return found

    def tell(self, config: Config, time_ms: float | None) -> None:
        """Let the estimator know of a config's time; None where it failed or is wrong."""
        self._known[config] = time_ms
        trial = self._trials.get(config)
        if trial is None:  # taken over from an earlier sweep, or no combination of the axes
            trial = self._note(config)
        if trial is not None:
            self._study.tell(trial, self._value(time_ms))

    def _next(self) -> Config | None:
        for config in self._first:
            if config not in self._known and config not in self._trials:
                return self._take(config)
        good = {c: t for c, t in self._known.items() if t is not None}
        if good and self._asked >= STARTUP and self._asked % EVERY_OTHER_NEAR == 0:
            best = sorted(good, key=lambda config: good[config])[:TOP]
            for near in best:
                for config in self._space.neighbours(near):
                    if not self._is_known(config):
                        return self._take(config)
        for _ in range(_TRIES if self._axes else 0):
            trial = self._study.ask()
            values = {name: options[trial.suggest_int(name, 0, len(options) - 1)]
                      for name, options in self._axes}  # fmt: skip
            config = self._config({**self._fixed, **values})
            if not self._space.meets(config):
                self._study.tell(trial, self._value(None))
            elif self._is_known(config):
                time_ms = self._known.get(config)
                self._study.tell(trial, self._value(time_ms))
            else:
                self._trials[config] = trial
                return config
        fresh = self._random.fresh({*self._known, *self._trials})
        return None if fresh is None else self._take(fresh)

    def _is_known(self, config: Config) -> bool:
        return config in self._known or config in self._trials

    def _take(self, config: Config) -> Config:
        self._trials[config] = self._note(config)
        return config

    def _note(self, config: Config) -> Any:
        """Return a trial of the study for a config that the sampler did not propose."""
        given = config.as_dict()
        if not self._axes or not all(
            name in given and given[name] in options for name, options in self._axes
        ):
            return None
        ordinals = {name: options.index(given[name]) for name, options in self._axes}
        self._study.enqueue_trial(ordinals)
        trial = self._study.ask()
        for name, options in self._axes:
            trial.suggest_int(name, 0, len(options) - 1)
        return trial

    def _config(self, values: dict[str, Any]) -> Config:
        from playground.model.config import Config

        return Config(tuple((name, values[name]) for name, _ in self._space.axes))

    def _value(self, time_ms: float | None) -> float:
        # Times differ by factors: their logarithm has an even spread.
        if time_ms is not None:
            return math.log(time_ms)
        slowest = max((time for time in self._known.values() if time is not None), default=1.0)
        return math.log(_BAD * slowest)
