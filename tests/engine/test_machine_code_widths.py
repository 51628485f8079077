"""How wide accesses are, how many matrix instructions: against what can be worked out by hand."""

import re
import time

import pytest

from playground.engine import machine_code
from tests.engine.cases_compile.engine import CompileEngine, line_of
from tests.engine.code_reports import report_of

# Four warps are 128 threads of NVIDIA's and 256 of AMD's; a block of 1024 is 8 or 4 elements each.
BODY = """
@triton.jit
def copy(x_ptr, y_ptr, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + o)
    tl.store(y_ptr + o, x)


@triton.jit
def apart(x_ptr, y_ptr, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + 2 * o)
    tl.store(y_ptr + o, x)


@triton.jit
def masked(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + o, mask=o < n)
    tl.store(y_ptr + o, x)


@triton.jit
def shifted(x_ptr, y_ptr, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + 1 + o)
    tl.store(y_ptr + o, x)


@triton.jit
def added(x_ptr, y_ptr, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + o)
    tl.atomic_add(y_ptr + o, x)


@triton.jit
def turned(x_ptr, y_ptr):
    i = tl.arange(0, 64)
    x = tl.load(x_ptr + i[:, None] * 64 + i[None, :])
    tl.store(y_ptr + i[:, None] * 64 + i[None, :], x.T)


@triton.jit
def product(a_ptr, b_ptr, c_ptr, K, M: tl.constexpr, N: tl.constexpr, BK: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BK)
    total = tl.zeros((M, N), tl.float32)
    for at in range(0, K, BK):
        a = tl.load(a_ptr + m[:, None] * K + k[None, :] + at)
        b = tl.load(b_ptr + (k[:, None] + at) * N + n[None, :])
        total = tl.dot(a, b, total)
    tl.store(c_ptr + m[:, None] * N + n[None, :], total)


@triton.jit
def tiles(a_ptr, b_ptr, c_ptr, K, N, M: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    a_tiles = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [M, BK])
    b_tiles = tl.make_tensor_descriptor(b_ptr, [K, N], [N, 1], [BK, BN])
    c_tiles = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [M, BN])
    total = tl.zeros((M, BN), tl.float32)
    for at in range(0, K, BK):
        total = tl.dot(a_tiles.load([0, at]), b_tiles.load([at, 0]), total)
    c_tiles.store([0, 0], total)


def example():
    x, y = torch.zeros(4096), torch.zeros(4096)
    h, b = x.half(), x.to(torch.int8)
    grid = (1,)
    copy[grid](x, y, BLOCK=1024)
    copy[grid](h, h.clone(), BLOCK=1024)
    copy[grid](x.double(), y.double(), BLOCK=1024)
    copy[grid](b, b.clone(), BLOCK=1024)
    apart[grid](x, y, BLOCK=1024)
    masked[grid](x, y, 1000, BLOCK=1024)
    masked[grid](x, y, 1008, BLOCK=1024)
    shifted[grid](x, y, BLOCK=1024)
    added[grid](x, y, BLOCK=1024)
    turned[grid](x, y)
    triton.set_allocator(lambda size, align, stream: torch.empty(size, dtype=torch.int8))
    h = torch.zeros(128 * 256).half()
    product[grid](h, h.clone(), x.new_zeros(64 * 64), 64, M=64, N=64, BK=32, num_stages=3)
    product[grid](h, h.clone(), x.new_zeros(128 * 256), 64, M=128, N=256, BK=64, num_warps=2)
    tiles[grid](h, h.clone(), x.new_zeros(64 * 64), 64, 64, M=64, BN=64, BK=32)
"""
CASES = ("fp32", "fp16", "fp64", "int8", "stride 2", "mask 1000", "mask 1008", "shifted", "added",
         "turned", "product", "spilled", "tiles")  # fmt: skip


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    engine = CompileEngine()
    opened = engine.open(tmp_path_factory.mktemp("widths"), BODY)
    assert len(opened["launches"]) == len(CASES), opened
    engine.compile()  # the worker starts here: it outlasts the tests that share it
    yield engine
    engine.close()


def _lines(engine, case, target):
    code = engine.code(launch=CASES.index(case), target=target)
    return code, {item["line"]: item for item in code["lines"]}


def _accesses(item):
    return {(one["what"], one["space"], one["bits"]): one["count"] for one in item["accesses"]}


