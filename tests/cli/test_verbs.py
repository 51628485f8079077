"""The verbs on real files with the real engine; right values come from arithmetic."""

import os
import subprocess
import sys

import pytest

from playground.engine.machine import has_nvidia_gpu
from tests.cli.command import KERNELS
from tests.cli.documents import check_document

VECTOR_ADD = KERNELS / "vector_add.py"
without_gpu = pytest.mark.skipif(has_nvidia_gpu(), reason="what happens without a GPU")


def messages(document):
    return " | ".join(
        f"{item['message']} {item['hint']}"
        for item in document["findings"]
        if item["severity"] == "error"
    )


def test_launches(call_afresh):
    done = call_afresh("launches", VECTOR_ADD, "--set", "size=5000", "--json")
    assert done.status == 0, done.err
    check_document(done.document, "launches")
    (launch,) = done.document["launches"]
    assert launch["kernel"] == "add_kernel"
    assert launch["grid"] == [5, 1, 1]  # 5000 elements in blocks of 1024
    assert launch["config"]["BLOCK_SIZE"] == 1024
    assert [argument["name"] for argument in launch["arguments"]][:3] == [
        "x_ptr",
        "y_ptr",
        "out_ptr",
    ]
    assert launch["arguments"][0]["tensor"]["shape"] == [5000]


def test_coverage_is_exact(call):
    size = 98432
    done = call("coverage", VECTOR_ADD, "--json")
    assert done.status == 0, done.err
    check_document(done.document, "coverage")
    tensors = {tensor["name"]: tensor for tensor in done.document["coverage"]["tensors"]}
    once, never = {"total": size, "min": 1, "max": 1}, {"total": 0, "min": 0, "max": 0}
    for name in ("x_ptr", "y_ptr"):
        assert tensors[name]["loads"] == once
        assert tensors[name]["stores"] == never
        assert tensors[name]["unwritten"] is None
    out = tensors["out_ptr"]
    assert (out["loads"], out["stores"]) == (never, once)
    assert (out["unwritten"], out["multi_written"], out["out_of_bounds"]) == (0, 0, 0)
    assert out["elements"] == size
    assert out["shape"] == [size]
    assert done.document["coverage"]["bytes_unique"] == 3 * 4 * size


def test_a_files_own_benchmarks_run_only_when_asked_for(call, kernel_file):
    path = kernel_file("""
from triton.testing import do_bench
run(64)
for n in (256, 512):
    print(f"{n}: {do_bench(lambda: run(n)):.1f} ms")
""")
    skipped = call("launches", path, "--driver", "", "--json")
    assert skipped.status == 0, skipped.err
    assert [launch["grid"] for launch in skipped.document["launches"]] == [[2, 1, 1]]
    said = " ".join(finding["message"] for finding in skipped.document["findings"])
    assert "benchmark at line 25 skipped" in said
    ran = call("launches", path, "--driver", "", "--benchmarks", "--json")
    assert len(ran.document["launches"]) > 1


def test_compile_reports_resources_and_text(call):
    done = call("compile", VECTOR_ADD, "--target", "cuda:90", "--emit", "ptx", "--json")
    assert done.status == 0, done.err
    check_document(done.document, "compile")
    report = done.document["compile"]
    assert report["target"] == "cuda:90"
    assert 0 < report["registers"] < 256
    assert report["spill_bytes"] == 0
    assert report["threads"] == 128
    assert report["fits"] is True
    assert ".target sm_90" in report["ir"]["ptx"]
    assert set(report["ir"]) == {"ptx"}


def test_emitted_text_is_all_of_standard_output(call):
    done = call("compile", VECTOR_ADD, "--target", "cuda:80", "--emit", "ptx")
    assert done.status == 0, done.err
    assert done.out.lstrip().startswith("//")
    assert ".target sm_80" in done.out
    assert "registers a thread" in done.err


@without_gpu
def test_bench_without_a_gpu_tells_wall_time_and_no_bandwidth(call):
    done = call("bench", VECTOR_ADD, "--set", "size=3000", "--set", "BLOCK_SIZE=512", "--json")
    assert done.status == 0, done.err
    check_document(done.document, "measurement")
    measured = done.document["measurement"]
    assert measured["source"] == "interpreter"
    assert measured["bandwidth_gbps"] is None
    assert measured["config"]["BLOCK_SIZE"] == 512
    assert measured["check"]["status"] == "correct"
    assert measured["check"]["against"] == "reference"
    assert measured["median_ms"] > 0
    shown = call("bench", VECTOR_ADD, "--set", "size=3000")
    assert "not a GPU timing" in shown.out
    assert "GB/s" not in shown.out


