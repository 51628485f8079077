"""Faults that users stumble over when a kernel compiles: each a finding on the right line."""

import pytest

from tests.engine.cases_compile.engine import CompileEngine, error_of, line_of


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    engine = CompileEngine()
    engine.open(tmp_path_factory.mktemp("first"), PLAIN)
    engine.compile()  # the worker starts here: it outlasts the tests that share it
    yield engine
    engine.close()


PLAIN = """
@triton.jit
def plain(x, B: tl.constexpr):
    tl.store(x + tl.arange(0, B), 1.0)

def example():
    plain[(1,)](torch.zeros(32), 32)
"""

MATMUL = """
@triton.jit
def mm(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.arange(0, BM)[:, None]
    n = tl.arange(0, BN)[None, :]
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for i in range(0, K, BK):
        left = tl.load(a + m * K + (i + k)[None, :])
        right = tl.load(b + (i + k)[:, None] * BN + n)
        acc = tl.dot(left, right, acc)
    tl.store(c + m * BN + n, acc)

def example():
    a = torch.zeros(128, 128, dtype=torch.float16)
    b = torch.zeros(128, 256, dtype=torch.float16)
    mm[(1,)](a, b, torch.empty(128, 256), 128, 128, 256, 64, num_warps=8, num_stages=4)
"""


def test_01_shared_memory_over_the_limit_of_the_target(engine, tmp_path):
    engine.open(tmp_path, MATMUL)
    knobs = {"BK": 128, "num_stages": 4}
    answer = engine.compile(knobs=knobs)
    report = answer["report"]
    # (128 x 128 + 128 x 256) halves of 2 bytes are 98304 a stage.
    assert report["shared_bytes"] >= 3 * 98304
    assert report["shared_limit_bytes"] == 232448
    assert not report["fits"]
    finding = error_of(answer)
    assert finding["stage"] == "resources"
    assert str(report["shared_bytes"]) in finding["message"]
    assert "232448" in finding["message"]
    assert "BK=128" in finding["message"]
    assert "num_stages=4" in finding["message"]
    # Tiles of b are twice those of a: the line that loads them holds most of it.
    assert finding["line"] == line_of(MATMUL, "right = tl.load")
    # 2 x 98304 = 196608 fits: what the hint names was compiled, so it must fit when asked for.
    stages = int(finding["hint"].split("num_stages=")[1].split()[0])
    assert engine.compile(knobs={**knobs, "num_stages": stages})["report"]["fits"]
    assert not engine.compile(knobs={**knobs, "num_stages": stages + 1})["report"]["fits"]


def test_01_each_config_tells_why_it_is_unusable(engine, tmp_path):
    engine.open(tmp_path, MATMUL)
    trials = [{"BK": 128, "num_stages": count} for count in (2, 4)] + [{"BK": 8}]
    fine, too_large, too_small = engine.compile_many(knobs=trials)["unusable"]
    assert fine == ""
    assert "shared memory" in too_large
    assert "232448" in too_large
    assert "K >= 16" in too_small  # tl.dot of halves


def test_01_the_limit_belongs_to_the_target(engine, tmp_path):
    engine.open(tmp_path, MATMUL)
    knobs = {"BN": 128, "BK": 64, "num_stages": 3}
    fits = {
        target: engine.compile(knobs=knobs, target=target)["report"]["fits"]
        for target in ("cuda:80", "cuda:89", "cuda:90")
    }
    assert fits == {"cuda:80": True, "cuda:89": True, "cuda:90": True}
    limits = {
        target: engine.compile(knobs=knobs, target=target)["report"]["shared_limit_bytes"]
        for target in ("cuda:80", "cuda:89", "cuda:90")
    }
    assert limits == {"cuda:80": 166912, "cuda:89": 101376, "cuda:90": 232448}
    wide = {"BN": 256, "BK": 64, "num_stages": 4}
    assert engine.compile(knobs=wide)["report"]["fits"]
    assert not engine.compile(knobs=wide, target="cuda:89")["report"]["fits"]


ARANGE = """
@triton.jit
def k(x, o, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o + i, tl.load(x + i) + 1)

def example():
    k[(1,)](torch.zeros(200), torch.empty(200), B=200)
"""


