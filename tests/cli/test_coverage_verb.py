"""What `coverage` tells beside the counts, and the files it writes."""

import argparse
import json
import os
import struct
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from playground.cli import coverage_files
from playground.cli.programs_schema import runs
from tests.cli.command import ROOT
from tests.cli.conftest import caller
from tests.cli.documents import check_document

MATMUL = ROOT / "kernels" / "matmul.py"
SIZES = ["--set", "m=128", "--set", "n=192", "--set", "k=64", "--set", "GROUP_M=1"]


def png_size(path):
    """Return width and height of a PNG."""
    head = path.read_bytes()[:24]
    assert head.startswith(b"\x89PNG")
    return struct.unpack(">II", head[16:24])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("coverage")


@pytest.fixture(scope="module")
def written(folder, tmp_path_factory, warm_processes):
    """Return what one run of the verb with every picture and table printed."""
    return caller(folder, tmp_path_factory.mktemp("call"))(
        "coverage", MATMUL, *SIZES, "--reuse", "--steps", "4", "--target", "cuda:80", "--json",
        "--png", folder / "tiles.png", "--svg", folder / "tiles.svg",
        "--npz", folder / "counts.npz",
    )  # fmt: skip


def test_reuse_steps_and_files_in_one_document(written, folder):
    # 2 × 3 tiles of 64 × 64; row by row, program 4 is (1, 1).
    done = written
    assert done.status == 0, done.err
    check_document(done.document, "coverage")
    found = done.document["coverage"]
    assert found["schedule"] is None
    size = 2  # bytes of a float16
    assert found["reuse"]["fetched_bytes"] == found["reuse"]["least_bytes"]
    assert found["reuse"]["least_bytes"] == size * (128 * 64 + 64 * 192 + 128 * 192)
    assert found["reuse"]["per_tensor"][0] == ["a_ptr", 3 * size * 128 * 64, size * 128 * 64]
    rows = found["steps"]["rows"]
    assert [(row["kind"], row["tensor"]) for row in rows] == [
        ("load", "a_ptr"), ("load", "b_ptr"), ("load", "a_ptr"), ("load", "b_ptr"),
        ("store", "c_ptr"),
    ]  # fmt: skip
    assert rows[0]["runs"] == [[64 * (64 + row), 32] for row in range(64)]
    assert rows[1]["runs"] == [[192 * row + 64, 64] for row in range(32)]
    assert rows[4]["elements"] == 64 * 64
    assert "tl.load" in MATMUL.read_text().splitlines()[rows[0]["line"] - 1]
    for kind, name in (("png", "tiles.png"), ("svg", "tiles.svg"), ("npz", "counts.npz")):
        assert found["files"][kind] == str(folder / name)
    width, height = png_size(folder / "tiles.png")
    assert width > height > 400
    drawing = ElementTree.parse(folder / "tiles.svg").getroot()
    words = " ".join(drawing.itertext())
    for expected in ("matmul_kernel under", "c_ptr", "every element written", "owner program"):
        assert expected in words
    assert any(node.tag.endswith("image") for node in drawing.iter())


def test_the_counts_are_numpy_s(written, folder):
    assert written.status == 0, written.err
    with np.load(folder / "counts.npz", allow_pickle=False) as counts:
        about = json.loads(str(counts["about"]))
        assert about["kernel"] == "matmul_kernel"
        assert about["config"]["BLOCK_M"] == 64
        assert counts["grid"].tolist() == [6, 1, 1]
        i, j = np.indices((128, 192)) // 64
        assert (counts["c_ptr.owner"] == 3 * i + j).all()
        assert (counts["c_ptr.first_writer"] == counts["c_ptr.last_writer"]).all()
        assert (counts["c_ptr.stores"] == 1).all()
        assert (counts["c_ptr.loads"] == 0).all()
        row = np.indices((128, 64))[0] // 64
        assert (counts["a_ptr.loads"] == 3).all()
        assert (counts["a_ptr.first_loader"] == 3 * row).all()
        assert (counts["a_ptr.last_loader"] == 3 * row + 2).all()
        assert (counts["a_ptr.owner"] == -1).all()


