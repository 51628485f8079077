"""An assertion that fails while a kernel runs: told with its text, on its line."""

import linecache

from playground.engine.device_asserts import assertions
from playground.engine.findings import finding_from_exception
from tests.engine.cases_compile.engine import CompileEngine, line_of

BODY = """
@triton.jit
def k(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    tl.device_assert(v > 0, "must be positive", mask=i < n)
    tl.store(x + i, v)

def example(value=0.0):
    x = torch.ones(64)
    x[2:] = value
    k[(1,)](x, 3, 32)

def passes():
    x = torch.ones(64)
    x[3:] = 0
    k[(1,)](x, 3, 32)
"""


def test_it_fails_in_the_interpreter_where_its_mask_lets_it(tmp_path):
    engine = CompileEngine()
    try:
        ran = engine.open(tmp_path, BODY)
        (told,) = ran["findings"]
        line = line_of(BODY, "tl.device_assert(")
        assert f"case.py:{line}: error (runtime): tl.device_assert failed: must be positive" in told
        assert engine.open(tmp_path, BODY, "passes()")["findings"] == []
    finally:
        engine.close()


OWN = """
@triton.jit
def k(x, n, B: tl.constexpr):
    d = tl.make_tensor_descriptor(x, [16, 32], [32, 1], [16, 32])
    if n == 3:
        d.store([0, 0], tl.zeros([8, 32], tl.float32))
    tl.static_assert(
        B > 32
    )

def example(n=3):
    k[(1,)](torch.ones(16, 32), n, 32)
"""


def test_what_triton_itself_asserts_is_not_called_the_kernels_own(tmp_path):
    engine = CompileEngine()
    try:
        (told,) = engine.open(tmp_path, OWN)["findings"]
        assert f"case.py:{line_of(OWN, 'd.store(')}: error (compile): the descriptor's " in told
        assert "block is 16 × 32, and what is stored is 8 × 32" in told
        (told,) = engine.open(tmp_path, OWN, "example(4)")["findings"]
        assert "static assertion failed" in told
        assert "the kernel itself rules this config out" in told
    finally:
        engine.close()


def test_on_a_gpu_the_only_one_of_the_file_is_named(tmp_path):
    path = tmp_path / "case.py"
    path.write_text(BODY)
    line = (
        BODY.splitlines().index('    tl.device_assert(v > 0, "must be positive", mask=i < n)') + 1
    )
    assert assertions([str(path)]) == [(str(path), line, "must be positive")]
    error = RuntimeError("CUDA error: device-side assert triggered")
    finding = finding_from_exception(error, "runtime", user_files=(str(path),))
    assert finding.message == "tl.device_assert failed: must be positive"
    assert (finding.file, finding.line) == (str(path), line)


def test_of_several_all_are_named_and_of_none_it_is_torchs(tmp_path):
    path = tmp_path / "several.py"
    path.write_text("tl.device_assert(a, 'one')\n\ndevice_assert(b)\n")
    error = RuntimeError("CUDA error: device-side assert triggered")
    several = finding_from_exception(error, "runtime", user_files=(str(path),))
    assert "lines 1, 3" in several.hint
    path.write_text("x = 1\n")
    linecache.checkcache()
    none = finding_from_exception(error, "runtime", user_files=(str(path),))
    assert "torch asserts it" in none.hint
