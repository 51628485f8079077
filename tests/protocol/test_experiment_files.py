"""Results in files: written and read back the same, one an experiment and GPU, odd files left."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import msgspec

from playground.model.experiment import ExperimentResult, Figures, Machine
from playground.model.experiments import EXPERIMENTS, named, verdict
from playground.protocol import experiment_files

FIGURES = Figures(("case", "times faster"), (("a", 1.5), ("b", None)))
RESULT = ExperimentResult(
    "tma", 1, FIGURES, Machine("NVIDIA H200", 132, 4249.0), "2026-11-30", 9.5, ("a note",)
)


def test_a_result_comes_back_as_it_was(tmp_path: Path) -> None:
    path = experiment_files.keep(RESULT, tmp_path / "new folder")
    assert path.name == "tma.nvidia-h200.json"
    assert experiment_files.results(path.parent) == (RESULT,)
    assert experiment_files.results(path.parent, "hints") == ()


def test_a_later_run_takes_the_place_of_the_earlier_one_on_its_gpu_alone(tmp_path: Path) -> None:
    other = dataclasses.replace(RESULT, machine=Machine("NVIDIA B200", 148, 7000.0))
    later = dataclasses.replace(RESULT, measured="2027-01-02")
    for result in (RESULT, other, later):
        experiment_files.keep(result, tmp_path)
    assert experiment_files.results(tmp_path, "tma") == (later, other)
    assert len(list(tmp_path.iterdir())) == 2  # nothing half written is left


def test_a_file_that_is_no_result_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "tma.broken.json").write_text("{]")
    (tmp_path / "tma.other.json").write_text('{"name": "tma"}')
    experiment_files.keep(RESULT, tmp_path)
    assert experiment_files.results(tmp_path) == (RESULT,)
    assert experiment_files.results(tmp_path / "none") == ()


def test_what_comes_with_the_program_can_be_judged_and_says_where_it_is_from() -> None:
    shipped = experiment_files.results(experiment_files.shipped_dir())
    assert len({(r.name, r.machine.gpu) for r in shipped}) == len(shipped)
    for result in shipped:
        assert result.version == named(result.name).version
        assert verdict(result).kind != "not measured"
        assert result.machine.gpu
        assert result.machine.triton
        plot = named(result.name).plot
        for column in filter(None, (plot.along, plot.value, plot.line)):
            assert column in result.figures.columns
    names = {item.name for item in EXPERIMENTS}
    assert {result.name for result in shipped} in (names, set())


def test_floats_that_are_whole_stay_floats(tmp_path: Path) -> None:
    figures = Figures(("case", "times faster"), (("a", 2.0),))
    path = experiment_files.keep(dataclasses.replace(RESULT, figures=figures), tmp_path)
    read = msgspec.json.decode(path.read_bytes(), type=ExperimentResult)
    assert isinstance(read.figures.rows[0][1], float)
