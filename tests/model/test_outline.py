"""A file's kernels and drivers are read from its text alone."""

from __future__ import annotations

import pytest

from playground.model.outline import outline
from playground.model.resources import assets_dir, kernels_dir

TEXT = '''
import torch, triton
import triton.language as tl
from triton import jit

@triton.jit
def second(x_ptr, n, *, BLOCK: tl.constexpr, FLAG: "tl.constexpr" = True):
    pass

@triton.autotune(configs=[triton.Config({"B": 64})], key=["n"])
@triton.jit(do_not_specialize=["n"])
def tuned(x_ptr, n, B: tl.constexpr): pass

@torch.jit.script
def no_kernel(x): return x

class Holder:
    @jit
    def inside(x_ptr, B: tl.constexpr): pass

def example(m: int = 1 << 10, n=16 * 1024, name="x", flag=True, *, k: int = -(2 ** 3), half=0.5):
    """Launch something."""

def reference(m, n): ...

if __name__ == "__main__":
    example()
'''


def test_kernels_drivers_and_sizes() -> None:
    found = outline(TEXT, "k.py")
    assert [(kernel.name, kernel.line) for kernel in found.kernels] == [
        ("second", 7), ("tuned", 12), ("inside", 19),
    ]  # fmt: skip
    assert found.kernels[0].parameters == ("x_ptr", "n", "BLOCK", "FLAG")
    assert found.kernels[0].constexprs == ("BLOCK", "FLAG")
    example, main = found.drivers
    assert (example.kind, example.code, example.line) == ("example", "example()", 21)
    assert [(size.name, size.default) for size in example.sizes] == [
        ("m", 1024), ("n", 16384), ("k", -8),
    ]  # fmt: skip
    assert (main.kind, main.code, main.line) == ("main", "", 26)
    assert found.has_reference
    assert found.findings == ()


@pytest.mark.parametrize(
    ("text", "line"), [("def f(:\n", 1), ("x = 1\n  y = 2\n", 2), ("a\0b", None)]
)
def test_what_does_not_parse_is_a_finding(text: str, line: int | None) -> None:
    found = outline(text, "k.py")
    assert found.kernels == found.drivers == ()
    assert [(item.severity, item.stage, item.file) for item in found.findings] == [
        ("error", "syntax", "k.py")
    ]
    if line is not None:
        assert found.findings[0].line == line


def test_nothing_is_offered_where_nothing_is() -> None:
    assert outline("", "k.py").drivers == ()
    assert outline("@triton.jit\ndef example(x): pass\n", "k.py").drivers == ()
    assert outline("if __name__ == 'other': pass\n", "k.py").drivers == ()


@pytest.mark.parametrize("name", ["vector_add", "softmax", "matmul"])
def test_bundled_kernel_files_have_all_parts(name: str) -> None:
    path = kernels_dir() / f"{name}.py"
    found = outline(path.read_text(), str(path))
    assert found.kernels
    assert found.has_reference
    assert [driver.kind for driver in found.drivers] == ["example", "main"]
    assert found.drivers[0].sizes
    assert assets_dir().name == "assets"


LAUNCHING = """
import pytest, torch, triton
import triton.language as tl

@triton.jit
def kernel(x_ptr, n, B: tl.constexpr): pass

def launch(x): kernel[(1,)](x, 1, B=1)
"""


def offered(text: str) -> list[tuple[str, str]]:
    found = outline(LAUNCHING + text, "k.py")
    return [(d.kind, d.code if d.kind == "function" else d.label) for d in found.drivers
            if d.kind != "generated"]  # fmt: skip


def test_a_files_own_calls_are_offered_in_a_sensible_order() -> None:
    text = """
def bench_all(): launch(1)
def run_small(): launch(2)
def needs(x): launch(x)

@pytest.mark.parametrize("size, dtype", [(98, torch.float32), (4, torch.float16)])
@pytest.mark.parametrize("flag", [True, False])
def test_launch(size, dtype, flag, device="cpu"): launch(size)

def test_fixture(tmp_path): launch(1)
def test_nothing(): pass

class TestMore:
    @pytest.mark.parametrize("n", [pytest.param(3, id="three"), 5])
    def test_method(self, n): launch(n)

def main(): launch(1)

def example(): launch(1)

if __name__ == "__main__":
    launch(3)
"""
    assert offered(text) == [
        ("example", "example()"),
        ("main", 'if __name__ == "__main__"'),
        ("function", "main()"),
        ("function", "test_launch(size=98, dtype=torch.float32, flag=True)"),
        ("function", "test_fixture()"),
        ("function", "TestMore().test_method(n=3)"),
        ("function", "run_small()"),
        ("function", "bench_all()"),
    ]


@pytest.mark.parametrize(
    "statement",
    ["launch(1)", "kernel[(1,)](1, 1, B=1)", "for i in range(3):\n    launch(i)", "y = launch(2)"],
)
def test_a_file_that_launches_when_it_is_imported_is_its_own_driver(statement: str) -> None:
    assert offered(statement) == [("main", "the file itself")]


@pytest.mark.parametrize("statement", ["launch", "f = lambda: 1", "print(kernel.__name__)"])
def test_what_launches_nothing_at_import_is_none(statement: str) -> None:
    assert offered(statement) == []


def test_a_main_block_of_benchmarks_alone_comes_last() -> None:
    text = """
@triton.testing.perf_report([])
def benchmark(size): launch(size)

def test_it(): launch(1)

if __name__ == "__main__":
    benchmark.run(print_data=True)
"""
    assert offered(text) == [("function", "test_it()"), ("main", 'if __name__ == "__main__"')]
    assert offered("if __name__ == '__main__':\n    launch(1)\ndef test_it(): launch(1)\n") == [
        ("main", 'if __name__ == "__main__"'), ("function", "test_it()"),
    ]  # fmt: skip


def test_main_that_the_block_calls_is_offered_once() -> None:
    text = "def main(): launch(1)\nif __name__ == '__main__':\n    main()\n"
    assert offered(text) == [("main", 'if __name__ == "__main__"')]


def test_what_only_looks_like_a_kernel_is_none() -> None:
    text = (
        '"""\n@triton.jit\ndef in_docstring(x): pass\n"""\n'
        "import triton, jax, torch\n"
        "T = '''\n@triton.jit\ndef in_text(x): pass\n'''\n"
        "@jax.jit\ndef other(x): pass\n"
        "@torch.library.triton_op('a::b', mutates_args=())\ndef op(x): pass\n"
        "@gluon.jit\ndef real(x_ptr): pass\n"
        "def plain(x_ptr): pass\n"
        "k = triton.jit(plain)\n"
        "def factory():\n    @triton.jit\n    def inside(x_ptr): pass\n    return inside\n"
    )
    assert [kernel.name for kernel in outline(text, "k.py").kernels] == ["real", "plain", "inside"]
