"""The compiler breaking over a kernel: the engine goes on, and what it broke on is kept."""

import os
from pathlib import Path

import pytest

from playground.engine import compile_crashes, crash_reproducer
from playground.engine.compile_messages import KernelRef, Order
from playground.engine.stages_reached import Reached, texts
from tests.engine.cases_compile.engine import CompileEngine, error_of, line_of

ORDER = Order(KernelRef("case", "k", "/home/me/case.py", 3), (), (("num_warps", 4),), "cuda:90", 0)

# LLVM ends the process over constraints that do not fit the arguments.
CRASH = """
@triton.jit
def k(x, B: tl.constexpr):
    v = tl.inline_asm_elementwise("mov.b32 $0, $1;", "=f,q,z", [tl.load(x)], dtype=tl.float32,
                                  is_pure=True, pack=1)
    tl.store(x, v + B)

def example():
    k[(1,)](torch.zeros(64), 32)
"""
SOUND = CRASH.replace('"=f,q,z"', '"=f,f"')

PRINTED = """warning: something else
#loc = loc("/home/me/case.py":3:0)
#blocked = #ttg.blocked<{sizePerThread = [1], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @k() {
    tt.return
  }
}

{-#
  external_resources: {
    mlir_reproducer: {
      pipeline: "builtin.module(canonicalize)",
      disable_threading: false,
      verify_each: true
    }
  }
#-}
/home/me/case.py:7:12: error: failed to legalize operation 'tt.dot'
"""


@pytest.fixture
def engine():
    engine = CompileEngine()
    yield engine
    engine.close()


def test_the_engine_outlives_it_and_the_ir_is_kept(engine, tmp_path):
    engine.open(tmp_path, CRASH)
    answer = engine.compile()
    finding = error_of(answer)
    assert "the compiler ended abruptly (SIGABRT) in its stage llir" in finding["message"]
    assert finding["line"] == line_of(CRASH, "inline_asm")
    path = Path(finding["hint"].partition("is kept in ")[2])
    assert path.is_relative_to(os.environ["XDG_CACHE_HOME"])
    kept = path.read_text()
    assert "tl.inline" not in kept
    assert "elementwise_inline_asm" in kept  # the operation that llir was to be made of
    assert "k for cuda:90" in kept.splitlines()[0]
    # What it came through can be looked at, and the next compilation has a new worker.
    assert answer["stages"] == ["ttir", "ttgir"]
    assert "tt.func public @k" in engine.ir(stage="ttgir")["text"]
    refused = engine.ask("ir", stage="ptx")
    assert refused["error"] == "StageError"
    assert "there is ttir, ttgir" in refused["message"]
    engine.open(tmp_path, SOUND)
    assert engine.compile()["unusable"] == ""


def test_a_printed_reproducer_is_kept_and_not_told():
    text = crash_reproducer.printed_reproducer(PRINTED)
    assert text.startswith("#loc = loc")
    assert text.endswith("#-}")
    rest = crash_reproducer.without_reproducer(PRINTED)
    assert "mlir_reproducer" not in rest
    assert "failed to legalize" in rest
    path = crash_reproducer.keep(ORDER, PRINTED, {}, "ttgir", "failed to legalize")
    assert path is not None
    assert path.suffix == ".mlir"
    assert path.read_text().splitlines()[3:] == text.splitlines()


def test_without_any_text_no_file_is_made():
    assert crash_reproducer.keep(ORDER, "", {}, "", "SIGSEGV") is None
    answer = compile_crashes.died(ORDER, "SIGSEGV", "", None)
    assert "is kept in" not in answer.findings[0].hint


def test_only_the_newest_are_kept(monkeypatch):
    monkeypatch.setattr(crash_reproducer, "_KEPT_FILES", 3)
    paths = []
    for number in range(5):
        path = crash_reproducer.keep(ORDER, "", {"ttir": f"module {number}"}, "ttgir", "SIGSEGV")
        os.utime(path, (number, number))
        paths.append(path)
    newest = crash_reproducer.keep(ORDER, "", {"ttir": "module"}, "ttgir", "SIGSEGV")
    left = set(crash_reproducer.folder().iterdir())
    assert newest in left
    assert len(left) == 3


@pytest.mark.parametrize(
    ("printed", "words"),
    [
        ("LLVM ERROR: Cannot select: t5: f32\n", "Cannot select: t5: f32"),
        ("x\nFailure value returned from cantFail wrapped call\nno such thing\n", "no such thing"),
        ('python: a.cpp:3: f(): Assertion `x > 0 && "text"\' failed.\n', 'x > 0 && "text"'),
        ("nothing of note\n", ""),
    ],
)
def test_its_last_words(printed, words):
    assert compile_crashes.last_words(printed) == words


def test_the_stages_of_an_entry_of_the_cache(tmp_path):
    (tmp_path / "k.source").write_text("raw")
    (tmp_path / "k.ttir").write_text("one")
    (tmp_path / "k.cubin").write_bytes(b"\x7f")
    assert texts(Reached("ttgir", ("ttir",), str(tmp_path))) == {"ttir": "one"}
    assert texts(Reached("ttir", (), str(tmp_path))) == {"ttir": "raw"}
    assert texts(Reached("end", ("ttir", "cubin"), str(tmp_path))) == {
        "ttir": "one", "cubin": b"\x7f",
    }  # fmt: skip
    assert texts(Reached("ttgir", ("ttir",), "")) == {}
    assert texts(None) == {}