def test_03_arange_not_a_power_of_two(engine, tmp_path):
    engine.open(tmp_path, ARANGE)
    finding = error_of(engine.compile())
    assert "power of 2" in finding["message"]
    assert finding["line"] == line_of(ARANGE, "tl.arange(0, B)")
    assert finding["hint"].startswith("B=200: try 128 or 256, with a mask")


DOT = """
@triton.jit
def d(a, b, c, N: tl.constexpr, P: tl.constexpr):
    i = tl.arange(0, N)[:, None]
    j = tl.arange(0, N)[None, :]
    x = tl.load(a + i * N + j)
    y = tl.load(b + i * N + j)
    tl.store(c + i * N + j, tl.dot(x, y, input_precision=P))

def example(kind: str = "tf32"):
    a = torch.zeros(64, 64)
    d[(1,)](a, a, torch.empty(64, 64), 64, kind)
"""


def test_12_tf32_is_told_with_its_line(engine, tmp_path):
    engine.open(tmp_path, DOT)
    answer = engine.compile()
    (hint,) = answer["findings"]
    assert hint["severity"] == "hint"
    assert "tf32" in hint["message"]
    assert hint["line"] == line_of(DOT, "tl.dot(")
    assert 'input_precision="ieee"' in hint["hint"]
    others = engine.compile(knobs={"P": "ieee"})["findings"]
    assert not any("tf32" in item["message"] for item in others)


HEAVY = """
@triton.jit
def heavy(x, o, n, T, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    acc = tl.zeros((B,), tl.float32)
    v0 = tl.load(x + i, i < n)
    v1 = tl.load(x + i + B, i < n)
    v2 = tl.load(x + i + 2 * B, i < n)
    v3 = tl.load(x + i + 3 * B, i < n)
    for t in range(T):
        acc += v0 * t
        v0, v1, v2, v3 = v1 + acc, v2 * acc, v3 - acc, v0 + v1
    tl.store(o + i, acc + v0 + v1 + v2 + v3, i < n)

def example():
    x = torch.zeros(4 * 1024)
    heavy[(1,)](x, torch.empty(1024), 1024, 2, 1024, num_warps=4)
"""


def test_20_spills_are_told_apart_from_a_stack(engine, tmp_path):
    engine.open(tmp_path, HEAVY)
    small = engine.compile()["report"]
    assert (small["spill_bytes"], small["stack_bytes"]) == (0, 0)
    answer = engine.compile(knobs={"B": 16384}, asm=["sass"])
    report = answer["report"]
    # What is stored to local memory is there in the machine code, too.
    assert answer["asm"]["sass"].count("STL") > 100
    assert report["spill_bytes"] > 1000
    assert report["stack_bytes"] > 1000
    hint = next(item for item in answer["findings"] if "spills" in item["message"])
    assert str(report["spill_bytes"]) in hint["message"]
    assert "num_warps" in hint["hint"]
    narrow = engine.compile(knobs={"B": 4096, "maxnreg": 32})["report"]
    assert narrow["registers"] <= 32
    assert narrow["spill_bytes"] > 0
    # Without the assembler's log, as for a kernel that the engine itself compiled: the same.
    engine.forget(sidecars=True)
    again = engine.compile(knobs={"B": 4096, "maxnreg": 32})["report"]
    assert again["cache_hit"]
    for key in ("registers", "stack_bytes", "spill_bytes"):
        assert again[key] == narrow[key]


SINE = """
@triton.jit
def sine(x, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(x + i, tl.sin(tl.load(x + i)))

def example():
    sine[(1,)](torch.zeros(256), 256)
"""


def test_20_the_stack_of_sine_is_no_spill(engine, tmp_path):
    engine.open(tmp_path, SINE)
    answer = engine.compile()
    assert answer["report"]["spill_bytes"] == 0
    assert answer["findings"] == []
    if answer["report"]["stack_bytes"]:
        assert any("not spilled" in note for note in answer["report"]["notes"])


DOCSTRING = '''
@triton.jit
def doc(x, B: tl.constexpr):
    """
    Same as the torch code
    def reference(x): return x * 0 + 7
    """
    tl.store(x + tl.arange(0, B), 7.0)

def example():
    x = torch.zeros(4)
    doc[(1,)](x, 4)
    return x
'''


