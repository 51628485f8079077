"""Each measurement, rehearsed at small sizes in the interpreter: it ends, and can be judged.

What needs a GPU's compiler and tuner (the first call, the frozen config) is tried on one alone:
`tests/gpu/test_experiments_gpu.py`.
"""

from __future__ import annotations

CODE = """
import os, sys
sys.path.insert(0, sys.argv[2])
from tests.experiments.rehearsal import Rehearsal
from playground.experiments.measuring import MEASUREMENTS
from playground.model.experiments import EXPERIMENTS, named

found = {}
for name in ("block-size", "grid-size", "hints", "persistent", "tma", "num-stages", "libraries",
             "zero-copy"):
    bench = Rehearsal()
    figures = MEASUREMENTS[name](bench)
    plot = named(name).plot
    found[name] = {
        "columns": list(figures.columns), "rows": [list(row) for row in figures.rows],
        "plotted": [c for c in (plot.along, plot.value, plot.line) if c],
        "verdict": named(name).judge(figures).kind, "called": bench.called,
    }
answer({"found": found, "measured": sorted(MEASUREMENTS),
        "named": sorted(item.name for item in EXPERIMENTS)})
"""


def test_every_measurement_gives_figures_that_its_rule_and_plot_can_use(run_engine) -> None:
    answer = run_engine(CODE)
    assert answer["measured"] == answer["named"]
    for name, facts in answer["found"].items():
        assert facts["rows"], name
        assert all(len(row) == len(facts["columns"]) for row in facts["rows"]), name
        assert set(facts["plotted"]) <= set(facts["columns"]), name
        assert facts["verdict"] in ("holds", "holds only when", "does not hold here") or (
            name == "grid-size"  # one block of two multiprocessors leaves no grid of 4 to 8
        ), name
    found = answer["found"]
    # A kernel that reads another address, or a launch that copies, would show here too.
    assert {row[1] for row in found["zero-copy"]["rows"]} == {1.0}
    assert found["zero-copy"]["verdict"] == "holds"
    assert found["block-size"]["called"].count("128") == 2
    fastest = [row[3] for row in found["block-size"]["rows"] if row[0] == "2^8"]
    assert min(fastest) == 1.0