@without_gpu
def test_bench_says_when_no_compiler_takes_what_the_interpreter_ran(call, kernel_file):
    path = kernel_file("")
    text = path.read_text().replace("@triton.jit", "STEP = 2\n@triton.jit")
    path.write_text(text.replace("offsets < n\n", "offsets < n + STEP - 2\n"))
    done = call("bench", path, "--driver", "print('SAID')\nrun(64)", "--target", "cuda:80")
    assert done.status == 1, done.err
    assert "correct against the captured result" in done.out
    assert "in the interpreter only: it cannot run on cuda:80" in done.out
    told = [line for line in done.err.splitlines() if "error (compile)" in line]
    assert len(told) == 1, done.err
    assert "global variable STEP" in told[0]
    assert done.err.count("SAID") == 1  # by the run, and not again by the worker


@without_gpu
def test_an_extra_that_cannot_be_done_leaves_the_rest(call):
    done = call(
        "bench", VECTOR_ADD, "--set", "size=3000", "--roofline", "--target", "cuda:90",
        "--vs", "BLOCK_SIZE=256", "--json",
    )  # fmt: skip
    assert done.status == 0, done.err
    measured = done.document["measurement"]
    assert measured["median_ms"] > 0
    assert measured["comparison"] is None
    # 3 tensors of 3000 float32, at the 3.35 TB/s of an H100's or 4.8 of an H200's data sheet.
    assert measured["roofline"]["standing"]["bytes_unique"] == 36000
    (told,) = [item for item in done.document["findings"] if item["severity"] == "warning"]
    assert "no GPU here" in told["message"]
    assert "NotTimedError" not in told["message"]
    assert "NVIDIA GPU" in told["hint"]
    assert not told["detail"]


def test_sweep_tries_the_values_named(call):
    done = call(
        "sweep", VECTOR_ADD, "--set", "size=3000",
        "--values", "BLOCK_SIZE=256,512", "--values", "num_warps=2,4", "--json",
    )  # fmt: skip
    assert done.status == 0, done.err
    check_document(done.document, "sweep")
    rows = done.document["sweep"]["rows"]
    tried = {(row["config"]["BLOCK_SIZE"], row["config"]["num_warps"]) for row in rows}
    assert tried == {(256, 2), (256, 4), (512, 2), (512, 4)}
    assert {row["status"] for row in rows} == {"correct"}


def test_sweep_keeps_to_its_conditions_and_goes_on(call):
    space = ("sweep", VECTOR_ADD, "--set", "size=3000", "--space", "BLOCK_SIZE=128..512:pow2")
    done = call(*space, "--where", "BLOCK_SIZE < size // 8", "--json")
    assert done.status == 0, done.err
    check_document(done.document, "sweep")
    statuses = {
        row["config"]["BLOCK_SIZE"]: row["status"] for row in done.document["sweep"]["rows"]
    }
    assert statuses == {128: "correct", 256: "correct", 512: "constraint"}
    again = call(*space, "--resume", "--json")
    assert again.document["sweep"]["store"] == done.document["sweep"]["store"]
    kept = {row["config"]["BLOCK_SIZE"]: row["kept"] for row in again.document["sweep"]["rows"]}
    assert kept == {128: True, 256: True, 512: False}


def test_sweep_at_several_sizes(call):
    done = call("sweep", VECTOR_ADD, "--space", "BLOCK_SIZE=128,256", "--sizes", "size=1000",
                "--sizes", "size=3000", "--json")  # fmt: skip
    assert done.status == 0, done.err
    check_document(done.document, "sweep")
    assert [item["sizes"] for item in done.document["sweep"]["at_sizes"]] == [
        {"size": 1000}, {"size": 3000},
    ]  # fmt: skip
    assert {r["status"] for i in done.document["sweep"]["at_sizes"] for r in i["rows"]} == {
        "correct"
    }


