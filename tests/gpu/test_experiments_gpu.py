"""Experiments on the GPU: each measures in a process of its own, in time, and can be judged."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.gpu

CODE = """
from playground.engine import experiments, machine
from playground.engine.job import Job
from playground.model.experiments import named, verdict
from playground.protocol import experiment_files

experiment_files.own_dir = lambda: FOLDER
machine.prepare_environment()
result = experiments.measure({name!r}, machine.device_info(), Job())
answer({{"kind": verdict(result).kind, "elapsed_s": result.elapsed_s,
         "rows": [list(row) for row in result.figures.rows],
         "kept": len(experiment_files.results(FOLDER))}})
"""


@pytest.mark.parametrize("name", ["zero-copy", "fixed-config", "compile-time"])
def test_a_quick_experiment_measures_and_keeps(run_engine, name: str) -> None:
    found = run_engine(CODE.format(name=name), interpret=False)
    assert found["rows"]
    assert found["kind"] != "not measured"
    assert found["kept"] == 1
    assert found["elapsed_s"] < 120
