"""Errors become findings: on the line they come from, with what to do."""

from __future__ import annotations

import json
from typing import Any

import pytest

from playground.engine import coverage_findings, findings, slips
from playground.model.config import Config
from playground.model.coverage import Coverage, OutOfBounds

HEAD = "import torch, triton, triton.language as tl\n"
KERNEL = (
    HEAD
    + """
@triton.jit
def k(x, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + i, tl.load(x + i, i < n) + 1, i < n)
def example():
"""
)
FILES = {
    "syntax": HEAD + "def f(:\n  pass\n",
    "driver": KERNEL + "    x = [1]\n    return inner(x)\ndef inner(x):\n    return x[5]\n",
    "arange": KERNEL + "    k[(1,)](torch.ones(200), 200, B=200)\n",
    "none": KERNEL + "    return 1\n",
    "module": HEAD + "import a_module_that_is_not_there as m\nm.call()\n",
    "package": HEAD + "import cv2.not_there\ncv2.not_there.resize(1)\n",
    "missing": KERNEL + "    k[(1,)](torch.ones(16), B=16)\n",
    "no_grid": KERNEL + "    k(torch.ones(16), 16, B=16)\n",
    "mistyped": KERNEL + "    k[(1,)](torch.ones(16), 16, B=16, num_wraps=2)\n",
    "bad_grid": KERNEL + "    k[('a',)](torch.ones(16), 16, B=16)\n",
    "interrupt": KERNEL + "    k[(1,)](torch.ones(16), 16, B=16)\n    raise KeyboardInterrupt\n",
    "exit": KERNEL + "    k[(1,)](torch.ones(16), 16, B=16)\n    raise SystemExit(2)\n",
    "slips": KERNEL + "    import os\n    os.environ['TRITON_CPU'] = '1'\n"
    "    triton.runtime.driver.set_active_to_zeros()\n",
    "assertion": HEAD + """
@triton.jit
def k(x, B: tl.constexpr):
    tl.static_assert(B < 8, "too wide")
    tl.store(x + tl.arange(0, B), 1.0)
def example():
    k[(1,)](torch.ones(16), 16)
""",
    "grid_parameter": HEAD + """
@triton.jit
def k(x, grid, B: tl.constexpr):
    tl.store(x + tl.arange(0, B), 1.0)
def example():
    k[(1,)](torch.ones(16), B=16)
""",
    "num_pid_n": HEAD + """
@triton.jit
def k(x, N, B: tl.constexpr):
    m = tl.program_id(0) // num_pid_n
    tl.store(x + tl.arange(0, B), 1.0)
def example():
    k[(1,)](torch.ones(16), 16, B=16)
""",
    "twice": HEAD + """
@triton.autotune([triton.Config({"B": 16})], key=[])
@triton.jit
def k(x, B: tl.constexpr):
    tl.store(x + tl.arange(0, B), 7.0)
def example():
    k[(1,)](torch.ones(16), B=16)
""",
    "outside": HEAD + """
@triton.jit
def k(x, B: tl.constexpr):
    tl.store(x + tl.arange(0, B), 1.0)
def example():
    x = torch.zeros(10)
    k[(1,)](x, B=16)
    return x.tolist()
""",
    "driver_at_import": HEAD
    + "DEVICE = triton.runtime.driver.active.get_active_torch_device()\n"
    + KERNEL
    + "    x = torch.ones(4, device=DEVICE)\n    k[(1,)](x, 4, B=16)\n"
    "    torch.cuda.synchronize()\n    return x.tolist()\n",
}  # fmt: skip

RUN = """
from playground.engine.session import Session
play = Session()
out = {}
for name, text in json.loads(sys.stdin.read()).items():
    path = FOLDER / f"{name}.py"
    path.write_text(text)
    play.load(path)
    result = play.run()
    out[name] = {
        "launches": len(result.launches), "result": result.result,
        "findings": [
            [f.severity, f.stage, f.line, f.message, f.hint, f.detail, f.file == str(path)]
            for f in result.findings
        ],
    }
play.close()
answer(out)
"""


