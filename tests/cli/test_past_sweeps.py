"""The verb `sweeps` on a store that is written here."""

from __future__ import annotations

import json

import pytest

from playground.cli.main import main
from playground.engine.machine import has_nvidia_gpu
from playground.engine.sweep_store import opened
from playground.model.config import Config
from playground.model.sweep import SweepResult, SweepRow

CONFIG = Config.of({"BLOCK_SIZE_M": 64, "num_warps": 4})


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    with opened() as store:
        for size in (16, 256):
            facts = {"kernel": "moe", "gpu": "H200", "sizes": {"m": size}, "target": "cuda:90"}
            number = store.begin("key", f"moe of moe.py at m={size}", facts)
            row = SweepRow(CONFIG.with_value("BLOCK_SIZE_M", size), "correct", median_ms=0.5)
            store.add(number, row, (0.4, 0.5, 0.6))
            if size == 16:
                store.finish(number, SweepResult(0, "cuda:90", (row,), 1, False, 2.0))


def said(capsys, *arguments):
    status = main(["sweeps", *arguments])
    taken = capsys.readouterr()
    return status, taken.out, taken.err


def test_past_sweeps_are_listed_newest_first(store, capsys):
    status, out, _ = said(capsys)
    assert status == 0
    lines = out.splitlines()
    assert "m=256" in lines[1]
    assert "cut short" in lines[1]
    assert "done" in lines[2]
    assert [item["number"] for item in json.loads(said(capsys, "--json")[1])] == [2, 1]


def test_one_is_shown_again(store, capsys):
    status, out, _ = said(capsys, "1")
    assert status == 0
    assert "sweep of moe for cuda:90: 1 of 1 configs" in out
    (document,) = json.loads(said(capsys, "1", "--json")[1])
    assert document["best"]["config"]["BLOCK_SIZE_M"] == 16


def test_other_programs_get_their_forms(store, capsys):
    t4 = json.loads(said(capsys, "1", "--t4")[1])
    assert t4["results"][0]["times"]["runtimes"] == [0.4, 0.5, 0.6]
    assert json.loads(said(capsys, "2", "1", "--table", "m")[1]) == {
        "16": {"BLOCK_SIZE_M": 16, "num_warps": 4},
        "256": {"BLOCK_SIZE_M": 256, "num_warps": 4},
    }


def test_what_is_not_there_is_said(store, capsys):
    assert said(capsys, "7")[0] == 2
    status, _, err = said(capsys, "1", "--table", "rows")
    assert status == 1
    assert "no problem size rows; it has m" in err
    with pytest.raises(SystemExit):
        main(["sweeps", "--t4"])


@pytest.mark.skipif(has_nvidia_gpu(), reason="what happens without a GPU")
def test_what_was_not_timed_is_not_exported(call, tmp_path):
    from tests.cli.command import KERNELS

    swept = call("sweep", KERNELS / "matmul.py", "--set", "m=64", "--space", "BLOCK_M=16,32",
                 "--set", "n=64", "--set", "k=32", "--json")  # fmt: skip
    number = swept.document["sweep"]["store"]
    assert swept.document["sweep"]["best"] is None  # nothing is timed without a GPU
    done = call("export", KERNELS / "matmul.py", "--sweep", number, "--json")
    assert done.status == 2
    assert "timed no right config" in done.document["findings"][-1]["message"]
    assert call("export", KERNELS / "matmul.py", "--best", 2, "--json").status == 2


def test_export_by_size_from_two_past_sweeps(call, tmp_path, monkeypatch):
    from tests.cli.command import KERNELS

    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    sizes = ("--set", "n=64", "--set", "k=32")
    done = call("launches", KERNELS / "matmul.py", "--set", "m=64", *sizes, "--json")
    config = Config.of(done.document["launches"][0]["config"])
    with opened() as store:
        for m, block in ((64, 16), (1024, 64)):
            facts = {"arguments": [["M", "int", str(m)], ["N", "int", "64"], ["K", "int", "32"]]}
            number = store.begin("key", f"at {m}", facts)
            row = SweepRow(config.with_value("BLOCK_M", block), "correct", median_ms=1.0)
            store.add(number, row, (1.0,))
    path = tmp_path / "tuned.py"
    done = call("export", KERNELS / "matmul.py", "--set", "m=64", *sizes, "--sweep", 1,
                "--sweep", 2, "--dispatch", "-o", path, "--json")  # fmt: skip
    assert done.status == 0, done.err
    assert done.document["export"]["config"]["BLOCK_M"] == 16
    assert "# The config by M" in path.read_text()
    tuned = call("export", KERNELS / "matmul.py", "--set", "m=64", *sizes, "--sweep", 1,
                 "--sweep", 2, "--best", 2, "--json")  # fmt: skip
    assert 'key=["M", "N", "K"]' in tuned.document["export"]["text"]
    assert call("export", KERNELS / "matmul.py", "--dispatch", "--json").status == 2


def test_two_sweeps_are_compared(store, capsys):
    with opened() as kept:
        for number, ms in ((1, 0.5), (2, 0.4)):
            row = SweepRow(CONFIG, "correct", median_ms=ms, low_ms=ms * 0.99, high_ms=ms * 1.01)
            kept.add(number, row, (ms,))
    status, out, _ = said(capsys, "1", "2", "--compare")
    assert status == 0
    assert "m=16" in out
    assert "1 faster" in out
    assert "−20.0 %" in out
    found = json.loads(said(capsys, "1", "2", "--compare", "--json")[1])
    assert found["changes"][0]["ratio"] == 0.8
    assert found["differences"] == [["problem sizes", "m=16", "m=256"]]
    with pytest.raises(SystemExit):
        said(capsys, "1", "--compare")
