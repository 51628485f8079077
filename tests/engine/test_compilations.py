"""Resources, passes, pairs and many targets, on real compilations without a GPU."""

import re
import subprocess
from pathlib import Path

import pytest
import triton

from playground.engine.resources import from_cubin, from_ptxas_log
from playground.model.occupancy import occupancy
from playground.model.targets import facts_for
from playground.model.text_diff import plain_lines
from tests.engine.cases_compile.engine import CompileEngine

KERNELS = Path(__file__).parents[2] / "kernels"
MATMUL = KERNELS / "matmul.py"
LARGE = {"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64, "num_stages": 4}


@pytest.fixture(scope="module")
def engine():
    engine = CompileEngine()
    engine.run(path=str(MATMUL), text=MATMUL.read_text(), driver="example()")
    engine.compile()  # the worker starts here: it outlasts the tests that share it
    yield engine
    engine.close()


@pytest.mark.parametrize("target", ["cuda:75", "cuda:80", "cuda:90", "cuda:120"])
def test_resources_are_those_that_cuobjdump_tells(engine, target):
    found = engine.usage(target=target)
    told = re.search(r"REG:(\d+) STACK:(\d+) SHARED:(\d+)", found["told"])
    registers, stack, shared = (int(figure) for figure in told.groups())
    report = found["report"]
    assert report["registers"] == registers
    assert report["stack_bytes"] == stack
    # From Hopper on the tool counts in the KiB that the driver keeps of every program.
    reserved = 1024 if target in ("cuda:90", "cuda:120") else 0
    assert report["static_shared_bytes"] == shared - reserved == 0
    assert report["shared_bytes"] > 0
    assert [item["stage"] for item in report["stage_times"]] == [
        "front end", "ttir", "ttgir", "llir", "ptx", "cubin",
    ]  # fmt: skip


@pytest.mark.parametrize("target", ["hip:gfx90a", "hip:gfx942", "hip:gfx950", "hip:gfx1100"])
def test_amds_compiler_states_the_same_occupancy(engine, target):
    report = engine.compile(target=target)["report"]
    kinds = dict(report["register_kinds"])
    assert report["registers"] >= kinds["VGPR"] + kinds.get("AGPR", 0)
    assert kinds["SGPR"] > 0
    assert ("AGPR" in kinds) == (target in ("hip:gfx90a", "hip:gfx942", "hip:gfx950"))
    gpu = facts_for(target)
    # Programs of four warps have one on each SIMD: so many warps a SIMD are so many programs.
    # AMD's compiler knows nothing of shared memory asked for at the launch.
    held = occupancy(gpu, threads=4 * gpu.warp_size, registers=report["registers"], shared_bytes=0)
    assert held.programs_per_sm == report["stated_warps"]


STATIC = """
.version 8.0
.target sm_{arch}
.address_size 64
.visible .entry holds(.param .u64 out)
{{
    .reg .b64 %rd<3>;
    .reg .b32 %r<3>;
    .shared .align 16 .b8 held[264];
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    st.shared.u32 [held], %r1;
    bar.sync 0;
    ld.shared.u32 %r2, [held+4];
    st.global.u32 [%rd1], %r2;
    ret;
}}
"""


@pytest.mark.parametrize("arch", [80, 90])
def test_static_shared_memory_is_told_from_what_the_driver_keeps(tmp_path, arch):
    """264 bytes that the code itself declares; NVIDIA's assembler and its tool agree on them."""
    tools = Path(triton.__file__).parent / "backends" / "nvidia" / "bin"
    (tmp_path / "k.ptx").write_text(STATIC.format(arch=arch))
    done = subprocess.run(
        [tools / "ptxas", "-v", f"--gpu-name=sm_{arch}", tmp_path / "k.ptx", "-o", tmp_path / "k"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert from_ptxas_log(done.stderr + done.stdout).static_shared_bytes == 264
    cubin = (tmp_path / "k").read_bytes()
    assert from_cubin(cubin, str(tools / "cuobjdump")).static_shared_bytes == 264


def test_a_target_that_triton_lacks(engine):
    """There is no GPU of compute capability 9.5, and no gfx999."""
    for target, offered in (("cuda:95", "cuda:90"), ("hip:gfx999", "hip:gfx942")):
        answer = engine.compile(target=target)
        assert answer["report"] is None
        (finding,) = [item for item in answer["findings"] if item["severity"] == "error"]
        assert f"does not compile for {target}" in finding["message"]
        assert offered in finding["hint"]

    made = engine.passes(target="hip:gfx999")
    assert "does not compile for hip:gfx999" in made["findings"][0]["message"]
    # The pass in which the pipeline ended is the last one there is.
    assert [item["failed"] for item in made["passes"]].index(True) == len(made["passes"]) - 1


def test_waves_follow_the_grid_of_the_config(engine):
    launch = engine.run(path=str(MATMUL), text=MATMUL.read_text(), driver="example(m=512, n=384)")
    assert launch["launches"][0]["config"]["BLOCK_M"] == 64
    report = engine.compile(target="cuda:90")["report"]
    assert report["waves"]["programs"] == 8 * 6
    assert report["waves"]["per_wave"] == 132 * report["occupancy"]["programs_per_sm"]
    wider = engine.compile(target="cuda:90", knobs={"BLOCK_N": 128})["report"]
    assert wider["waves"]["programs"] == 8 * 3
    engine.run(path=str(MATMUL), text=MATMUL.read_text(), driver="example()")


@pytest.mark.parametrize("target", ["cuda:90", "hip:gfx942"])
def test_passes_lead_from_the_front_end_to_the_stages_as_they_are(engine, target):
    before = engine.compile(target=target, asm=["ttir", "ttgir", "llir"])
    made = engine.passes(target=target)
    assert made["findings"] == []
    passes = made["passes"]
    stages = list(dict.fromkeys(item["stage"] for item in passes))
    assert stages == ["ttir", "ttgir", "llir"]
    for stage in ("ttir", "ttgir"):
        last = [item for item in passes if item["stage"] == stage][-1]
        assert last["lines"] == len(plain_lines(before["asm"][stage])), stage
    named = {item["name"]: item for item in passes}
    layout = named["ConvertTritonToTritonGPU"]
    assert layout["changed"]
    assert any(line.startswith("+#blocked = #ttg.blocked<") for line in layout["diff"].splitlines())
    assert not named["TritonGPUF32DotTC"]["changed"]
    assert named["TritonGPUF32DotTC"]["diff"] == ""
    lowered = next(item for item in passes if item["name"].endswith("GPUToLLVM"))
    cut = lowered["diff"].splitlines()
    assert len(cut) <= 2001
    assert cut[-1].startswith("\\ ") or len(cut) <= 2000
    # Once more, and nothing of it is found by a compilation proper, nor changes what that gives.
    again = engine.passes(target=target)
    assert again["cache_entries"] == made["cache_entries"]
    assert [item["name"] for item in again["passes"]] == [item["name"] for item in passes]
    engine.forget()
    assert engine.compile(target=target, asm=["llir"])["asm"]["llir"] == before["asm"]["llir"]


def test_llvms_passes_come_after(engine):
    path = KERNELS / "vector_add.py"
    engine.run(path=str(path), text=path.read_text(), driver="example()")
    passes = engine.passes(llvm=True)["passes"]
    names = [item["name"] for item in passes]
    assert "LLVM InstCombine" in names
    assert names.index("ConvertNVVMToLLVM") < names.index("LLVM InstCombine")
    engine.run(path=str(MATMUL), text=MATMUL.read_text(), driver="example()")


def line_of(text, part):
    return next(number for number, line in enumerate(text.splitlines(), 1) if part in line)


def test_two_configs(engine):
    found = engine.compare(left={}, right={"knobs": {"num_warps": 8}})
    assert found["findings"] == []
    totals = {item["name"]: item for item in found["changes"] if not item["line"]}
    assert (totals["threads a program"]["left"], totals["threads a program"]["right"]) == (128, 256)
    for side in ("left", "right"):
        report = found[f"{side}_report"]
        assert totals["registers a thread"][side] == report["registers"]
        assert totals["programs a multiprocessor"][side] == report["occupancy"]["programs_per_sm"]
    # The classes of instructions are all of them.
    classes = [item for item in totals.values() if item["unit"] == "instructions"]
    assert sum(item["left"] for item in classes) == totals["instructions"]["left"]
    assert sum(item["right"] for item in classes) == totals["instructions"]["right"]
    code = [engine.code(target="cuda:90", knobs=knobs) for knobs in ({}, {"num_warps": 8})]
    store = line_of(MATMUL.read_text(), "tl.store(")
    counted = [
        sum(count for _, count in line["counts"])
        for side in code for line in side["lines"] if line["line"] == store
    ]  # fmt: skip
    moved = [item for item in found["changes"]
             if item["line"] == store and item["name"] == "instructions"]  # fmt: skip
    assert [(item["left"], item["right"]) for item in moved] == [tuple(counted)]


def test_two_targets_and_their_stages(engine):
    sides = {"left": {}, "right": {"target": "cuda:80"}}
    found = engine.compare(**sides)
    assert found["left_report"]["target"] == "cuda:90"
    assert found["right_report"]["target"] == "cuda:80"
    for stage in ("ttir", "ttgir", "ptx", "sass"):
        made = engine.stage_diff(**sides, stage=stage)
        left, right = made["left"].splitlines(), made["right"].splitlines()
        assert made["blocks"][0]["left_start"] == made["blocks"][0]["right_start"] == 0
        assert made["blocks"][-1]["left_end"] == len(left)
        assert made["blocks"][-1]["right_end"] == len(right)
        equal = sum(b["left_end"] - b["left_start"] for b in made["blocks"] if b["tag"] == "equal")
        assert equal > len(left) / 4, stage
    refused = engine.ask("stage_diff", left={}, right={"target": "hip:gfx942"}, stage="sass")
    assert refused["error"] == "StageError"
    assert "has no sass" in refused["message"]


def test_before_and_after_an_edit(engine):
    text = MATMUL.read_text()
    engine.run(path=str(MATMUL), text=text, driver="example()")
    assert engine.compare(left={}, right={})["left_report"]["registers"] > 0
    before = {"before_edit": True}
    unknown = engine.compare(left=before, right={})
    assert unknown["left_report"] is None
    assert "not compiled before an edit" in unknown["findings"][0]["message"]
    # A comment moves lines; that alone changes nothing of what is compiled.
    moved = "# a comment\n" + text
    engine.run(path=str(MATMUL), text=moved, driver="example()")
    assert engine.compare(left=before, right={})["left_report"] is None
    edited = moved.replace("tl.store(c_ptrs, total.to(", "tl.store(c_ptrs, (total * 3).to(")
    assert edited != moved
    engine.run(path=str(MATMUL), text=edited, driver="example()")
    found = engine.compare(left=before, right={})
    totals = {item["name"]: item for item in found["changes"] if not item["line"]}
    assert totals["floating point"]["right"] > totals["floating point"]["left"]
    at = line_of(edited, "tl.store(")
    (float_there,) = [item for item in found["changes"]
                      if item["line"] == at and item["name"] == "floating point"]  # fmt: skip
    assert float_there["right"] > float_there["left"] > 0
    engine.run(path=str(MATMUL), text=text, driver="example()")


def test_all_targets_at_once(engine):
    targets = ["cuda:80", "cuda:90", "hip:gfx942"]
    found = engine.compile_all(targets=targets, knobs=LARGE)
    assert [item["target"] for item in found["fits"]] == targets
    assert sorted(target for target, _, _ in found["seen"]) == sorted(targets)
    assert [(done, total) for _, done, total in found["seen"]] == [(1, 3), (2, 3), (3, 3)]
    ampere, hopper, cdna = (item["report"] for item in found["fits"])
    # Four stages of two 128 x 64 tiles of fp16 are 128 KiB: more than 64 KiB, less than 227.
    assert hopper["fits"]
    assert ampere["fits"]
    assert not cdna["fits"]
    (error,) = [item for item in found["fits"][2]["findings"] if item["severity"] == "error"]
    assert "the limit is 65536" in error["message"]
    assert "fits" in error["hint"]
