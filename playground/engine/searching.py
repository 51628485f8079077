"""The search that a plan asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playground.model.search import Climb, RandomSearch, Search, Shuffled
from playground.model.sweep_plan import SEARCHED, chosen_strategy, too_many
from playground.model.sweep_space import MOST_STEPS

if TYPE_CHECKING:
    from playground.model.config import Config
    from playground.model.sweep_plan import SweepPlan


class SearchError(RuntimeError):
    """A search that cannot be made here; the message says what to do."""


def search_for(plan: SweepPlan, *, timed: bool) -> tuple[Search, int | None]:
    """Return the search, and how many configs it will try; None where the answers decide.

    Raises
    ------
    SearchError
        There are too many configs to try them all, or Optuna is asked for and not installed.
    """
    space = plan.space
    count = space.count()
    strategy = chosen_strategy(plan, count.valid, timed=timed)
    if why := too_many(strategy, plan.most, count.valid):
        raise SearchError(f"{why}: choose another strategy, or how many to try")
    if strategy == "exhaustive" and (plan.most is None or plan.most >= count.valid):
        configs = list(space.valid())
        return Shuffled(configs, plan.seed), len(configs)
    most = plan.most or SEARCHED
    if count.exact:
        most = min(most, count.valid)
    first: list[Config] = [c for c in (plan.start, plan.baseline) if c is not None and c in space]
    if strategy in ("random", "exhaustive"):  # as many of all as are wanted
        return RandomSearch(space, most, plan.seed, first), most
    if strategy == "climb":
        start = first[0] if first else next(space.valid(MOST_STEPS), None)
        if start is None:
            return Shuffled(()), 0
        return Climb(space, start, most, plan.seed), None
    try:
        from playground.engine.tpe import TpeSearch
    except ImportError as error:
        raise SearchError(
            "Optuna, which a search by TPE asks, is not installed: pip install optuna, or choose "
            "another strategy (random, climb, exhaustive)"
        ) from error
    return TpeSearch(space, most, plan.seed, first), None