def test_every_error_is_a_finding_on_its_line(run_engine) -> None:
    got: dict[str, Any] = run_engine(RUN, stdin=json.dumps(FILES))

    def only(name: str) -> list[Any]:
        assert len(got[name]["findings"]) == 1, got[name]
        return got[name]["findings"][0]

    def expect(name: str, severity: str, stage: str, line: int, message: str, hint: str = ""):
        found = only(name)
        assert found[:3] == [severity, stage, line], found
        assert message in found[3]
        assert hint in found[4]
        assert found[6]
        return found[5]

    expect("syntax", "error", "syntax", 2, "SyntaxError: invalid syntax")
    detail = expect("driver", "error", "driver", 11, "IndexError: list index out of range")
    assert [line for line in detail.splitlines() if "File" in line][-1].endswith("in inner")
    assert "playground/engine" not in detail
    expect("arange", "error", "compile", 5, "must be a power of 2", "mask the tail")
    assert got["arange"]["launches"] == 1, "the launch is there, so that its knobs can be moved"
    expect("none", "warning", "capture", 7, "launched no Triton kernel")
    expect("module", "error", "driver", 3, "a_module_that_is_not_there is not installed",
           "pip install a_module_that_is_not_there")  # fmt: skip
    expect("package", "error", "driver", 3, "cv2.not_there.resize is used", "opencv-python")
    expect("missing", "error", "driver", 8, "missing 1 required positional argument: 'n'")
    expect("no_grid", "error", "driver", 8, "outside of the scope", "kernel[grid](...)")
    expect("mistyped", "warning", "capture", 8, "no parameter 'num_wraps'")
    expect("bad_grid", "error", "driver", 8, "whole numbers")
    expect("interrupt", "warning", "driver", 9, "interrupted")
    assert got["interrupt"]["launches"] == 1
    expect("exit", "warning", "driver", 9, "ended itself: exit status 2")
    assert got["exit"]["launches"] == 1
    expect("assertion", "error", "compile", 5, "static assertion failed: too wide")
    expect("twice", "error", "driver", 8, "Conflicting meta-parameters: B", "given twice")
    expect("outside", "error", "coverage", 5, "store outside x: 6 lanes", "mask")
    assert got["outside"]["result"] == repr([1.0] * 10)
    simulated = only("driver_at_import")
    assert simulated[0] == "info"
    assert "the GPU is simulated" in simulated[3]
    assert got["driver_at_import"]["result"] == repr([2.0] * 4)
    first, second = got["slips"]["findings"]
    assert first[:3] == ["error", "driver", 10]
    assert "TRITON_INTERPRET=1" in first[4]
    assert second[:4] == ["warning", "driver", 9, "TRITON_CPU is no setting of Triton"]
    error, slip = got["grid_parameter"]["findings"]
    assert "kernel[grid](...)" in error[4]
    assert slip[:3] == ["warning", "driver", 4]
    error = only("num_pid_n")
    assert error[:3] == ["error", "compile", 5]
    assert "num_pid_n = tl.cdiv(N" in error[4]


@pytest.mark.parametrize(
    ("text", "fatal"),
    [
        ("CUDA error: an illegal memory access was encountered", True),
        ("Triton Error [CUDA]: an illegal memory access was encountered", True),
        ("Triton Error [CUDA]: misaligned address", True),
        ("Triton Error [CUDA]: out of memory", False),
        ("an illegal memory access of words alone", False),
    ],
)
def test_a_poisoned_context_is_told_from_other_errors(text: str, fatal: bool) -> None:
    assert findings.is_fatal(RuntimeError(text)) is fatal
    wrapped = ValueError("wrapped")
    wrapped.__cause__ = RuntimeError(text)
    assert findings.is_fatal(wrapped) is fatal
    assert findings.is_fatal(findings.FatalError())


def test_a_fatal_error_says_what_happened_and_that_a_restart_helps() -> None:
    cause = RuntimeError("CUDA error: an illegal memory access was encountered\nlong advice")
    fatal = findings.FatalError("x")
    fatal.__cause__ = cause
    found = findings.finding_from_exception(fatal, "timing")
    assert found.stage == "runtime"
    assert found.message.endswith("an illegal memory access was encountered")
    assert "restarted" in found.hint


def test_out_of_shared_memory_names_need_and_limit() -> None:
    from triton.runtime.errors import OutOfResources

    found = findings.finding_from_exception(
        OutOfResources(393216, 232448, "shared memory"), "runtime"
    )
    assert found.stage == "resources"
    assert found.message == "out of shared memory: 393216 bytes needed, 232448 allowed"


def test_lanes_before_the_start_and_past_the_end() -> None:
    before = coverage_findings.out_of_bounds("k", OutOfBounds("x", "load", 3, -2, 2, 7, "k.py"))
    after = coverage_findings.out_of_bounds("k", OutOfBounds("x", "store", 0, 1, 1, 7, "k.py"))
    assert "2 elements before the start of it, in program 3" in before.message
    assert "1 element past the end of it" in after.message
    assert (before.file, before.line) == ("k.py", 7)
    assert "2 lanes," in before.message
    assert "1 lane," in after.message
    assert "offsets >= 0" in before.hint
    assert "offsets < n" in after.hint


