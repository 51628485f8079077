"""How good the searches are: best found within N configs over the true best, median of 10 seeds.

`python -m tests.benchmarks.search_quality` replays, with each strategy and without a GPU, two made
up sweeps and every one that `record_sweeps` wrote to assets/sweeps. A config that failed counts as
one of the N.
"""

from __future__ import annotations

import argparse
from statistics import median

from playground.engine.searching import search_for
from playground.model.sweep_plan import Strategy, SweepPlan
from tests.sweep_tables import Table, recorded, synthetic

STRATEGIES: tuple[Strategy, ...] = ("random", "climb", "tpe")
AFTER = (25, 50, 100, 200)
SEEDS = range(10)
LIMIT = 1.02


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    header = "".join(f"{f'≤ {count}':>9}" for count in AFTER)
    print(f"{'':32}{'configs':>9}{'':10}{header}")
    for table in [synthetic(0), synthetic(1), *recorded()]:
        for strategy in STRATEGIES:
            ratios = quality(table, strategy)
            shown = "".join(f"{ratio:9.3f}" for ratio in ratios.values())
            print(f"{table.name:32}{table.space.count().valid:9}{strategy:>10}{shown}", flush=True)
            if strategy == "tpe":
                met = "met" if ratios[100] <= LIMIT else "MISSED"
                print(f"{'':32}within 2 % in ≤ 100 configs, median of {len(SEEDS)} seeds: {met}")


def quality(table: Table, strategy: Strategy) -> dict[int, float]:
    """Return the median over seeds of best found over true best, by configs tried."""
    curves = []
    for seed in SEEDS:
        middle = next(table.space.valid())
        plan = SweepPlan(table.space, strategy, most=max(AFTER), seed=seed, start=middle)
        search, _ = search_for(plan, timed=True)
        curves.append(table.replay(search))
    return {n: median(curve[min(n, len(curve)) - 1] for curve in curves) for n in AFTER}


if __name__ == "__main__":
    main()