def test_what_sweep_cannot_read_is_said(call):
    for options, why in (
        (("--space", "BLOCK_SIZE=100"), "power of two"),
        (("--space", "BLOCK_SIZE=128", "--where", "BLOCK < 3"), "column 1 of: BLOCK < 3"),
        (("--space", "BLOCK_SIZE=128", "--where", "BLOCK_SIZE < 3"), "no config meets"),
        (("--sizes", "rows=4"), "no problem size rows"),
    ):
        done = call("sweep", VECTOR_ADD, "--set", "size=3000", *options, "--json")
        assert done.status == 2, done.err
        assert why in messages(done.document), messages(done.document)


def test_export_proves_itself_and_replaces_nothing(call_afresh, tmp_path):
    path = tmp_path / "tuned.py"
    arguments = ("export", VECTOR_ADD, "--set", "BLOCK_SIZE=256", "-o", path, "--json")
    done = call_afresh(*arguments)
    assert done.status == 0, done.err
    check_document(done.document, "export")
    assert done.document["export"]["path"] == str(path)
    assert path.read_text() == done.document["export"]["text"]
    proof = subprocess.run(
        [sys.executable, str(path), "--check"], capture_output=True, text=True, check=False
    )
    assert proof.returncode == 0, proof.stdout + proof.stderr

    assert call_afresh(*arguments).status == 0  # its own file may be replaced
    path.write_text("mine = 1\n")
    refused = call_afresh(*arguments)
    assert refused.status == 2
    assert "--force" in messages(refused.document)
    assert path.read_text() == "mine = 1\n"
    assert call_afresh(*arguments, "--force").status == 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--set", "BLOCK=64"), "knobs: BLOCK_SIZE"),
        (("--set", "BLOCK_SIZE=1000"), "try 512 or 1024"),
        (("--set", "size=many"), "--set size=4096"),
        (("--launch", "7"), "--launch takes 0 to 0"),
    ],
)
def test_what_is_not_there_is_named_with_a_remedy(call, arguments, told):
    done = call("coverage", VECTOR_ADD, "--json", *arguments)
    assert done.status == 2
    check_document(done.document, "coverage")
    assert done.document["coverage"] is None
    assert told in messages(done.document)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("bench", "nosuch.py"), "nosuch.py does not exist"),
        (("bench", "."), "is a folder"),
        (("compile", VECTOR_ADD, "--target", "gpu9000"), "is not a target"),
        (("bench", VECTOR_ADD, "--set", "BLOCK_SIZE"), "takes NAME=VALUE"),
        (("bench", VECTOR_ADD, "--budget", "nan"), "milliseconds above 0"),
        (("bench", VECTOR_ADD, "--timeout", "0"), "seconds above 0"),
        (("export", VECTOR_ADD, "-o", "."), "is a folder"),
        (("export", VECTOR_ADD, "-o", "nosuch/tuned.py"), "there is no folder nosuch"),
        (("nosuch.py",), "nosuch.py does not exist"),
    ],
)
def test_a_bad_command_line_is_refused_at_once(call, arguments, told):
    done = call(*arguments)
    assert done.status == 2
    assert done.out == ""
    assert told in done.err


@without_gpu
def test_lanes_out_of_bounds_are_told_once(call, kernel_file):
    path = kernel_file("")
    path.write_text(path.read_text().replace("mask = offsets < n\n", "mask = offsets < n + 8\n"))
    done = call("coverage", path, "--driver", "run(60)", "--json")
    assert done.status == 1
    tensors = {tensor["name"]: tensor for tensor in done.document["coverage"]["tensors"]}
    # 2 blocks of 32 end at 64: 4 lanes lie behind the 60 elements.
    assert (tensors["x_ptr"]["out_of_bounds"], tensors["out_ptr"]["out_of_bounds"]) == (4, 4)
    told = [item["message"] for item in done.document["findings"] if item["severity"] == "error"]
    assert len(told) == 2
    assert "load outside x_ptr: 4 lanes" in told[0]
    assert "store outside out_ptr: 4 lanes" in told[1]


def test_a_file_that_may_not_be_read(call_afresh, kernel_file):
    path = kernel_file("")
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")
    done = call_afresh("launches", path, "--json")
    assert done.status == 2
    assert "cannot be read" in messages(done.document)


def test_a_stage_that_the_target_lacks(call):
    done = call("compile", VECTOR_ADD, "--target", "cuda:90", "--emit", "amdgcn", "--json")
    assert done.status == 2
    assert "ptx" in messages(done.document)


def test_a_file_without_a_launch(call, tmp_path):
    path = tmp_path / "empty.py"
    path.write_text("import torch\n")
    done = call("launches", path, "--json")
    assert done.status == 1
    assert done.document["launches"] == []
    assert "driver" in messages(done.document)


