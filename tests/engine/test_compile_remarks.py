"""What the assembler remarks on kernels it takes: a finding in plain words on the user's line."""

import textwrap

import pytest

from playground.engine import compile_remarks
from playground.engine.resources import Resources
from playground.model.config import Config
from playground.model.launch import Launch
from tests.engine.cases_compile.engine import HEAD, CompileEngine

PRODUCTS = """
@triton.jit
def product(a, b, c, K, M: tl.constexpr, N: tl.constexpr, LOUD: tl.constexpr):
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, 64)
    acc = tl.zeros((M, N), tl.float32)
    for s in range(0, K, 64):
        x = tl.load(a + i[:, None] * K + (s + k)[None, :])
        y = tl.load(b + (s + k)[:, None] * N + j[None, :])
        acc = tl.dot(x, y, acc)
        if LOUD:
            tl.device_print("s", s)
    tl.store(c + i[:, None] * N + j[None, :], acc)

def example():
    a, b = torch.zeros(256, 128).half(), torch.zeros(128, 256).half()
    product[(1,)](a, b, torch.empty(256, 256), 128, 64, 128, False, num_warps=4, num_stages=3)
"""
TEXT = (HEAD + textwrap.dedent(PRODUCTS)).splitlines()
DOT = next(number for number, text in enumerate(TEXT, 1) if "tl.dot" in text)
PRINT = next(number for number, text in enumerate(TEXT, 1) if "device_print" in text)


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    engine = CompileEngine()
    engine.open(tmp_path_factory.mktemp("products"), PRODUCTS)
    engine.compile()  # the worker starts here: it outlasts the tests that share it
    yield engine
    engine.close()


def remarks(engine, folder, **knobs):
    engine.open(folder, PRODUCTS)
    answer = engine.compile(knobs=knobs, target="cuda:90")
    assert not any("ptxas" in note or "C75" in note for note in answer["report"]["notes"])
    return [item for item in answer["findings"] if item["detail"].startswith("ptxas:")]


def test_products_that_have_too_few_registers(engine, tmp_path):
    (found,) = remarks(engine, tmp_path, M=256, N=256)
    assert found["severity"] == "hint"
    assert found["line"] == DOT
    assert "too few registers" in found["message"]
    assert "C75" not in found["message"]
    assert "num_warps" in found["hint"]
    assert "(C7511)" in found["detail"]
    # Without the assembler's log, as for a kernel that the user's own process compiled: the same.
    engine.forget(sidecars=True)
    assert remarks(engine, tmp_path, M=256, N=256) == [found]


def test_a_call_between_products_is_named(engine, tmp_path):
    (found,) = remarks(engine, tmp_path, LOUD=True)
    assert found["line"] == DOT
    assert "a function is called between them" in found["message"]
    assert found["hint"].endswith(f"called on line {PRINT}")


def test_a_kernel_whose_products_overlap_has_none(engine, tmp_path):
    assert remarks(engine, tmp_path, M=128, N=256, num_warps=8) == []


PTX = """\
.version 8.4
.target sm_90a
.visible .entry k() {
	.loc	1 7 5
	mov.u32 %r1, %tid.x;
	.loc	1 9 5
	wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1}, %rd1, %rd2, 1, 1, 1;
	ret;
}
	.file	1 "/home/me/kernels.py"
"""


def told(*words):
    config = Config.of({"num_warps": 4})
    launch = Launch(0, "k", "/home/me/kernels.py", 3, 20, (1, 1, 1), "tuple", (), (), config)
    return compile_remarks.findings(launch, Resources(remarks=words), {"ptx": PTX})


SERIALIZED = (
    "(C75{}) Potential Performance Loss: wgmma.mma_async instructions are serialized due to "
)


@pytest.mark.parametrize(
    ("words", "line", "said"),
    [
        (SERIALIZED.format(15) + "non wgmma instructions defining accumulator registers of a wgmma "
         "between start and end of the pipeline stage in the function 'k'", 9,
         "other instructions write the accumulator"),
        (SERIALIZED.format(14) + "ill formed pipeline stage in the function 'k' in line 7", 9,
         "cannot order them"),
        ("'setmaxnreg' ignored to maintain minimum register requirement", 3, "share out"),
        ("Stack size for entry function 'k' cannot be statically determined", 3, "how much stack"),
        ("Something that nobody has met yet in line 5", 7, "its words are in the details"),
    ],
)  # fmt: skip
def test_every_remark_has_words_and_a_place(words, line, said):
    (found,) = told(words)
    assert (found.line, found.detail) == (line, f"ptxas: {words}")
    assert said in found.message
    assert found.hint


def test_one_kind_on_one_line_is_told_once():
    twice = SERIALIZED.format(11) + "insufficient register resources in the function '{}'"
    assert len(told(twice.format("k"), twice.format("helper"))) == 1
    assert told() == []
