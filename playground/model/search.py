"""Which config of a space to try next: all in shuffled order, at random, or uphill from one."""

from __future__ import annotations

import random
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import Protocol

from playground.model.config import Config
from playground.model.sweep_space import SweepSpace

_MOST_STEPS = 200_000
"""Partial configs looked at for one more valid config where chance finds none."""


class Search(Protocol):
    """Asked for configs and told what came of each; never asks for one twice."""

    def ask(self, count: int) -> list[Config]:
        """Return up to `count` configs to try next; none when the search is at its end."""

    def tell(self, config: Config, time_ms: float | None) -> None:
        """Take note of a config's time; None where it failed or is wrong."""


class Shuffled:
    """Every config given, in an order that favours no corner of the space."""

    def __init__(self, configs: Iterable[Config], seed: int = 0) -> None:
        self._left = list(configs)
        random.Random(seed).shuffle(self._left)

    def ask(self, count: int) -> list[Config]:
        """Return the next `count` configs."""
        taken, self._left = self._left[:count], self._left[count:]
        return taken

    def tell(self, config: Config, time_ms: float | None) -> None:
        """Nothing depends on it."""


def heaviest_first(configs: Sequence[Config], count: int, light: int = 0) -> list[Config]:
    """Return configs with the `count` that a compiler has most to do with put in front.

    What a thread holds and how deep the loops are pipelined decides how long that takes, roughly:
    the product of the numbers in a config, the warps dividing it. (On 72 of matmul its logarithm
    and that of the time go together by 0.94.) The others stay in their order. Before all of them
    come the `light` ones that are compiled soonest: whoever tries them has something to do.
    """

    def weight(config: Config) -> float:
        product = 1.0
        for name, value in config.values:
            if isinstance(value, int) and value > 0 and name not in ("num_ctas", "maxnreg"):
                product *= 1 / value if name == "num_warps" else value
        return product

    by_weight = sorted(configs, key=weight)
    first = by_weight[: min(light, max(0, len(configs) - count))]
    heavy = set(by_weight[max(len(first), len(by_weight) - count) :])
    rest = [config for config in configs if config not in set(first)]
    return [*first, *(c for c in rest if c in heavy), *(c for c in rest if c not in heavy)]


class RandomSearch:
    """Valid configs at random, `most` of them, each once; `first` are tried before."""

    def __init__(
        self, space: SweepSpace, most: int, seed: int = 0, first: Iterable[Config] = ()
    ) -> None:
        self._space = space
        self._source = random.Random(seed)
        self._left = most
        self._first = [config for config in first if space.meets(config)]
        self._seen: set[Config] = set()
        self._in_turn: Iterator[Config] | None = None

    def ask(self, count: int) -> list[Config]:
        """Return up to `count` configs that were not asked for before."""
        found: list[Config] = []
        while self._left > 0 and len(found) < count:
            config = self._first.pop(0) if self._first else self.fresh()
            if config is None:
                self._left = 0
                break
            if config in self._seen:
                continue
            self._seen.add(config)
            found.append(config)
            self._left -= 1
        return found

    def tell(self, config: Config, time_ms: float | None) -> None:
        """Nothing depends on it."""

    def fresh(self, known: Container[Config] = (), tries: int = 200) -> Config | None:
        """Return a random config that was not asked for yet nor is `known`, None without one.

        Where chance finds none, the valid ones are gone through in turn, as far as that takes
        no more than some seconds in all.
        """
        while self._in_turn is None:
            config = self._space.draw(self._source)
            if config is not None and config not in self._seen and config not in known:
                return config
            tries -= 1
            if config is None or tries <= 0:
                self._in_turn = self._space.valid(_MOST_STEPS)
        return next((c for c in self._in_turn if c not in self._seen and c not in known), None)


class Climb:
    """Uphill from a config: the neighbours of the best so far, begun anew elsewhere at a summit.

    Where no neighbour is better, it goes on from a random config, until `most` were tried.
    """

    def __init__(self, space: SweepSpace, start: Config, most: int, seed: int = 0) -> None:
        self._space = space
        self._random = RandomSearch(space, most, seed)
        self._left = most
        self._seen: set[Config] = set()
        self._times: dict[Config, float] = {}
        self._pending: set[Config] = set()
        self._summit: Config | None = None
        self._queue = [start] if space.meets(start) else []

    def ask(self, count: int) -> list[Config]:
        """Return up to `count` configs near the best of this climb."""
        found: list[Config] = []
        while self._left > 0 and len(found) < count:
            if not self._queue:
                if self._pending or found:
                    break  # the answers decide where to go
                self._go_on()
                if not self._queue:
                    break
            config = self._queue.pop(0)
            if config in self._seen:
                continue
            self._seen.add(config)
            self._pending.add(config)
            self._left -= 1
            found.append(config)
        return found

    def tell(self, config: Config, time_ms: float | None) -> None:
        """Move to a config that is better than the climb's best."""
        self._pending.discard(config)
        if time_ms is None:
            return
        self._times[config] = time_ms
        if self._summit is None or time_ms < self._times[self._summit]:
            self._summit = config
            self._queue = [one for one in self._space.neighbours(config) if one not in self._seen]

    def _go_on(self) -> None:
        fresh = self._random.fresh(self._seen)
        self._summit = None
        self._queue = [fresh] if fresh is not None else []
