"""State files: whole or not at all, private, and set aside where they can't be used."""

import json
import stat
from dataclasses import dataclass

import pytest

from playground.ui.state_files import StateProblem, private_folder, read_state, write_state
from tests.full_disks import full_disk, read_only_folder


@dataclass(frozen=True)
class Thing:
    path: str
    unsaved: str | None = None


def test_what_was_written_comes_back(tmp_path):
    path = tmp_path / "a.json"
    # A lone surrogate: typed by nobody, but a file's name may hold one.
    write_state(path, Thing("/k\udcff.py", "x = 1\n"), 1)
    assert read_state(path, Thing, 1) == (Thing("/k\udcff.py", "x = 1\n"), "")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"\x00\x01\x02", "damaged"),
        (b"", "damaged"),
        (b'{"version": 1, "path": 3}', "damaged"),
        (b'{"path": "a"}', "damaged"),
        (b"[" * 200_000, "damaged"),
        (b'{"version": 2, "path": "a", "new": []}', "version 2, this program knows 1"),
        (b'{"version": "1; import os", "path": "a"}', "version"),
    ],
    ids=["bytes", "empty", "type", "no version", "deep", "newer", "words"],
)
def test_what_cannot_be_used_is_set_aside_and_told(tmp_path, data, why):
    path = tmp_path / "a.json"
    path.write_bytes(data)
    held, note = read_state(path, Thing, 1)
    assert held is None
    assert why in note
    (aside,) = tmp_path.iterdir()
    assert aside.name.startswith("a.json.aside-")
    assert aside.read_bytes() == data


def test_a_missing_file_is_nothing_to_tell(tmp_path):
    assert read_state(tmp_path / "none.json", Thing, 1) == (None, "")


def test_a_full_disk_keeps_the_old_file(tmp_path):
    with full_disk(tmp_path, 64 * 1024) as folder:
        path = folder / "a.json"
        write_state(path, Thing("a", "old"), 1)
        with pytest.raises(StateProblem, match="No space left"):
            write_state(path, Thing("a", "x" * 200_000), 1)
        assert json.loads(path.read_text())["unsaved"] == "old"
        assert [each.name for each in folder.iterdir()] == ["a.json"]


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    with read_only_folder(tmp_path) as folder, pytest.raises(StateProblem, match="Read-only"):
        private_folder(folder / "state")
