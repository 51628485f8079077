"""Real compilations in real workers, without a GPU."""

import os
import signal
import time
from pathlib import Path

import psutil
import pytest

from tests.engine.cases_compile.engine import CompileEngine, error_of, line_of

KERNELS = Path(__file__).parents[2] / "kernels"


@pytest.fixture(scope="module")
def engine():
    engine = CompileEngine()
    _open_bundled(engine, "vector_add")
    engine.compile()  # the worker starts here: it outlasts the tests that share it
    yield engine
    engine.close()


@pytest.fixture
def own_engine():
    engine = CompileEngine()
    yield engine
    engine.close()


@pytest.fixture
def starting_engine():
    """An engine whose workers are processes that it started itself."""
    engine = CompileEngine(true_workers=True)
    yield engine
    engine.close()


def _open_bundled(engine, name, driver="example()"):
    path = KERNELS / f"{name}.py"
    return engine.run(path=str(path), text=path.read_text(), driver=driver)


@pytest.mark.parametrize("target", ["cuda:80", "cuda:90", "cuda:100", "hip:gfx942", "hip:gfx950"])
def test_matmul_compiles_for_every_target(engine, target):
    _open_bundled(engine, "matmul")
    report = engine.compile(target=target)["report"]
    assert report["target"] == target
    assert report["kernel"] == "matmul_kernel"
    assert 16 <= report["registers"] <= 512
    assert report["threads"] == 4 * (64 if target.startswith("hip") else 32)
    assert report["fits"]
    assert report["occupancy"]["programs_per_sm"] >= 1
    assert report["shared_bytes"] >= 16384  # two 64 x 32 tiles of fp16 are 8192 a stage
    assert report["stages"][-1] == ("amdgcn" if target.startswith("hip") else "sass")


def test_a_config_is_compiled_as_asked(engine):
    _open_bundled(engine, "vector_add")
    narrow = engine.compile(knobs={"BLOCK_SIZE": 128, "num_warps": 4}, asm=["ttir", "ptx"])
    wide = engine.compile(knobs={"BLOCK_SIZE": 2048, "num_warps": 8}, asm=["ttir", "ptx"])
    assert "tensor<128x" in narrow["asm"]["ttir"]
    assert "tensor<2048x" in wide["asm"]["ttir"]
    assert ".reqntid 128" in narrow["asm"]["ptx"]
    assert ".reqntid 256" in wide["asm"]["ptx"]
    assert wide["report"]["threads"] == 256


def test_divisibility_of_sizes_reaches_the_compiler(engine):
    _open_bundled(engine, "vector_add", "example(98432)")
    assert "tt.divisibility = 16" in _argument(engine, "n_elements")
    _open_bundled(engine, "vector_add", "example(98431)")
    assert "tt.divisibility" not in _argument(engine, "n_elements")


def _argument(engine, name):
    ttir = engine.compile(asm=["ttir"])["asm"]["ttir"]
    signature = next(line for line in ttir.splitlines() if "tt.func public" in line)
    return next(part for part in signature.split("%") if part.startswith(name))


def test_the_second_time_is_a_cache_hit_in_the_engine_and_in_a_new_worker(starting_engine):
    _open_bundled(starting_engine, "softmax")
    first = starting_engine.compile()["report"]
    again = starting_engine.compile()["report"]
    assert again["cache_hit"]
    starting_engine.forget()
    (worker,) = _workers(starting_engine)
    os.kill(worker.pid, signal.SIGKILL)
    _wait_until_dead(worker)
    other = starting_engine.compile()["report"]  # another process, Triton's disk cache
    assert other["cache_hit"]
    for key in ("registers", "spill_bytes", "stack_bytes", "shared_bytes", "stage_times"):
        assert other[key] == first[key]


@pytest.mark.parametrize(
    ("stage", "target"),
    [("ttir", None), ("ttgir", None), ("llir", None), ("ptx", None), ("sass", None),
     ("amdgcn", "hip:gfx942")],
)  # fmt: skip
def test_every_stage_knows_the_lines_it_comes_from(engine, stage, target):
    _open_bundled(engine, "vector_add")
    found = engine.ir(stage=stage, target=target)
    text = (KERNELS / "vector_add.py").read_text().splitlines()
    assert len(found["lines"]) == len(found["text"].splitlines())
    load = next(number for number, line in enumerate(text, 1) if "tl.load(x_ptr" in line)
    store = next(number for number, line in enumerate(text, 1) if "tl.store(" in line)
    assert [load] in found["lines"]
    assert [store] in found["lines"]
    instructions = {
        "ttir": "tt.store", "ttgir": "tt.store", "llir": "st.global", "ptx": "st.global",
        "sass": "STG", "amdgcn": "_store_dword",
    }  # fmt: skip
    at = [
        line
        for line, text in zip(found["lines"], found["text"].splitlines(), strict=True)
        if instructions[stage] in text
    ]
    assert [store] in at


