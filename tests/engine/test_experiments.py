"""Running an experiment in its own process: its result is kept, its failure and death are told."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from playground.engine import experiments
from playground.engine.job import CancelledError, Job
from playground.model.device import DeviceInfo
from playground.model.experiment import Figures
from playground.protocol import experiment_files

GPU = DeviceInfo("gpu", "NVIDIA Test 9000", "cuda:90", "2.11.0", "3.6.0", "3.12")
NO_GPU = DeviceInfo("interpreter", "CPU", "cuda:90", "2.11.0", "3.6.0", "3.12")

WORKER = """
import pickle, sys, time, os
from multiprocessing.connection import Connection
from playground.model.experiment import ExperimentResult, Figures, Machine
connection = Connection(int(sys.argv[1]))
name = pickle.loads(connection.recv_bytes())
if name == "hints":
    answer = "OutOfMemoryError: 64 GiB"
elif name == "persistent":
    print("something on the way"); os._exit(7)
elif name == "tma":
    time.sleep(60)
else:
    figures = Figures(("case", "share of the library"), (("a", 1.0),))
    answer = ExperimentResult(name, 1, figures, Machine("G", 1, 1.0), "2026-11-30", 0.5)
connection.send_bytes(pickle.dumps(answer))
"""


@pytest.fixture
def worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "scripted_experiments.py").write_text(WORKER)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(experiment_files, "own_dir", lambda: tmp_path / "own")
    return "scripted_experiments"


def test_a_result_is_returned_and_kept(worker: str) -> None:
    with experiments.Measuring(worker) as measuring:
        found = experiments.measure("libraries", GPU, Job(), measuring)
    assert found.figures == Figures(("case", "share of the library"), (("a", 1.0),))
    assert experiment_files.results(experiment_files.own_dir()) == (found,)


@pytest.mark.parametrize(
    ("name", "words"),
    [("hints", "hints failed: OutOfMemoryError: 64 GiB"),
     ("persistent", "died (exit status 7): something on the way")],
)  # fmt: skip
def test_a_failure_is_told_and_nothing_is_kept(worker: str, name: str, words: str) -> None:
    with pytest.raises(experiments.ExperimentError) as caught:
        experiments.measure(name, GPU, Job(), experiments.Measuring(worker))
    assert words in str(caught.value)
    assert experiment_files.results(experiment_files.own_dir()) == ()


def test_a_process_that_died_is_replaced_for_the_next(worker: str) -> None:
    with experiments.Measuring(worker) as measuring:
        with pytest.raises(experiments.ExperimentError):
            experiments.measure("persistent", GPU, Job(), measuring)
        assert experiments.measure("libraries", GPU, Job(), measuring).name == "libraries"


def test_cancelling_ends_the_process(worker: str) -> None:
    job = Job()
    job.cancel()
    with pytest.raises(CancelledError):
        experiments.measure("tma", GPU, job, experiments.Measuring(worker))


def test_without_a_gpu_nothing_is_started() -> None:
    with pytest.raises(experiments.ExperimentError, match="no GPU here") as caught:
        experiments.measure("tma", NO_GPU, Job(), experiments.Measuring("no_such_module"))
    assert "come with the program" in caught.value.hint


def test_a_name_that_is_none_is_refused() -> None:
    with pytest.raises(KeyError):
        experiments.measure("folklore", GPU, Job())


def test_the_engine_knows_the_worker_by_name_alone() -> None:
    assert experiments.WORKER == "playground.experiments.worker"
    assert not [name for name in sys.modules if name.startswith("playground.experiments")]
