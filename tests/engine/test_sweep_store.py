"""The store of sweeps: what was measured survives kills, damage and newer programs."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from playground.engine.sweep_store import SweepStore, opened
from playground.model.config import Config
from playground.model.ranking import Margin, Ranking
from playground.model.sweep import SweepResult, SweepRow

SMALL, LARGE = Config.of({"B": 64, "EVEN": True}), Config.of({"B": 128, "EVEN": None})
ROW = SweepRow(SMALL, "correct", median_ms=0.25, low_ms=0.24, high_ms=0.26, source="cupti", place=1)
FAILED = SweepRow(LARGE, "runtime", "its process died: SIGSEGV")


def test_rows_and_raw_samples_come_back_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "sweeps.sqlite3"
    with opened(path) as store:
        number = store.begin("key", "kernel of k.py", {"launch": 0, "target": "cuda:90"})
        store.add(number, ROW, (0.25, 0.24, 0.1 + 0.2))
        store.add(number, FAILED, ())
    with opened(path) as store:
        assert store.rows(number) == ((ROW, (0.25, 0.24, 0.1 + 0.2)), (FAILED, ()))
        (listed,) = store.sweeps()
        assert (listed.title, listed.state, listed.rows, listed.best_ms) == (
            "kernel of k.py", "running", 2, 0.25,
        )  # fmt: skip
        assert store.latest("key") == number
        assert store.latest("other") is None
        cut = store.open(number)
        assert cut.cancelled
        assert cut.rows == (ROW, FAILED)
        whole = SweepResult(
            0, "cuda:90", (ROW, FAILED), 2, False, 1.5,
            ranking=Ranking(((SMALL,),), Margin(LARGE, 1.1, 1.05, 1.2)),
        )  # fmt: skip
        store.finish(number, whole)
        again = store.open(number)
        assert again.store == number
        assert again.rows == whole.rows
        assert again.ranking == whole.ranking
        assert again.best == ROW
        with pytest.raises(LookupError, match="no sweep 99"):
            store.open(99)


def test_a_later_row_of_a_config_takes_its_place(tmp_path: Path) -> None:
    with opened(tmp_path / "s") as store:
        number = store.begin("key", "t", {})
        for row in (FAILED, SweepRow(LARGE, "correct", median_ms=1.0)):
            store.add(number, row, (1.0,))
        assert [row.status for row, _ in store.rows(number)] == ["correct"]


def test_rows_stay_in_order_when_the_clock_goes_back(tmp_path: Path, monkeypatch) -> None:
    clock = iter(range(2_000_000_000, 0, -3600))
    monkeypatch.setattr("time.time", lambda: float(next(clock)))
    configs = [Config.of({"B": 1 << n}) for n in range(9)]
    with opened(tmp_path / "s") as store:
        number = store.begin("key", "t", {})
        for config in configs:
            store.add(number, SweepRow(config, "correct", median_ms=1.0), ())
        assert [row.config for row, _ in store.rows(number)] == configs
        assert store.latest("key") == number


def test_a_damaged_file_is_set_aside_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "sweeps.sqlite3"
    path.write_bytes(b"no database at all" * 1000)
    with opened(path) as store:
        assert "damaged" in store.note
        assert store.sweeps() == ()
        store.begin("key", "t", {})
    (aside,) = tmp_path.glob("*.aside-*")
    assert aside.read_bytes().startswith(b"no database at all")


def test_a_page_that_is_damaged_is_found(tmp_path: Path) -> None:
    path = tmp_path / "sweeps.sqlite3"
    with opened(path) as store:
        for number in range(200):
            store.begin("key", f"{number}" * 100, {})
    whole = path.read_bytes()
    middle = len(whole) // 2 // 4096 * 4096
    path.write_bytes(whole[:middle] + b"\x7f" * 4096 + whole[middle + 4096 :])
    with opened(path) as store:
        assert "was set aside" in store.note
        assert "damaged" in store.note
        assert store.sweeps() == ()


def test_a_file_cut_short_is_set_aside(tmp_path: Path) -> None:
    path = tmp_path / "sweeps.sqlite3"
    with opened(path) as store:
        number = store.begin("key", "t", {})
        for block in range(300):
            store.add(number, SweepRow(Config.of({"B": block}), "correct", "x" * 200), (1.0,) * 50)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2 + 100])
    with opened(path) as store:
        assert store.note
        assert store.sweeps() == ()
    (aside,) = (file for file in tmp_path.glob("*.aside-*")
                if not file.name.endswith(("-wal", "-shm")))  # fmt: skip
    assert aside.stat().st_size == len(whole) // 2 + 100


def test_a_newer_programs_file_is_left_to_it(tmp_path: Path) -> None:
    path = tmp_path / "sweeps.sqlite3"
    database = sqlite3.connect(path)
    database.execute("create table of_tomorrow (x)")
    database.execute("pragma user_version = 99")
    database.close()
    with opened(path) as store:
        assert "version 99" in store.note
        assert store.sweeps() == ()
    (aside,) = tmp_path.glob("*.aside-*")
    database = sqlite3.connect(aside)
    assert database.execute("select name from sqlite_master").fetchall() == [("of_tomorrow",)]
    database.close()


def test_two_writers_take_turns(tmp_path: Path) -> None:
    path = tmp_path / "sweeps.sqlite3"
    with opened(path) as one, opened(path) as other:
        first, second = one.begin("a", "t", {}), other.begin("b", "t", {})
        assert first != second
        for block in range(20):
            for store, number in ((one, first), (other, second)):
                store.add(number, SweepRow(Config.of({"B": block}), "correct"), ())
        assert [sweep.rows for sweep in one.sweeps()] == [20, 20]


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    from playground.engine.sweep_store import StoreError

    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="cannot be used"):
        SweepStore(tmp_path / "file" / "sweeps.sqlite3")


SWEEP = """
import os, signal
import playground
from playground.engine.job import Job
from playground.model.sweep_plan import SweepPlan
from playground.model.sweep_space import make_space
from playground.protocol.messages import SweepProgress

