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


def calls_of(text: str) -> list[str]:
    """Return the last line of each driver written for host code beside the kernel."""
    return [last_lines(driver, 1)[0] for driver in written(KERNEL + text)]


LAUNCH = "    add_kernel[(8,)](x, x, torch.empty_like(x), x.numel(), BLOCK=128)\n"


@pytest.mark.parametrize(
    ("head", "body", "call"),
    [
        # A check under which None is refused asks for a value.
        ("x, dtype=None", "    if dtype is None:\n        raise ValueError\n",
         "run_it(x, torch.float32)"),
        # The first of the words that it is compared with leads somewhere.
        ("x, mode", "    if mode == 'rows':\n        x = x + 1\n    elif mode == 'columns':\n"
         "        x = x + 2\n", "run_it(x, 'rows')"),
        ("x, mode", "    assert mode in ('mean', 'sum')\n", "run_it(x, 'mean')"),
        # Lists by their elements, as many as are looked at.
        ("x, parts: list[int]", "    a, b = parts[0], parts[2]\n", "run_it(x, [64, 64, 64])"),
        ("x, pair: tuple[int, float]", "", "run_it(x, (64, 0.5))"),
        # A dimension, whichever way it is counted.
        ("x, dim", "    if dim < 0:\n        dim += x.dim()\n", "run_it(x, -1)"),
        # A name that says a whole number, and one that is only passed by its name.
        ("x, *, chunk_size", "", "run_it(x, chunk_size=chunk_size)"),
        # What was left at its default stays there, though a size is called the same.
        ("x, rows=None", "    rows, columns = x.shape\n", "run_it(x)"),
    ],
)  # fmt: skip
def test_what_a_launcher_asks_for_besides_tensors(head: str, body: str, call: str) -> None:
    assert calls_of(f"\ndef run_it({head}):\n{body}{LAUNCH}    return x\n") == [call]


@pytest.mark.parametrize(
    ("body", "shape"),
    [
        ("    n = x.shape[-1]\n    x = x.view(-1, n)\n    y = y.view(-1, n)\n",
         ("128, n", "128, n")),
        ("    assert x.ndim in (3, 4)\n    assert y.shape == x.shape\n",
         ("4, 128, 64", "4, 128, 64")),
        ("    b, s, d = x.shape\n    assert y.shape == (*x.shape[:2], 16)\n",
         ("b, s, d", "b, s, 16")),
        ("    rows, n = x.shape\n    y = y[None, :].expand(rows, -1)\n", ("rows, n", "1000")),
    ],
)  # fmt: skip
def test_shapes_are_read_from_views_ranks_and_starred_tuples(body: str, shape) -> None:
    text = f"\ndef launch_it(x, y):\n{body}{LAUNCH}    return x\n"
    (driver,) = written(KERNEL + text)
    made = [line for line in driver.code.splitlines() if line.startswith(("x =", "y ="))]
    wanted = [line for line in made if f"torch.randn({shape[made.index(line)]}, " in line]
    assert wanted == made, driver.code


def test_a_stub_under_an_else_and_an_operators_fake_get_no_driver() -> None:
    text = f"""
if torch.version.hip is None:
    @torch.library.custom_op("mine::double", mutates_args=())
    def double(x: torch.Tensor) -> torch.Tensor:
    {LAUNCH}        return x

    @double.register_fake
    def _fake_double(x: torch.Tensor) -> torch.Tensor:
        return torch.empty_like(x)
else:
    def double(x: torch.Tensor) -> torch.Tensor:
        raise NotImplementedError
"""
    assert calls_of(text) == ["double(x)"]


def test_another_name_of_an_autograd_functions_apply_is_followed() -> None:
    text = """
class _Attention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, causal):
        b, h, n, d = x.shape
        assert d in {16, 32, 64}
        add_kernel[(8,)](x, x, torch.empty_like(x), n, BLOCK=128)
        return x

attention = _Attention.apply

def attention_causal(x):
    return attention(x, True)
"""
    (driver,) = written(KERNEL + text)
    assert driver.label == "written for attention_causal"
    assert "d = 32" in driver.code
    assert "x = torch.randn(b, h, n, d, device=device)" in driver.code


def test_launchers_of_imported_kernels_get_drivers_where_nothing_else_can_be_run() -> None:
    found = outline("""
import torch
from mine.kernels import cross_entropy_kernel

def cross_entropy(logits: torch.Tensor, labels: torch.Tensor):
    return cross_entropy_kernel(logits, labels)

def name_of(kind):
    return kind.__name__
""", "k.py")  # fmt: skip
    assert [driver.label for driver in found.drivers] == ["written for cross_entropy"]


def test_arguments_behind_one_by_name_go_by_name() -> None:
    text = """
@triton.jit
def copy_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr, n):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offs, tl.load(x_ptr + offs, mask=offs < n), mask=offs < n)
"""
    (driver,) = written(text)
    assert "copy_kernel[grid](x, out, BLOCK=128, n=n)" in driver.code