def test_inlined_helpers_count_for_their_own_line_and_the_calling_one(engine):
    _open_bundled(engine, "matmul")
    text = (KERNELS / "matmul.py").read_text().splitlines()
    helper = next(number for number, line in enumerate(text, 1) if "group = pid //" in line)
    call = next(number for number, line in enumerate(text, 1) if "= tile_of_program(" in line)
    for stage in ("ttir", "ttgir", "llir", "ptx", "sass"):
        assert [helper, call] in engine.ir(stage=stage)["lines"], stage
    assert [helper, call] in engine.ir(stage="amdgcn", target="hip:gfx942")["lines"]


def test_a_stage_that_the_target_lacks_is_named(engine):
    _open_bundled(engine, "vector_add")
    answer = engine.ask("ir", stage="amdgcn")
    assert answer["error"] == "StageError"
    assert "it has ttir, ttgir, llir, ptx, sass" in answer["message"]


def test_a_bad_target_is_refused_with_a_remedy(engine):
    _open_bundled(engine, "vector_add")
    answer = engine.ask("compile", target="sm_90")
    assert answer["error"] == "TargetError"
    assert "write cuda:90" in answer["message"]


def test_many_configs_each_tell_when_they_are_done(own_engine):
    _open_bundled(own_engine, "vector_add")
    knobs = [{"BLOCK_SIZE": size, "num_warps": w} for size in (64, 128, 256, 512) for w in (1, 2)]
    answer = own_engine.compile_many(knobs=knobs)
    assert answer["compiled"] == 8
    assert len(answer["seen"]) == 8
    assert answer["workers"] <= (os.cpu_count() or 1)


def test_unsaved_text_is_what_compiles(engine, tmp_path):
    path = tmp_path / "edited.py"
    text = (KERNELS / "vector_add.py").read_text()
    path.write_text(text)
    changed = text.replace("x + y", "x * y + 3.5")
    assert changed != text
    engine.run(path=str(path), text=changed, driver="example()")
    assert "3.500000e+00" in engine.compile(asm=["ttir"])["asm"]["ttir"]
    engine.run(path=str(path), text=text, driver="example()")
    assert "3.500000e+00" not in engine.compile(asm=["ttir"])["asm"]["ttir"]


CLOSURE = """
def make(scale):
    @triton.jit
    def scaled(x, o, SCALE: tl.constexpr, B: tl.constexpr):
        i = tl.arange(0, B)
        tl.store(o + i, tl.load(x + i) * SCALE)

    return scaled

def example(size: int = 64):
    x, o = torch.ones(size), torch.empty(size)
    make(0)[(1,)](x, o, 3.0, size)
    return o
"""


def test_a_kernel_made_in_a_function_is_found_by_running_the_driver(engine, tmp_path):
    engine.open(tmp_path, CLOSURE)
    answer = engine.compile(asm=["ttir"])
    assert answer["report"]["kernel"].endswith("scaled")
    assert "3.000000e+00" in answer["asm"]["ttir"]


CLASS = """
class Ops:
    @staticmethod
    @triton.jit
    def double(x, o, B: tl.constexpr):
        i = tl.arange(0, B)
        tl.store(o + i, tl.load(x + i) * 2)

def example(size: int = 64):
    x, o = torch.ones(size), torch.empty(size)
    Ops.double[(1,)](x, o, size)
    return o
"""


def test_a_kernel_in_a_class_is_found(engine, tmp_path):
    engine.open(tmp_path, CLASS)
    assert engine.compile()["report"]["kernel"] == "double"


MAIN = """
@triton.jit
def add_one(x, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(x + i, tl.load(x + i) + 1)

if __name__ == "__main__":
    print("launching")
    add_one[(1,)](torch.zeros(32), 32)
"""


def test_a_script_is_not_run_by_the_worker(engine, tmp_path):
    engine.open(tmp_path, MAIN, driver="")
    assert engine.compile()["report"]["kernel"] == "add_one"


ARGUMENTS = """
@triton.jit
def twice(x):
    return x * 2

@triton.jit
def many(x, pair, scale, flag, nothing, KIND: tl.constexpr, FN: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)
    v = FN(tl.load(x + i)).to(KIND) * scale
    if flag:
        v += pair[0]
    if nothing is None:
        v += pair[1]
    tl.store(x + i, v.to(tl.float32))

def example(size: int = 32):
    x = torch.ones(size)
    many[(1,)](x, (1, 2), 0.5, True, None, tl.float16, twice, size)
    return x
"""


