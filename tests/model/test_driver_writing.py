"""Drivers are written from signatures and use alone: what their text says."""

from __future__ import annotations

import ast

import pytest

from playground.model.outline import Driver, outline

HEAD = "import torch\nimport triton\nimport triton.language as tl\n"
KERNEL = """
@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask) + tl.load(y_ptr + offs, mask=mask)
    tl.store(out_ptr + offs, x, mask=mask)
"""


def written(text: str) -> list[Driver]:
    found = outline(HEAD + text, "k.py")
    assert found.findings == ()
    drivers = [driver for driver in found.drivers if driver.kind == "generated"]
    for driver in drivers:
        ast.parse(driver.code)
        assert driver.code.startswith("# Written by the app")
        assert driver.line is not None
    return drivers


def last_lines(driver: Driver, count: int) -> list[str]:
    return driver.code.splitlines()[-count:]


def test_a_bare_kernel_gets_tensors_a_grid_and_its_launch() -> None:
    (driver,) = written(KERNEL)
    assert driver.label == "written for add_kernel"
    assert last_lines(driver, 9) == [
        "n = 1000",
        "",
        "x = torch.randn(n, device=device)  # loaded",
        "y = torch.randn(n, device=device)  # loaded",
        "out = torch.empty(n, device=device)  # stored",
        "",
        'grid = lambda meta: (triton.cdiv(n, meta["BLOCK"]),)',
        "add_kernel[grid](x, y, out, n, BLOCK=128)",
        "out",
    ]


def test_what_the_file_calls_something_is_not_hidden_by_the_driver() -> None:
    (driver,) = written("x = 3\nn = 4\n" + KERNEL)
    assert "n_ = 1000" in driver.code
    assert "x_ = torch.randn(n_, device=device)" in driver.code
    assert "add_kernel[grid](x_, y, out, n_, BLOCK=128)" in driver.code


def test_the_launcher_is_driven_where_there_is_one_and_its_default_stays() -> None:
    (driver,) = written(
        KERNEL
        + '''
def add(x, y, alpha: float = 1.0, *, block: int = 128):
    """x: (M, N), y: (M, N)"""
    out = torch.empty_like(x)
    n = out.numel()
    add_kernel[(triton.cdiv(x.numel(), block),)](x, y, out, x.numel(), BLOCK=block)
    return out
'''
    )
    assert driver.label == "written for add"
    assert "x = torch.randn(M, N, device=device)" in driver.code
    assert last_lines(driver, 1) == ["add(x, y)"]


def test_the_outermost_launcher_and_the_model_come_first_and_what_is_behind_them_last() -> None:
    drivers = written(
        KERNEL
        + """
def inner(x, y):
    out = torch.empty_like(x)
    add_kernel[(8,)](x, y, out, x.numel(), BLOCK=128)
    return out

def outer(x):
    return inner(x, x)

class Helper(torch.nn.Module):
    def forward(self, x):
        return inner(x, x)

class ModelNew(torch.nn.Module):
    def __init__(self, features: int, eps=1e-5):
        super().__init__()

    def forward(self, a, b):
        return inner(a, b)
"""
    )
    assert [driver.label for driver in drivers] == [
        "written for ModelNew", "written for Helper", "written for outer", "written for inner",
    ]  # fmt: skip
    assert "model = ModelNew(features=64).to(device)" in drivers[0].code
    assert last_lines(drivers[0], 1) == ["model(a, b)"]


def test_inputs_that_the_file_makes_itself_are_used() -> None:
    (driver,) = written(
        KERNEL
        + """
class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        out = torch.empty_like(a)
        add_kernel[(8,)](a, b, out, a.numel(), BLOCK=128)
        return out

def get_inputs():
    return [torch.rand(1000), torch.rand(1000)]

def get_init_inputs():
    return []
"""
    )
    assert "for each in get_inputs()" in driver.code
    assert "made_with = get_init_inputs()" in driver.code
    assert last_lines(driver, 1) == ["model(*inputs)"]


def test_equal_sizes_share_a_name() -> None:
    (driver,) = written("""
@triton.jit
def kernel(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK: tl.constexpr):
    tl.store(c_ptr + tl.program_id(0), tl.load(a_ptr) + tl.load(b_ptr))

def matmul(a: torch.Tensor, b: torch.Tensor):
    assert a.shape[1] == b.shape[0], "sizes differ"
    assert a.dtype == torch.float16 and a.dtype == b.dtype
    M, K = a.shape
    K, N = b.shape
    c = torch.empty((M, N), device=a.device)
    kernel[(4,)](a, b, c, M, N, K, BLOCK=64)
    return c
""")
    assert "a = torch.randn(M, K, dtype=torch.float16, device=device)" in driver.code
    assert "b = torch.randn(K, N, dtype=torch.float16, device=device)" in driver.code


@pytest.mark.parametrize(
    ("decorator", "passed"),
    [
        ("", ", BLOCK=128)"),
        ('@triton.autotune(configs=[triton.Config({"BLOCK": 64})], key=["n"])\n', ", n)"),
        ('@triton.heuristics({"BLOCK": lambda args: 64})\n', ", n)"),
    ],
)
def test_what_a_tuner_gives_is_not_passed(decorator: str, passed: str) -> None:
    (driver,) = written(KERNEL.replace("@triton.jit", decorator + "@triton.jit"))
    assert last_lines(driver, 2)[0].endswith(passed)


def test_a_kernel_made_by_plain_calls_is_reached_by_its_own_name() -> None:
    text = KERNEL.replace("@triton.jit\n", "") + (
        'fast = triton.autotune(configs=[triton.Config({"BLOCK": 64})], key=["n"])('
        "triton.jit(add_kernel))\n"
    )
    found = outline(HEAD + text, "k.py")
    assert [kernel.name for kernel in found.kernels] == ["add_kernel"]
    (driver,) = written(text)
    assert "fast[grid](x, y, out, n)" in driver.code


def test_many_programs_get_smaller_sizes() -> None:
    (driver,) = written("""
@triton.jit
def one_by_one(a, c, M, K):
    at = tl.program_id(0) * K + tl.program_id(1)
    tl.store(c + at, tl.load(a + at))

def solve(a: torch.Tensor, c: torch.Tensor, M: int, K: int):
    one_by_one[(M, K)](a, c, M, K)
""")
    lines = driver.code.splitlines()
    values = dict(line.split(" = ") for line in lines if line[:4] in ("M = ", "K = "))
    assert int(values["M"]) * int(values["K"]) <= 96
    assert last_lines(driver, 2) == ["solve(a, c, M, K)", "c"]


def test_no_driver_is_written_where_the_file_has_an_example() -> None:
    assert written(KERNEL + "def example(): add_kernel[(1,)](1, 2, 3, 4, BLOCK=1)\n") == []


def test_strange_kernels_do_not_stop_a_file_from_opening() -> None:
    bodies = [
        "pass", "return x_ptr", "tl.load(*x_ptr)", "tl.load()", "x = tl.load(x_ptr[0])",
        "for a, b in tl.static_range(3): tl.store(x_ptr + a, b)", "while True: x_ptr += 1",
        "tl.program_id(axis=n)", "(lambda: x_ptr)()",
    ]  # fmt: skip
    for body in bodies:
        header = "@triton.jit\ndef odd(x_ptr, n, *rest, B: tl.constexpr = 4):\n"
        found = outline(f"{HEAD}{header}    {body}\n", "k.py")
        assert [kernel.name for kernel in found.kernels] == ["odd"]