def test_files_of_its_own_are_replaced_and_others_are_not(call, folder):
    foreign = folder / "notes.svg"
    foreign.write_text("<svg/>")
    done = call("coverage", MATMUL, *SIZES, "--svg", foreign)
    assert done.status == 2
    assert "--force replaces it" in done.err
    assert foreign.read_text() == "<svg/>"
    again = folder / "again.npz"
    for _ in range(2):
        done = call("coverage", MATMUL, *SIZES, "--npz", again)
        assert done.status == 0, done.err
        assert f"wrote {again}" in done.out
    assert "where memory is accessed" in done.out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--png", "tiles.jpg"], "ends in .png"),
        (["--svg", "nowhere/tiles.svg"], "there is no folder nowhere"),
        (["--npz", "."], "ends in .npz"),
    ],
)
def test_a_file_that_cannot_be_is_refused_before_the_work(call, arguments, told):
    done = call("coverage", MATMUL, *arguments)
    assert done.status == 2
    assert told in done.err


@pytest.mark.skipif(not os.path.isdir("/proc"), reason="no folder that nobody may write to")
@pytest.mark.parametrize("kind", ["png", "npz"])
def test_a_file_that_cannot_be_written_is_told_without_a_traceback(call, kind):
    done = call("coverage", MATMUL, *SIZES, f"--{kind}", f"/proc/none.{kind}")
    assert done.status != 0
    assert f"/proc/none.{kind}" in done.err
    assert "give a" in done.err
    assert "Traceback" not in done.err


def test_a_folder_without_permission_is_refused_before_the_work(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    wanted = {"png": tmp_path / "tiles.png"}
    told = coverage_files.why_not(wanted, argparse.Namespace(force=False))
    assert told.startswith(f"{tmp_path / 'tiles.png'} may not be written")


def test_a_program_that_is_not_in_the_grid_is_refused(call):
    done = call("coverage", MATMUL, *SIZES, "--steps", "6")
    assert done.status == 2
    assert "the grid has no program 6" in done.err
    assert "0 to 5" in done.err


def test_a_schedule_without_a_gpu_is_a_warning_and_the_counts_are_there(call):
    done = call("coverage", MATMUL, *SIZES, "--schedule", "--steps", "2,0,0")
    assert done.status == 0, done.err
    assert "warning (coverage): the schedule of programs needs an NVIDIA GPU" in done.err
    assert "steps of program 2" in done.out
    assert "c_ptr" in done.out


def test_elements_become_runs():
    assert runs(np.array([4, 5, 6, 9, 8, 9])) == [[4, 3], [9, 1], [8, 2]]
    assert runs(np.array([], dtype=np.int64)) == []


def test_a_schedule_is_told_in_text():
    from playground.cli import programs_text

    item = {
        "grid": [1024, 1, 1], "used": 132, "multiprocessors": 132, "resident": 2,
        "resident_theoretical": 4, "waves": 3.8788, "duration_ns": 14592, "shortest_ns": 1024,
        "longest_ns": 9000, "median_ns": 2048, "tail_ns": 3072, "idle_share": 0.1234,
        "resolution_ns": 32, "notes": ["a note"],
    }  # fmt: skip
    text = "\n".join(
        programs_text.extras(
            {"schedule": item, "reuse": None, "steps": None, "files": {}, "tensors": []}
        )
    )
    assert "1,024 on 132 of 132 multiprocessors" in text
    assert "2 of 4 that fit on one multiprocessor" in text
    assert "14.59 µs" in text
    assert "12.3% of the multiprocessors' time" in text
    assert "note: a note" in text


def test_a_sample_of_programs_says_that_it_is_one(call, folder):
    done = call(
        "coverage", MATMUL, *SIZES, "--sample", "2", "--json", "--png", folder / "some.png",
        "--npz", folder / "some.npz",
    )  # fmt: skip
    assert done.status == 0, done.err
    check_document(done.document, "coverage")
    found = done.document["coverage"]
    # The first and the last of 2 × 3 programs: a tile of C each.
    assert found["programs_counted"] == 2
    assert found["resolution"] == "sample of 2 of 6 programs"
    stored = next(one for one in found["tensors"] if one["name"] == "c_ptr")
    assert stored["stores"]["total"] == 2 * 64 * 64
    assert stored["unwritten"] is None
    assert not any("unwritten" in item["message"] for item in done.document["findings"])
    owners = np.load(folder / "some.npz")["c_ptr.owner"]
    assert sorted(set(owners.reshape(-1).tolist())) == [-1, 0, 5]
