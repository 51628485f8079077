"""What the compiler refuses for one target, one triton or one value; the table has the rest."""

import pytest
import triton

from tests.engine.cases_compile.engine import CompileEngine, error_of, line_of

NEWER = tuple(map(int, triton.__version__.split(".")[:2])) >= (3, 9)
LAUNCH = "\n\ndef example():\n    k[(1,)](torch.zeros(64), 3, 32)\n"
HEAD = "@triton.jit\ndef k(x, n, B: tl.constexpr):\n"

PRELUDE = "import math\n\ndef double(v):\n    return v * 2\n\n"


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    engine = CompileEngine()
    engine.open(tmp_path_factory.mktemp("first"), kernel("tl.store(x, 1.0)"))
    engine.compile()  # the worker starts here: it outlasts the tests that share it
    yield engine
    engine.close()


def kernel(lines, launch=LAUNCH):
    indented = "".join(f"    {line}\n" for line in lines.splitlines())
    return PRELUDE + HEAD + indented + launch


def test_a_global_is_told_with_the_line_that_sets_it(engine, tmp_path):
    body = "SCALE = 3\n" + kernel("tl.store(x, SCALE)")
    ran = engine.open(tmp_path, body)
    assert ran["findings"] == []  # the interpreter takes it
    finding = error_of(engine.compile())
    set_on = line_of(body, "SCALE = 3")
    assert f"`SCALE = tl.constexpr(3)` on line {set_on}" in finding["hint"]
    assert finding["line"] == line_of(body, "tl.store(x, SCALE)")


def test_a_global_in_a_helper_module(engine, tmp_path):
    (tmp_path / "shared_part.py").write_text(
        "import triton\n\nSCALE = 3\n\n@triton.jit\ndef scaled(v):\n    return v * SCALE\n"
    )
    engine.open(tmp_path, "from shared_part import scaled\n" + kernel("tl.store(x, scaled(2.0))"))
    finding = error_of(engine.compile())
    assert (finding["file"], finding["line"]) == (str(tmp_path / "shared_part.py"), 7)
    assert "on line 3" in finding["hint"]


FLOAT8 = """
@triton.jit
def k(x, y, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y + i, tl.load(x + i).to(tl.float32))

def example():
    k[(1,)](torch.zeros(32).to(torch.float8_e4m3fn), torch.zeros(32), 32)
"""


def test_a_type_that_only_a_newer_gpu_has(engine, tmp_path):
    engine.open(tmp_path, FLOAT8)
    assert engine.compile(target="cuda:90")["unusable"] == ""
    finding = error_of(engine.compile(target="cuda:80"))
    assert "fp8e4nv not supported" in finding["message"]
    assert "cuda:80, which has fp8e4b15, fp8e5" in finding["hint"]


def test_an_int_argument_of_one_is_a_constant(engine, tmp_path):
    launch = LAUNCH.replace("3, 32", "1, 32")
    engine.open(tmp_path, kernel("tl.store(x + n.to(tl.int64), 1.0)", launch))
    finding = error_of(engine.compile())
    assert "'int' object has no attribute 'to'" in finding["message"]
    assert "do_not_specialize" in finding["hint"]


@pytest.mark.parametrize(
    ("target", "dtype", "least"),
    [("cuda:80", "float16", 16), ("cuda:90", "float8_e4m3fn", 32), ("cuda:80", "int8", 32)],
)
def test_the_smallest_dot_depends_on_target_and_type(engine, tmp_path, target, dtype, least):
    body = f"""
        @triton.jit
        def k(a, c, N: tl.constexpr, K: tl.constexpr):
            n, r = tl.arange(0, N), tl.arange(0, K)
            x = tl.load(a + n[:, None] * K + r[None, :])
            z = tl.dot(x, tl.trans(x))
            tl.store(c + n[:, None] * N + n[None, :], z.to(tl.float32))

        def example():
            k[(1,)](torch.zeros(32, 32).to(torch.{dtype}), torch.zeros(32, 32), 32, 32)
    """
    engine.open(tmp_path, body)
    assert engine.compile(knobs={"K": least}, target=target)["unusable"] == ""
    answer = engine.compile(knobs={"K": least // 2}, target=target)
    finding = error_of(answer)
    assert f"K >= {least}" in finding["message"]
    assert f"K at least {least}" in finding["hint"]
    assert finding["line"] == line_of(body, "tl.dot(")


def test_clusters_of_programs_on_an_older_gpu(engine, tmp_path):
    engine.open(tmp_path, kernel("tl.store(x, 1.0)", LAUNCH.replace("32)", "32, num_ctas=2)")))
    assert engine.compile(target="cuda:90")["unusable"] == ""
    finding = error_of(engine.compile(target="cuda:80"))
    assert "num_ctas" in finding["message"]
    assert "cuda:80" in finding["hint"]


MANY = """
@triton.jit
def k(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    a, b, c, d = tl.load(x + i), tl.load(x + i + B), tl.load(x + i + 2 * B), tl.load(x + i + 3 * B)
    for j in range(n):
        a, b, c, d = b + a, c * a, d - b, a + c
    tl.store(o + i, a + b + c + d)

def example():
    k[(1,)](torch.zeros(4096), torch.zeros(1024), 2, 1024)
"""


def test_more_registers_than_a_program_can_have(engine, tmp_path):
    engine.open(tmp_path, MANY)
    answer = engine.compile(knobs={"B": 32768, "num_warps": 32, "maxnreg": 128})
    # 32768 / 1024 threads are 32 elements of 4 vectors each: all of 128 registers, 131072 in all.
    assert answer["report"]["registers"] > 64
    assert not answer["report"]["fits"]
    finding = error_of(answer)
    assert "a program can have 65536" in finding["message"]
    assert "maxnreg=64 or num_warps=16 fits" in finding["hint"]


@pytest.mark.skipif(not NEWER, reason="triton 3.6 still has block pointers")
def test_block_pointers_are_gone(engine, tmp_path):
    lines = "p = tl.make_block_ptr(x, (n,), (1,), (0,), (B,), (0,))\ntl.store(p, tl.load(p))"
    ran = engine.open(tmp_path, kernel(lines))
    (told,) = ran["findings"]  # the interpreter refuses them as well, and says the same
    for text in (told, error_of(engine.compile())["hint"]):
        assert "tl.make_tensor_descriptor(base, shape=…" in text


@pytest.mark.skipif(NEWER, reason="triton 3.9 has them")
def test_what_a_newer_triton_has(engine, tmp_path):
    engine.open(tmp_path, kernel("tl.store(x, tl.atomic_load(x))"))
    finding = error_of(engine.compile())
    assert "atomic_load" in finding["message"]
    assert "tl.atomic_add(ptr, 0)" in finding["hint"]