def test_arguments_of_every_kind_reach_the_worker(engine, tmp_path):
    engine.open(tmp_path, ARGUMENTS)
    answer = engine.compile(asm=["ttir"])
    assert answer["findings"] == []
    assert "xf16>" in answer["asm"]["ttir"]


HEURISTIC = """
@triton.heuristics({"EVEN": lambda args: args["n"] % args["B"] == 0})
@triton.jit
def copy(x, o, n, B: tl.constexpr, EVEN: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    if EVEN:
        tl.store(o + i, tl.load(x + i))
    else:
        tl.store(o + i, tl.load(x + i, i < n), i < n)

def example(size: int = 96):
    x, o = torch.ones(size), torch.empty(size)
    copy[lambda meta: (triton.cdiv(size, meta["B"]),)](x, o, size, B=32)
    return o
"""


def test_heuristics_follow_the_config(engine, tmp_path):
    engine.open(tmp_path, HEURISTIC)
    assert "arith.cmpi" not in engine.compile(asm=["ttir"])["asm"]["ttir"]
    assert "arith.cmpi" in engine.compile(knobs={"B": 64}, asm=["ttir"])["asm"]["ttir"]


def test_a_worker_that_dies_is_replaced(starting_engine):
    _open_bundled(starting_engine, "vector_add")
    starting_engine.compile()
    (worker,) = _workers(starting_engine)
    os.kill(worker.pid, signal.SIGKILL)
    _wait_until_dead(worker)
    assert starting_engine.compile(knobs={"BLOCK_SIZE": 4096})["report"] is not None


ABORTS = """
import os

@triton.jit
def plain(x, B: tl.constexpr):
    tl.store(x + tl.arange(0, B), 1.0)

if os.environ.get("TRITON_INTERPRET") != "1":
    real = triton.JITFunction.warmup
    def warmup(self, *args, **kwargs):
        print("LLVM ERROR: made up", flush=True)
        os.abort()
    triton.JITFunction.warmup = warmup

def example(size: int = 32):
    x = torch.zeros(size)
    plain[(1,)](x, size)
    return x
"""


def test_a_compiler_that_aborts_is_a_finding(own_engine, tmp_path):
    own_engine.open(tmp_path, ABORTS)
    finding = error_of(own_engine.compile())
    assert "SIGABRT" in finding["message"]
    assert "LLVM ERROR: made up" in finding["detail"]
    assert finding["line"] == line_of(ABORTS, "def plain")
    _open_bundled(own_engine, "vector_add")
    assert own_engine.compile()["report"] is not None


def test_workers_end_with_the_engine(starting_engine):
    _open_bundled(starting_engine, "vector_add")
    starting_engine.compile()
    (worker,) = _workers(starting_engine)
    os.kill(starting_engine.pid, signal.SIGKILL)
    _wait_until_dead(worker)


def _workers(engine):
    return [
        process
        for process in psutil.Process(engine.pid).children()
        if "playground.engine.compile_worker" in process.cmdline()
    ]


def _wait_until_dead(process):
    deadline = time.monotonic() + 30
    while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline, "the worker lives on"
        time.sleep(0.02)


BROKEN_ON_IMPORT = """
import os

@triton.jit
def before(x, B: tl.constexpr):
    tl.store(x + tl.arange(0, B), 1.0)

if os.environ.get("TRITON_INTERPRET") != "1":
    raise RuntimeError("only interpreted")

SCALE = tl.constexpr(2.0)

@triton.jit
def behind(x, B: tl.constexpr):
    tl.store(x + tl.arange(0, B), SCALE)

def example(size: int = 32):
    before[(1,)](torch.zeros(size), size)
    behind[(1,)](torch.zeros(size), size)
"""


def test_a_failing_statement_loses_no_kernel_before_or_behind_it(own_engine, tmp_path):
    engine = own_engine
    engine.open(tmp_path, BROKEN_ON_IMPORT)
    for launch, name in enumerate(["before", "behind"]):
        answer = engine.compile(launch=launch)
        assert answer["findings"] == []
        assert answer["report"]["kernel"] == name


NEVER_DEFINED = """
import os

if os.environ.get("TRITON_INTERPRET") != "1":
    raise RuntimeError("only interpreted")
else:
    @triton.jit
    def plain(x, B: tl.constexpr):
        tl.store(x + tl.arange(0, B), 1.0)

def example(size: int = 32):
    plain[(1,)](torch.zeros(size), size)
"""


def test_a_kernel_that_the_worker_cannot_define_is_a_finding_on_the_line(own_engine, tmp_path):
    engine = own_engine
    engine.open(tmp_path, NEVER_DEFINED)
    finding = error_of(engine.compile())
    assert "only interpreted" in finding["message"]
    assert finding["line"] == line_of(NEVER_DEFINED, "raise RuntimeError")