def test_no_int32_offset_wraps_around_to_farther_than_half() -> None:
    def hint(distance: int) -> str:
        event = OutOfBounds("x", "load", 0, distance, 1, 7, "k.py")
        return coverage_findings.out_of_bounds("k", event).hint

    assert "int32 offset that grew past" in hint(-(2**31))
    assert "int32 offset that grew past" not in hint(-(2**40))


def test_a_grid_without_programs_is_told_where_the_kernel_stands() -> None:
    empty = Coverage(0, Config(), (0, 2, 1), (), 0, 0, 0, (), "interpreter", 1.0)
    (found,) = coverage_findings.coverage_findings("k", empty, "k.py", 7)
    assert (
        found.message == "k ran no program: its grid is 0 × 2 × 1, so it loads and stores nothing"
    )
    assert (found.severity, found.file, found.line) == ("warning", "k.py", 7)
    assert "triton.cdiv" in found.hint


def test_slips_are_found_without_running_anything() -> None:
    assert slips.slips_in("def f(:", "k.py") == ()
    text = KERNEL + "    pass\n"
    assert slips.slips_in(text, "k.py") == ()


COMPILED_BY_HAND = """
import playground
play = playground.open(write("k.py", '''
import triton, triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

@triton.jit
def k(o_ptr, B: tl.constexpr):
    tl.store(o_ptr + tl.arange(0, B), 1.0)

def example():
    kinds = {"o_ptr": "*fp32", "B": "constexpr"}
    source = ASTSource(fn=k, signature=kinds, constexprs={"B": 8})
    return triton.compile(source, target=GPUTarget("cuda", 90, 32))
'''))
(found,) = [each for each in play.run().findings if each.severity == "error"]
answer([found.line, found.hint])
play.close()
"""


def test_what_compiles_by_hand_is_told_what_to_do_where_kernels_are_interpreted(run_engine) -> None:
    line, hint = run_engine(COMPILED_BY_HAND)
    assert line == 13
    assert "a driver that launches the kernel" in hint


@pytest.mark.parametrize(
    "line",
    [
        "os.environ['TRITON_INTERPRET'] = '1'",
        "del os.environ['TRITON_INTERPRET']",
        "os.environ.pop('TRITON_INTERPRET', None)",
        "os.environ.setdefault('TRITON_INTERPRET', '1')",
        "os.environ.update({'A': '1', 'TRITON_INTERPRET': '1'})",
        "os.environ.update(TRITON_INTERPRET='1')",
        "if x:\n    os.putenv('TRITON_INTERPRET', '1')",
    ],
)
def test_a_file_that_chooses_between_interpreter_and_compiler_is_told(line) -> None:
    (told,) = slips.slips_in(f"import os\n{line}\n", "k.py")
    assert (told.severity, told.line) == ("info", 1 + len(line.splitlines()))
    assert "left to this app" in told.message
    for reading in ("os.environ['TRITON_INTERPRET']", "os.getenv('TRITON_INTERPRET') == '1'"):
        assert slips.slips_in(f"import os\nX = {reading}\n", "k.py") == ()


COMPILE_ERROR = """
from playground.engine import loading, findings
from playground.engine.triton_private import stub_driver, wrappers
stub_driver.activate_stub("cuda:90")
path = write("k.py", '''
    import triton, triton.language as tl
    BIAS = 3
    @triton.jit
    def helper(v):
        return v + tl.arange(0, 3)
    @triton.jit
    def bad(o_ptr, B: tl.constexpr):
        i = tl.arange(0, B)
        tl.static_assert(B < 8, "too wide")
        tl.store(o_ptr + i, helper(i))
    @triton.jit
    def uses_global(o_ptr, B: tl.constexpr):
        tl.store(o_ptr + tl.arange(0, B), BIAS)
''')
module = loading.load_module(path, open(path).read(), name=loading.module_name(path))
import triton
from triton.compiler import ASTSource
out = []
for function, block in ((module.bad, 16), (module.bad, 4), (module.uses_global, 4)):
    source = ASTSource(function, {"o_ptr": "*i32", "B": "constexpr"}, {(1,): block})
    try:
        triton.compile(source, target=wrappers.parse_target("cuda:90"))
    except Exception as error:
        found = findings.finding_from_exception(error, "runtime", user_files=(path,))
        out.append([found.stage, found.line, found.message, found.hint])
answer(out)
"""


def test_compile_errors_point_into_kernel_and_helper(run_engine) -> None:
    got = run_engine(COMPILE_ERROR, interpret=False)
    assertion, arange, global_variable = got
    assert assertion[:2] == ["compile", 10]
    assert "too wide" in assertion[2]
    assert arange[:2] == ["compile", 6]
    assert "power of 2" in arange[2]
    assert "mask the tail" in arange[3]
    assert global_variable[:2] == ["compile", 14]
    assert "tl.constexpr" in global_variable[3]
