"""How good the searches are: best found within N configs over the true best, median of 10 seeds.

`python -m tests.benchmarks.search_quality` replays every recorded sweep (and a synthetic one) with
each strategy. `python -m tests.benchmarks.search_quality record FILE NAME [--driver CODE] --values
K=V,…` sweeps a space exhaustively on this machine's GPU and writes it to tests/recorded_sweeps.
"""

from __future__ import annotations

import argparse
import json
from statistics import median

from playground.engine.searching import search_for
from playground.model.sweep_plan import Strategy, SweepPlan
from tests.sweep_tables import RECORDED, Table, recorded, synthetic

STRATEGIES: tuple[Strategy, ...] = ("random", "climb", "tpe")
AFTER = (25, 50, 100, 200)
SEEDS = range(10)
LIMIT = 1.02


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("action", nargs="?", choices=("replay", "record"), default="replay")
    parser.add_argument("file", nargs="?")
    parser.add_argument("name", nargs="?")
    parser.add_argument("--driver", default=None)
    parser.add_argument("--values", action="append", default=[])
    parser.add_argument("--where", action="append", default=[])
    options = parser.parse_args()
    if options.action == "record":
        record(options)
        return
    header = "".join(f"{f'≤ {count}':>9}" for count in AFTER)
    print(f"{'':24}{'configs':>9}{'':10}{header}")
    for table in [synthetic(0), synthetic(1), *recorded()]:
        for strategy in STRATEGIES:
            ratios = quality(table, strategy)
            shown = "".join(f"{ratio:9.3f}" for ratio in ratios.values())
            print(f"{table.name:24}{len(table.times_ms):9}{strategy:>10}{shown}")
            if strategy == "tpe":
                met = "met" if ratios[100] <= LIMIT else "MISSED"
                print(f"{'':24}within 2 % in ≤ 100 configs, median of {len(SEEDS)} seeds: {met}")


def quality(table: Table, strategy: Strategy) -> dict[int, float]:
    """Return the median over seeds of best found over true best, by configs tried."""
    curves = []
    for seed in SEEDS:
        middle = next(table.space.valid())
        plan = SweepPlan(table.space, strategy, most=max(AFTER), seed=seed, start=middle)
        search, _ = search_for(plan, timed=True)
        curves.append(table.replay(search))
    return {n: median(curve[min(n, len(curve)) - 1] for curve in curves) for n in AFTER}


def record(options: argparse.Namespace) -> None:
    """Sweep a space exhaustively, every config timed to the end, and write it as a table."""
    import playground
    from playground.model.sweep_space import make_space
    from playground.model.sweep_values import parse_values

    session = playground.open(options.file)
    session.run(options.driver)
    launch = session.launches[0].info
    values = {}
    for given in options.values:
        name, _, text = given.partition("=")
        values[name] = parse_values(launch.knob(name), text)
    space = make_space(launch.knobs, launch.config, values, options.where)
    result = session.sweep(0, plan=SweepPlan(space, "exhaustive", stored=True, resume=True))
    names = [name for name, _ in space.axes]
    rows = [
        [[row.config[name] for name in names], row.median_ms if row.status == "correct" else None]
        for row in result.rows
    ]
    device = session.device
    session.close()
    RECORDED.mkdir(exist_ok=True)
    path = RECORDED / f"{options.name}.json"
    path.write_text(
        json.dumps({"device": device.name, "triton": device.triton, "kernel": launch.kernel,
                    "driver": options.driver, "axes": dict(space.axes), "rows": rows})
    )  # fmt: skip
    print(f"{len(rows)} configs of {launch.kernel} in {result.elapsed_s:.0f} s: {path}")


if __name__ == "__main__":
    main()
