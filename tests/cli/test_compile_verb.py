"""`compile` with everything it can be asked for, on real files with the real compiler."""

import pytest

from playground.model.targets import known_targets
from tests.cli.command import KERNELS
from tests.cli.documents import check_document

VECTOR_ADD = KERNELS / "vector_add.py"


def line_with(path, part):
    lines = path.read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if part in line)


def test_lines_passes_and_another_config(call):
    done = call("compile", VECTOR_ADD, "--target", "cuda:90", "--set", "size=100000", "--lines",
                "--emit", "passes", "--emit", "ttgir", "--diff", "BLOCK_SIZE=256 num_warps=8",
                "--json")  # fmt: skip
    assert done.status == 0, done.err
    check_document(done.document, "compile")
    made = done.document["compile"]
    assert made["targets"] is None
    # 98 programs of 1024; by the data sheet 132 multiprocessors.
    assert made["waves"]["programs"] == 98
    assert made["waves"]["per_wave"] == 132 * made["occupancy"]["programs_per_sm"]
    # 1024 elements of 4 bytes are 2 x 16 bytes for each of 128 threads: stored by STG.128 twice.
    (store,) = [item for item in made["code"]["lines"] if "tl.store(" in item["source"]]
    assert store["line"] == line_with(VECTOR_ADD, "tl.store(")
    assert {"what": "store", "space": "global", "bits": 128, "count": 2} in store["accesses"]
    assert sum(made["code"]["total"].values()) >= store["instructions"]
    passes = {item["name"]: item for item in made["passes"]}
    assert passes["ConvertTritonToTritonGPU"]["stage"] == "ttgir"
    assert "+#blocked = #ttg.blocked" in passes["ConvertTritonToTritonGPU"]["diff"]
    assert not passes["TritonGPUF32DotTC"]["changed"]
    assert not any(item["failed"] for item in made["passes"])
    compared = made["comparison"]
    assert compared["right"]["config"]["BLOCK_SIZE"] == 256
    assert compared["right_report"]["threads"] == 256
    assert compared["left_report"]["registers"] == made["registers"]
    changes = {item["name"]: item for item in compared["changes"] if not item["line"]}
    assert (changes["threads a program"]["left"], changes["threads a program"]["right"]) == (
        128, 256,
    )  # fmt: skip
    assert "-#blocked = #ttg.blocked<{sizePerThread = [4]" in compared["diffs"]["ttgir"]
    assert "+#blocked = #ttg.blocked<{sizePerThread = [1]" in compared["diffs"]["ttgir"]


def test_all_targets(call):
    done = call("compile", VECTOR_ADD, "--all-targets", "--json")
    assert done.status == 0, done.err
    check_document(done.document, "compile")
    targets = done.document["compile"]["targets"]
    assert [item["target"] for item in targets] == list(known_targets())
    for item in targets:
        assert item["findings"] == [], item["target"]
        assert item["report"]["fits"]
        assert item["report"]["registers"] > 0
        assert item["report"]["occupancy"]["programs_per_sm"] > 0


FAILING = """
@triton.jit
def shifted(x_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(x_ptr + offsets, tl.load(x_ptr + offsets) + tl.load(x_ptr), mask=missing)


shifted[(1,)](torch.zeros(64), BLOCK=64)
"""


def test_a_config_that_does_not_compile(call, kernel_file):
    path = kernel_file(FAILING)
    done = call("compile", path, "--driver", "", "--emit", "passes", "--json")
    assert done.status == 1
    check_document(done.document, "compile")
    errors = [item for item in done.document["findings"] if item["severity"] == "error"]
    assert any("missing" in item["message"] for item in errors)


@pytest.mark.parametrize(
    ("option", "value", "told"),
    [
        ("--diff", "BLOCK_SIZE", "--diff takes NAME=VALUE"),
        ("--diff", "TILE=4", "TILE"),
        ("--diff-target", "sm_80", "write cuda:80"),
    ],
)
def test_what_cannot_be_compared_is_refused(call, option, value, told):
    done = call("compile", VECTOR_ADD, option, value)
    assert done.status == 2
    assert told in done.err
