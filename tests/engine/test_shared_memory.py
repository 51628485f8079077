"""What holds shared memory: buffers by line and knob, their bytes by arithmetic."""

import textwrap

import pytest

from playground.engine import shared_memory
from playground.model.compiling import SharedBuffer
from playground.model.config import Config
from tests.engine.cases_compile.engine import HEAD, CompileEngine

PRODUCT = """
@triton.jit
def product(a, b, c, K, M: tl.constexpr, N: tl.constexpr, BK: tl.constexpr):
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BK)
    rows = a + i[:, None] * K
    acc = tl.zeros((M, N), tl.float32)
    for s in range(0, K, BK):
        x = tl.load(rows + (s + k)[None, :])
        y = tl.load(b + (s + k)[:, None] * N + j[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c + i[:, None] * N + j[None, :], acc)

def example():
    a, b = torch.zeros(128, 256).half(), torch.zeros(256, 128).half()
    product[(1,)](a, b, torch.empty(128, 128), 256, 128, 128, 64, num_warps=4, num_stages=4)
"""
TEXT = (HEAD + textwrap.dedent(PRODUCT)).splitlines()
X, Y = (next(n for n, text in enumerate(TEXT, 1) if f"{name} = tl.load" in text) for name in "xy")


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    engine = CompileEngine()
    engine.open(tmp_path_factory.mktemp("product"), PRODUCT)
    engine.compile(target="cuda:90")  # the worker starts here: it outlasts the tests that share it
    yield engine
    engine.close()


def held(report):
    return [
        (each["name"], each["line"], each["count"], each["shape"], each["bytes"], each["knobs"])
        for each in report["shared_buffers"]
    ]


def test_buffers_of_a_pipelined_product(engine):
    report = engine.compile(target="cuda:90", knobs={"N": 64})["report"]
    # 4 buffers each: of 128 by 64 halves, and of 64 by 64.
    assert held(report) == [
        ("x", X, 4, [128, 64], 4 * 128 * 64 * 2, ["num_stages", "M", "BK"]),
        ("y", Y, 4, [64, 64], 4 * 64 * 64 * 2, ["num_stages", "N", "BK"]),
    ]
    assert sum(each[4] for each in held(report)) == report["shared_bytes"]


def test_knobs_of_one_value_are_told_apart_by_the_line(engine):
    report = engine.compile(target="cuda:86")["report"]
    assert [each[5] for each in held(report)] == [
        ["num_stages", "M", "BK"], ["num_stages", "BK", "N"],
    ]  # fmt: skip


@pytest.mark.parametrize("target", ["cuda:80", "cuda:100", "hip:gfx942", "hip:gfx950"])
def test_all_targets_together_hold_what_is_taken(engine, target):
    report = engine.compile(target=target)["report"]
    lines = [each[1] for each in held(report) if each[4] > 1000]
    assert sorted(lines) == [X, Y]
    bytes_of_buffers = sum(each[4] for each in held(report))
    assert report["shared_bytes"] == pytest.approx(bytes_of_buffers, rel=0.01)


def test_too_much_is_told_with_the_lines_that_hold_it(engine):
    answer = engine.compile(target="cuda:86", knobs={"num_stages": 6})
    (error,) = [item for item in answer["findings"] if item["severity"] == "error"]
    first, second = error["message"].splitlines()
    assert "the limit is 101376" in first
    assert error["line"] == X
    stages = answer["report"]["shared_buffers"][0]["count"]
    assert second.startswith(
        f"x (line {X}): {stages} x 128x64 fp16 = {stages * 128 * 64 * 2} bytes "
        f"(num_stages, M, BK); y (line {Y}): "
    )
    assert answer["unusable"] == first
    assert "num_stages" in error["hint"]


TTGIR = """\
#shared = #ttg.padded_shared<[512:+8] {offset = [[0, 1]], block = []}>
#loc = loc("/home/me/k.py":3:0)
#loc7 = loc("/home/me/k.py":9:4)
#loc8 = loc("/home/me/k.py":11:4)
#loc26 = loc("x"(#loc7))
    %x_15 = ttg.local_alloc : () -> !ttg.memdesc<2x16x64xf16, #shared, #smem, mutable> loc(#loc26)
    %s_1 = ttg.memdesc_index %x_15[%c0] : !ttg.memdesc<2x16x64xf16> -> !ttg.memdesc<16x64xf16> loc(#loc7)
    %7 = ttg.local_alloc %6 : (tensor<32x32xf8E4M3FN, #b>) -> !ttg.memdesc<32x32xf8E4M3FN, #s, #smem> loc(#loc8)
    %9 = "tt.reduce"(%8) <{axis = 0 : i32}> ({
    }) : (tensor<64xf32, #b>) -> f32 loc(#loc8)
"""  # noqa: E501


def test_padding_and_operands_that_are_not_pipelined():
    found = shared_memory.buffers(TTGIR, Config.of({"B": 32, "num_stages": 3}))
    # 2048 elements, 8 more after each 512 but the last.
    assert found == (
        SharedBuffer("x", "/home/me/k.py", 9, 2, (16, 64), "fp16", 2 * (2048 + 3 * 8),
                     ("num_stages",)),
        SharedBuffer("", "/home/me/k.py", 11, 1, (32, 32), "f8E4M3FN", 1024, ("B",)),
    )  # fmt: skip


def test_the_rest_is_for_exchange_between_threads():
    lines = shared_memory.exchanging_lines(TTGIR, "/home/me/k.py")
    assert lines == (11,)
    assert shared_memory.told((), 4096, lines) == (
        "4096 bytes to exchange values between threads (line 11)"
    )
    buffer = SharedBuffer("x", "", 9, 1, (64, 64), "fp32", 16384)
    assert shared_memory.told((buffer,), 16384, lines) == "x (line 9): 64x64 fp32 = 16384 bytes"
    assert shared_memory.told((buffer,), 8192, lines).endswith("not all of it at one time")
    assert shared_memory.told((), 0, ()) == ""