session = playground.open(KERNELS / "vector_add.py")
session.run("example()", {"size": 5000})
launch = session.launches[0].info
blocks = tuple(1 << power for power in range(5, 5 + COUNT))
space = make_space(launch.knobs, launch.config, {"BLOCK_SIZE": blocks}, ("BLOCK_SIZE != 64",))
plan = SweepPlan(space, stored=True, resume=True)
tried = []
def take(reply):
    if isinstance(reply, SweepProgress):
        tried.extend(row for row in reply.rows if not row.kept)
        if reply.done == KILL_AT:
            os.kill(os.getpid(), signal.SIGKILL)
result = session.sweep(0, plan=plan, job=Job(take))
answer({"rows": [[row.config["BLOCK_SIZE"], row.status, row.kept] for row in result.rows],
        "tried": sorted(row.config["BLOCK_SIZE"] for row in tried),
        "store": result.store, "cancelled": result.cancelled})
session.close()
"""


def test_a_sweep_whose_engine_was_killed_finishes_only_the_rest(run_engine, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    with pytest.raises(AssertionError, match="ended with -9"):
        run_engine("COUNT, KILL_AT = 5, 3\n" + SWEEP)
    path = tmp_path / "data" / "triton-playground" / "sweeps.sqlite3"
    with opened(path) as store:
        (cut,) = store.sweeps()
        assert (cut.rows, cut.state) == (3, "running")
        known = {row.config["BLOCK_SIZE"] for row, _ in store.rows(cut.number)}
    answer = run_engine("COUNT, KILL_AT = 5, 99\n" + SWEEP)
    assert answer["store"] == cut.number
    assert {block: status for block, status, _ in answer["rows"]} == {
        32: "correct", 64: "constraint", 128: "correct", 256: "correct", 512: "correct",
    }  # fmt: skip
    kept = {block for block, _, kept in answer["rows"] if kept}
    assert kept == known - {64}
    assert set(answer["tried"]) == {32, 64, 128, 256, 512} - kept
    with opened(path) as store:
        (whole,) = store.sweeps()
        assert (whole.rows, whole.state) == (5, "done")