@pytest.mark.parametrize(
    ("case", "part", "load", "count"),
    [
        ("fp32", "x_ptr + o)", 128, 1024 // (128 * 4)),
        ("fp16", "x_ptr + o)", 128, 1024 // (128 * 8)),
        ("fp64", "x_ptr + o)", 128, 1024 // (128 * 2)),
        ("int8", "x_ptr + o)", 64, 1),  # 8 bytes a thread are all there is
        ("stride 2", "x_ptr + 2 * o", 32, 1024 // 128),
        ("mask 1000", "mask=o < n", 32, 1024 // 128),  # the last group of 4 would be cut
        ("mask 1008", "mask=o < n", 128, 1024 // (128 * 4)),
        ("shifted", "x_ptr + 1 + o", 32, 1024 // 128),  # 4 bytes past a multiple of 16
    ],
)  # fmt: skip
def test_a_load_is_as_wide_as_its_addresses_allow(engine, case, part, load, count):
    code, lines = _lines(engine, case, "cuda:80")
    item = lines[line_of(BODY, part)]
    assert _accesses(item) == {("load", "global", load): count}
    kind = "wide memory" if load == 128 else "narrow memory"
    assert dict(item["counts"])[kind] == count
    # What fills up the end of the code is of no line: NOPs and the branch before them.
    assert code["elsewhere"] == dict(code["total"]).get("other", 0) + 1


def test_amd_has_twice_the_threads(engine):
    _, lines = _lines(engine, "fp32", "hip:gfx942")
    assert _accesses(lines[line_of(BODY, "x_ptr + o)")]) == {
        ("load", "global", 128): 1024 // (256 * 4)
    }
    _, lines = _lines(engine, "stride 2", "hip:gfx942")
    assert _accesses(lines[line_of(BODY, "x_ptr + 2 * o")]) == {("load", "global", 32): 1024 // 256}
    _, lines = _lines(engine, "product", "hip:gfx942")
    # 64 x 64 x 32 in four waves by 32 x 32 x 8: 2 * 2 * 4 / 4; the last two rounds stand apart.
    dot = lines[line_of(BODY, "tl.dot(a, b")]
    assert dict(dot["matrix"]) == {"v_mfma_f32_32x32x8_f16": 4 * 3}


def test_an_atomic_is_one_instruction_an_element(engine):
    _, lines = _lines(engine, "added", "cuda:80")
    added = _accesses(lines[line_of(BODY, "atomic_add")])
    assert added["atomic", "global", 32] == 1024 // 128


def test_a_turned_tile_goes_through_shared_memory(engine):
    _, lines = _lines(engine, "turned", "cuda:80")
    store = lines[line_of(BODY, "x.T)")]
    # 64 x 64 fp32 by 128 threads in pieces of 16 bytes: 8 stores; the turn needs one exchange.
    assert _accesses(store)["store", "global", 128] == 64 * 64 // (128 * 4)
    assert store["conversions"] == 1
    assert store["barriers"] >= 1
    assert any(space == "shared" for _, space, _ in _accesses(store))


def test_matrix_instructions_and_copies_of_the_pipeline(engine):
    _, lines = _lines(engine, "product", "cuda:80")
    # 64 x 64 x 32 in four warps by 16 x 8 x 16: 4 * 8 * 2 / 4.
    assert lines[line_of(BODY, "tl.dot(a, b")]["matrix"] == [["HMMA.16816.F32", 16]]
    # 64 x 32 fp16 are 4096 bytes: two pieces of 16 bytes a thread; two stages ahead and one inside.
    assert _accesses(lines[line_of(BODY, "a_ptr + m")])["async copy", "global", 128] == 2 * 3

    _, lines = _lines(engine, "product", "cuda:90")
    # 64 x 64 x 16 for a group of four warps: 32 / 16.
    assert lines[line_of(BODY, "tl.dot(a, b")]["matrix"] == [["HGMMA.64x64x16.F32", 2]]


def test_tensor_descriptors_use_tma(engine):
    _, lines = _lines(engine, "tiles", "cuda:90")
    loads = _accesses(lines[line_of(BODY, "a_tiles.load")])
    assert set(loads) >= {("TMA load", "global", 0)}
    assert _accesses(lines[line_of(BODY, "c_tiles.store")])["TMA store", "global", 0] == 1


def test_spilled_bytes_are_those_of_ptxas_and_reading_is_quick(engine):
    answer = engine.compile(launch=CASES.index("spilled"), target="cuda:80", asm=["sass", "ttgir"])
    report, asm = answer["report"], answer["asm"]
    code, _ = _lines(engine, "spilled", "cuda:80")
    # On one line each here: no helper is called.
    by_space = {"load": 0, "store": 0}
    for item in code["lines"]:
        for one in item["accesses"]:
            if one["space"] == "local":
                by_space[one["what"]] += one["bits"] // 8 * one["count"]
    assert by_space["store"] == report["spill_bytes"] > 1000
    assert sum(item["spill_bytes"] for item in code["lines"]) == sum(by_space.values())
    assert code["notes"] == []

    assert len(re.findall(r"^\s+/\*[0-9a-f]{4,}\*/", asm["sass"], re.MULTILINE)) > 5000
    made = report_of("cuda:80", report["spill_bytes"])
    times_ms = []
    for _ in range(5):
        start = time.process_time()
        machine_code.code_by_line(made, "sass", asm["sass"], asm["ttgir"], "/case.py")
        times_ms.append(1e3 * (time.process_time() - start))
    assert min(times_ms) < 150
