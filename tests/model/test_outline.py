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