def test_26_a_docstring_with_a_line_of_code_compiles(engine, tmp_path):
    engine.open(tmp_path, DOCSTRING)
    answer = engine.compile(asm=["ttir"])
    assert "7.000000e+00" in answer["asm"]["ttir"]


DECORATED = """
@triton.autotune(configs=[triton.Config({"B": 4}, num_warps=(lambda n: n)(4))], key=[])
@triton.heuristics({"EVEN": lambda a: (a["n"] % (a["B"])) == 0})
@triton.jit
def deco(x, n, B: tl.constexpr, EVEN: tl.constexpr):
    tl.store(x + tl.arange(0, B), 7.0)

def example():
    deco[(1,)](torch.zeros(4), 4)
"""


def test_26_brackets_and_lambdas_in_decorators_compile(engine, tmp_path):
    engine.open(tmp_path, DECORATED)
    assert engine.compile()["report"]["kernel"] == "deco"


NESTED = """
@triton.jit
def helper(x):
    return x * 2

@triton.jit
def nested(x, o, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o + i, helper(tl.load(x + i)) + tl.sum(tl.load(x + i), 0) + tl.cdiv(7, 2))

def example():
    o = torch.zeros(4)
    nested[(1,)](torch.ones(4), o, 4)
    return o
"""


def test_33_interpreting_and_compiling_do_not_mix(engine, tmp_path):
    for _ in range(2):
        ran = engine.open(tmp_path, NESTED)
        assert ran["findings"] == []
        assert engine.compile()["report"]["kernel"] == "nested"


RETURNED = """
@triton.jit
def add(x, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, tl.load(x + i, i < n), i < n)

def make():
    @triton.jit
    def inner(x, B: tl.constexpr):
        tl.store(x + tl.arange(0, B), 1.0)
    return inner

def example():
    x, o = torch.ones(64), torch.zeros(64)
    k = add[(1,)](x, o, 64, 64)
    registers = k.n_regs
    assert registers is not None
    inner = make()
    inner[(1,)](o, 64)
"""


def test_41_a_launchers_use_of_what_a_launch_returns_does_not_stop_the_worker(engine, tmp_path):
    engine.open(tmp_path, RETURNED)
    # The second kernel exists only once the driver got past `k.n_regs`.
    assert engine.compile(launch=1)["report"]["kernel"].endswith("inner")