def test_a_typed_driver_and_what_it_prints(call, kernel_file):
    path = kernel_file("")
    done = call("coverage", path, "--driver", "print('hello'); run(64)", "--json")
    assert done.status == 0, done.err
    assert "hello" in done.err
    tensors = {tensor["name"]: tensor for tensor in done.document["coverage"]["tensors"]}
    assert tensors["out_ptr"]["stores"] == {"total": 64, "min": 1, "max": 1}


def test_a_syntax_error_is_found_on_its_line(call, kernel_file):
    done = call("launches", kernel_file("def broken(:\n    pass\n"), "--json")
    assert done.status == 1
    (finding,) = [item for item in done.document["findings"] if item["severity"] == "error"]
    assert finding["stage"] == "syntax"
    assert finding["line"] == 21


def test_an_exception_of_the_driver_is_found_on_its_line(call, kernel_file):
    path = kernel_file("def fails():\n    run()\n    raise RuntimeError('on purpose')\n")
    done = call("launches", path, "--driver", "fails()", "--json")
    assert done.status == 1
    assert len(done.document["launches"]) == 1  # what ran before is there to look at
    (finding,) = [item for item in done.document["findings"] if item["severity"] == "error"]
    assert "on purpose" in finding["message"]
    assert finding["line"] == 23
    said = call("launches", path, "--driver", "fails()").err
    assert said.count(f"{path.name}:23: error (driver)") == 1


def test_a_report_is_one_page_and_replaces_only_its_own(call, tmp_path):
    path = tmp_path / "vector_add.html"
    done = call("report", VECTOR_ADD, "-o", path, "--json")
    assert done.status == 0
    check_document(done.document, "report")
    assert path.read_text() == done.document["report"]["text"]
    assert "<h2>Coverage</h2>" in path.read_text()
    assert str(KERNELS) not in path.read_text()
    assert call("report", VECTOR_ADD, "-o", path).status == 0
    path.write_text("mine")
    assert call("report", VECTOR_ADD, "-o", path).status == 2


def test_a_reproducer_is_printed_as_python(call):
    done = call("reproducer", VECTOR_ADD, "--set", "BLOCK_SIZE=256")
    assert done.status == 0
    assert "BLOCK_SIZE=256" in done.out
    compile(done.out, "reproducer.py", "exec")


@without_gpu
def test_advice_names_the_cause_its_evidence_and_a_try(call):
    done = call("advise", KERNELS / "vector_add.py", "--set", "size=200000",
                "--set", "BLOCK_SIZE=32", "--json")  # fmt: skip
    document = done.document
    check_document(document, "advice")
    found = document["advice"]
    assert found["first"] == "idle-threads"  # 128 threads for blocks of 32
    (item,) = [each for each in found["items"] if each["cause"] == found["first"]]
    assert {"threads of a program": 128, "elements of the largest block": 32}.items() <= {
        each["text"]: each["value"] for each in item["evidence"]
    }.items()
    assert not found["measured"]
    assert "expected, not measured" in item["gain"]["text"]
    (attempt,) = item["tries"]
    assert attempt["values"]["BLOCK_SIZE"] > 32
    assert [each["topic"] for each in found["answers"]][1:] == [
        "memory access", "arithmetic intensity", "parallelism", "resources", "instructions",
    ]  # fmt: skip


def test_launches_says_that_it_moves_no_knob(call):
    done = call("launches", VECTOR_ADD, "--set", "BLOCK_SIZE=512", "--json")
    assert done.status == 2
    assert "BLOCK_SIZE is not moved" in messages(done.document)
    assert "--set BLOCK_SIZE=512" in messages(done.document)


def test_places_of_findings_are_told_from_the_folder_one_stands_in(tmp_path, monkeypatch):
    from playground.cli import text

    monkeypatch.chdir(tmp_path)
    item = {"severity": "error", "stage": "compile", "message": "no", "line": 3}
    for path, shown in (
        (str(tmp_path / "a" / "k.py"), f"a{os.sep}k.py"), ("k.py", "k.py"),
        (str(tmp_path.parent / "k.py"), str(tmp_path.parent / "k.py")),
    ):  # fmt: skip
        said = text.findings({"findings": [{**item, "file": path}]})
        assert said == f"{shown}:3: error (compile): no"
