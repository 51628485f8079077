"""A store that is anything at all is set aside, and the next one works."""

import contextlib
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.engine.sweep_store import StoreError, SweepStore
from tests.full_disks import full_disk, read_only_folder
from tests.fuzzed import examples


def fill(store: SweepStore) -> None:
    for _ in range(1000):
        store.begin("context", "x" * 5000, {})


@pytest.fixture
def valid(tmp_path: Path) -> bytes:
    store = SweepStore(tmp_path / "valid.sqlite3")
    store.begin("context", "a title", {})
    store.close()
    return (tmp_path / "valid.sqlite3").read_bytes()


@examples(20)
@given(st.data())
def test_any_file_is_used_or_set_aside(tmp_path: Path, valid: bytes, data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(["noise", "cut", "changed"]))
    if kind == "noise":
        content = data.draw(st.binary(min_size=1, max_size=3000))
    elif kind == "cut":
        content = valid[: data.draw(st.integers(1, len(valid) - 1))]
    else:
        start = data.draw(st.integers(0, len(valid) - 1))
        noise = data.draw(st.binary(min_size=1, max_size=200))
        content = valid[:start] + noise + valid[start + len(noise) :]
    path = tmp_path / "sweeps.sqlite3"
    for old in tmp_path.glob("sweeps.sqlite3*"):
        old.unlink()
    path.write_bytes(content)
    store = SweepStore(path)
    try:
        if store.note:
            assert "was set aside" in store.note
            (aside,) = (each for each in tmp_path.glob("*.aside-*") if each.name[-1].isdigit())
            assert aside.read_bytes() == content
        assert store.begin("other", "title", {}) >= 1
        assert store.latest("other") is not None
    finally:
        store.close()


def test_a_full_disk_is_told_and_what_was_kept_stays(tmp_path: Path) -> None:
    with full_disk(tmp_path, 256 * 1024) as disk:
        store = SweepStore(disk / "sweeps.sqlite3")
        number = store.begin("context", "kept", {})
        filler = disk / "filler"
        with contextlib.suppress(OSError):
            filler.write_bytes(b"x" * 256 * 1024)
        with pytest.raises(sqlite3.OperationalError, match="full"):
            fill(store)
        filler.unlink()
        store.close()
        again = SweepStore(disk / "sweeps.sqlite3")
        assert "kept" in [each.title for each in again.sweeps() if each.number == number]
        assert again.note == ""
        again.close()


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with read_only_folder(tmp_path) as folder, pytest.raises(StoreError, match="cannot be used"):
        SweepStore(folder / "sub" / "sweeps.sqlite3")