ERRORS = {
    "static_assert": (
        """
        @triton.jit
        def k(x, B: tl.constexpr):
            tl.static_assert(B >= 64, "B must be at least 64")
            tl.store(x + tl.arange(0, B), 1.0)

        def example():
            k[(1,)](torch.zeros(32), 32)
        """,
        "tl.static_assert(",
        "B must be at least 64",
        "excluded by the kernel's own assertion",
    ),
    "global": (
        """
        SCALE = 3

        @triton.jit
        def k(x, B: tl.constexpr):
            tl.store(x + tl.arange(0, B), SCALE)

        def example():
            k[(1,)](torch.zeros(32), 32)
        """,
        "tl.store(x",
        "global variable SCALE",
        "SCALE: tl.constexpr",
    ),
    "undefined": (
        """
        @triton.jit
        def k(x, B: tl.constexpr):
            tl.store(x + tl.arange(0, B), missing)

        def example():
            k[(1,)](torch.zeros(32), 32)
        """,
        "missing",
        "missing is not defined",
        "missing is known neither",
    ),
    "helper": (
        """
        @triton.jit
        def helper(x, B: tl.constexpr):
            return x + tl.arange(0, B + 1)

        @triton.jit
        def k(x, B: tl.constexpr):
            tl.store(helper(x, B), 1.0)

        def example():
            k[(1,)](torch.zeros(32), 32)
        """,
        "tl.arange(0, B + 1)",
        "power of 2",
        "power of two",
    ),
    "dtype": (
        """
        @triton.jit
        def k(a, b, c, N: tl.constexpr):
            at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
            x = tl.load(a + at)
            y = tl.load(b + at)
            tl.store(c + at, tl.dot(x, y))

        def example():
            a = torch.zeros(32, 32, dtype=torch.float16)
            k[(1,)](a, a.float(), torch.zeros(32, 32), 32)
        """,
        "tl.dot(x, y)",
        "fp16",
        "cast one operand",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors_are_on_the_users_line_with_a_remedy(engine, tmp_path, name):
    body, where, message, hint = ERRORS[name]
    engine.open(tmp_path, body)
    finding = error_of(engine.compile())
    assert message in finding["message"]
    assert finding["line"] == line_of(body, where)
    assert finding["file"] == str(tmp_path / "case.py")
    assert hint in finding["hint"]


SMALL = """
@triton.jit
def k(a, b, c, N: tl.constexpr, K: tl.constexpr):
    n = tl.arange(0, N)
    r = tl.arange(0, K)
    x = tl.load(a + n[:, None] * K + r[None, :])
    y = tl.load(b + r[:, None] * N + n[None, :])
    tl.store(c + n[:, None] * N + n[None, :], tl.dot(x, y))

def example():
    a = torch.zeros(32, 8, dtype=torch.float16)
    b = torch.zeros(8, 32, dtype=torch.float16)
    k[(1,)](a, b, torch.zeros(32, 32), 32, 8)
"""


def test_a_dot_below_the_hardwares_size(engine, tmp_path):
    engine.open(tmp_path, SMALL)
    finding = error_of(engine.compile())
    assert "K >= 16" in finding["message"]
    assert finding["line"] == line_of(SMALL, "tl.dot(x, y)")
    assert "at least" in finding["hint"]
    assert "16" in finding["hint"]


WARPS = """
@triton.jit
def k(x, B: tl.constexpr):
    tl.store(x + tl.arange(0, B), 1.0)

def example():
    k[(1,)](torch.zeros(32), 32, num_warps=3)
"""


def test_three_warps(engine, tmp_path):
    engine.open(tmp_path, WARPS)
    finding = error_of(engine.compile())
    assert "num_warps must be a power of 2" in finding["message"]
    assert finding["hint"] == "num_warps=3: try 2 or 4"
    assert finding["line"] == line_of(WARPS, "num_warps=3")  # where the launch asks for them


KEYWORD = """
@triton.jit
def k(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), 1.0)

def example():
    k[(1,)](torch.zeros(32), BLOCK=32, num_warp=2)
"""


def test_a_mistyped_keyword(engine, tmp_path):
    engine.open(tmp_path, KEYWORD)
    finding = error_of(engine.compile())
    assert "the launch gives num_warp" in finding["message"]
    assert "num_warp was specified but unrecognised" in finding["detail"]
    assert finding["line"] == line_of(KEYWORD, "num_warp=2")
    assert finding["hint"].startswith("did you mean num_warps?")


MAXIMUM = """
@triton.jit
def k(x, B: tl.constexpr):
    tl.store(x + tl.arange(0, B), 1.0)

def example():
    k[(1,)](torch.zeros(2048), 2048, num_warps=32)
"""


def test_more_threads_than_a_program_may_have(engine, tmp_path):
    engine.open(tmp_path, MAXIMUM)
    assert engine.compile()["report"]["fits"]
    assert engine.compile(target="hip:gfx942")["report"]["threads"] == 2048
    assert not engine.compile(target="hip:gfx942")["report"]["fits"]


def test_fewer_registers_than_a_product_of_hopper_takes(engine, tmp_path):
    engine.open(tmp_path, MATMUL)
    knobs = {"BM": 64, "BN": 64, "BK": 32, "num_warps": 4, "maxnreg": 32}
    finding = error_of(engine.compile(knobs=knobs))
    assert finding["line"] == line_of(MATMUL, "tl.dot(")
    assert finding["message"].startswith("32 registers a thread are too few")
    least = int(finding["message"].rpartition(" ")[2])
    assert f"maxnreg to {least} or more" in finding["hint"]
    # What it asks for is enough, and ptxas keeps to it.
    report = engine.compile(knobs={**knobs, "maxnreg": least})["report"]
    assert report["fits"]
    assert report["registers"] <= least
    assert error_of(engine.compile(knobs={**knobs, "maxnreg": least - 8}))["line"]
