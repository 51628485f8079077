"""The verb `experiment`: the list, what is kept, and what happens where there is no GPU."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from playground.cli.main import main
from playground.model.experiment import ExperimentResult, Figures, Machine
from playground.model.experiments import EXPERIMENTS
from playground.protocol import experiment_files

RESULT = ExperimentResult(
    "tma", 1, Figures(("case", "times faster"), (("wide", 1.5), ("tall", 1.1))),
    Machine("NVIDIA H200", 132, 4249.0, "580", "2.11.0", "3.6.0"), "2026-11-30", 9.5,
)  # fmt: skip


@pytest.fixture(autouse=True)
def kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(experiment_files, "shipped_dir", lambda: tmp_path / "shipped")
    monkeypatch.setattr(experiment_files, "own_dir", lambda: tmp_path / "own")
    experiment_files.keep(RESULT, tmp_path / "shipped")
    return tmp_path


def test_the_list_has_every_rule_and_the_verdicts_there_are(capsys) -> None:
    assert main(["experiment", "--list"]) == 0
    out = capsys.readouterr().out
    assert all(item.name in out and item.claim in out for item in EXPERIMENTS)
    assert "holds only when" in out
    assert "NVIDIA H200, triton 3.6.0, torch 2.11.0, 2026-11-30" in out


def test_what_is_kept_is_shown_with_figures_rule_and_verdict(capsys) -> None:
    assert main(["experiment", "tma", "--shown"]) == 0
    out = capsys.readouterr().out
    assert "wide           1.5" in out
    assert "rule     Holds where descriptors are at least 1.4 times as fast." in out
    assert "verdict  holds only when: wide" in out


def test_json_has_figures_and_verdict(capsys) -> None:
    assert main(["experiment", "tma", "--shown", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found[0]["figures"]["rows"] == [["wide", 1.5], ["tall", 1.1]]
    assert found[0]["verdict"]["kind"] == "holds only when"
    assert found[0]["machine"]["gpu"] == "NVIDIA H200"


def test_our_own_result_goes_before_the_shipped_one(capsys, kept: Path) -> None:
    own = ExperimentResult(
        "tma", 1, Figures(("case", "times faster"), (("wide", 1.9),)), Machine("Mine", 1, 1.0),
        "2026-12-01", 1.0,
    )  # fmt: skip
    experiment_files.keep(own, kept / "own")
    main(["experiment", "tma", "--shown"])
    assert "measured Mine" in capsys.readouterr().out


def test_without_a_gpu_measuring_says_so_and_shows_what_is_kept(
    capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    from playground.engine import machine
    from playground.model.device import DeviceInfo

    device = DeviceInfo("interpreter", "CPU", "cuda:90", "2.11.0", "3.6.0", "3.12")
    monkeypatch.setattr(machine, "device_info", lambda: device)
    assert main(["experiment", "tma"]) == 1
    said = capsys.readouterr()
    assert "there is no GPU here to measure" in said.err
    assert "measured NVIDIA H200" in said.out


@pytest.mark.parametrize("arguments", [[], ["folklore"]])
def test_what_is_no_experiment_is_a_usage_error(capsys, arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["experiment", *arguments])
    assert caught.value.code == 2
    assert "--list" in capsys.readouterr().err
