"""A helper that is not inlined counts for its own lines and for those that call it."""

import textwrap

import pytest

from playground.engine.called_functions import with_callers
from playground.engine.source_lines import lines_for
from tests.engine.cases_compile.engine import HEAD, CompileEngine

HELPERS = """
@triton.jit(noinline=True)
def deep(v):
    return tl.exp(v) + tl.sin(v)

@triton.jit(noinline=True)
def helper(v, w):
    u = deep(v) * w
    return u + 1.5

@triton.jit
def k(x, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    s = tl.load(x)
    v = tl.load(x + i, i < n)
    a = helper(s, 2.0)
    b = deep(s + 1)
    tl.store(o + i, v * a + b, i < n)

def example():
    x = torch.ones(1024)
    k[(1,)](x, torch.empty(1024), 1024, 1024)
"""
TEXT = (HEAD + textwrap.dedent(HELPERS)).splitlines()


def line(part):
    return next(number for number, text in enumerate(TEXT, 1) if part in text)


EXP, U, ADD = line("tl.exp"), line("u = deep"), line("u + 1.5")
A, B, STORE = line("a = helper"), line("b = deep"), line("tl.store")


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    engine = CompileEngine()
    engine.open(tmp_path_factory.mktemp("called"), HELPERS)
    engine.compile()  # the worker starts here: it outlasts the tests that share it
    yield engine
    engine.close()


@pytest.mark.parametrize(
    ("target", "stage"),
    [("cuda:90", name) for name in ("ttir", "ttgir", "llir", "ptx", "sass")]
    + [("hip:gfx942", name) for name in ("llir", "amdgcn")],
)
def test_callers_are_behind_the_code_of_what_they_call(engine, tmp_path, target, stage):
    engine.open(tmp_path, HELPERS)
    text = engine.compile(target=target, asm=[stage])["asm"][stage]
    behind = set(lines_for(stage, text, str(tmp_path / "case.py")))
    # Innermost first, then whoever calls: of `deep` the line in `helper`, that one's caller, b.
    innermost = {lines[0]: set(lines) for lines in sorted(behind, key=len) if lines}
    assert innermost[EXP] == {EXP, U, A, B}
    assert innermost[ADD] == {ADD, A}
    assert innermost[STORE] == {STORE}


def test_the_head_of_a_function_in_sass_has_the_place_before_it():
    text = [
        "\t.type\tk,@function", "  /*0000*/  CALL.REL `($k$f) ;", "  /*0010*/  EXIT ;",
        "\t.type\t$k$f,@function", "$k$f:", "  /*0020*/  RET ;",
    ]  # fmt: skip
    found = with_callers("sass", text, [(), (5,), (6,), (6,), (6,), (2,)])
    assert found == ((), (5,), (6,), (6,), (6,), (2, 5))


def test_a_quoted_name_in_amds_assembly():
    text = [
        '\t.type\t"f(1,)",@function', "\ts_add 1", "\t.type\tk,@function",
        '\ts_add_u32 s0, s0, "f(1,)"@rel32@lo+4',
    ]  # fmt: skip
    assert with_callers("amdgcn", text, [(), (2,), (), (5,)])[1] == (2, 5)


def test_the_callers_instructions_are_counted(engine, tmp_path):
    engine.open(tmp_path, HELPERS)
    code = engine.code(target="cuda:90")["lines"]
    counted = {item["line"]: sum(count for _, count in item["counts"]) for item in code}
    # All of both functions counts for `a`, all of `deep` for `b` and for `u`.
    assert counted[A] > counted[B] > counted[EXP] > 10
    assert counted[U] > counted[EXP]
    assert counted[ADD] < counted[EXP]


def test_functions_that_call_each_other_end():
    text = [
        "tt.func public @k(", "tt.call @a(", "tt.func private @a(", "tt.call @b(",
        "tt.func private @b(", "tt.call @a(", "other",
    ]  # fmt: skip
    behind = [(), (1,), (), (2,), (), (3,), (4,)]
    assert with_callers("ttir", text, behind)[-1] == (4, 2, 1, 3)


def test_what_is_called_elsewhere_changes_nothing():
    text = ["define void @k() {", "  call void @llvm.trap()", "  ret void"]
    assert with_callers("llir", text, [(), (5,), (6,)]) == ((), (5,), (6,))
    assert with_callers("cubin", ["a"], [(1,)]) == ((1,),)
