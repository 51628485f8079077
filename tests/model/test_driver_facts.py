"""What a launcher's text says of its arguments ends up in the driver written for it."""

from __future__ import annotations

import pytest

from playground.model.outline import outline

HEAD = "import torch\nimport triton\nimport triton.language as tl\n"
ROWS = """
@triton.jit
def rows(x_ptr, y_ptr, w_ptr, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * stride + i, mask=i < n).to(tl.float32)
    w = tl.load(w_ptr + i, mask=i < n).to(tl.float32)
    tl.store(y_ptr + row * stride + i, x * w, mask=i < n)
"""


def code_for(text: str) -> str:
    found = outline(HEAD + text, "k.py")
    (driver,) = [driver for driver in found.drivers if driver.kind == "generated"]
    return driver.code


def launcher(signature: str, first: str = "", options: str = "") -> str:
    body = "".join(f"    {line}\n" for line in first.splitlines())
    return f"""{ROWS}
def launch({signature}):
{body}    m, n = x.shape
    y = torch.empty_like(x)
    rows[(m,)](x, y, w, x.stride(0), n, BLOCK=triton.next_power_of_2(n){options})
    return y
"""


def test_what_is_loaded_and_cast_at_once_is_a_tensor() -> None:
    code = code_for(launcher("x, w"))
    assert "x = torch.randn(m, n, device=device)" in code
    assert "w = torch.randn(96, device=device)" in code


def test_options_of_a_launch_are_small_whole_numbers() -> None:
    options = ", num_warps=warps, num_stages=stages"
    code = code_for(launcher("x, w, warps, stages", options=options))
    assert code.splitlines()[-1] == "launch(x, w, 4, 2)"


@pytest.mark.parametrize(
    ("test", "shape"),
    [
        ("w is not None and w.shape == (x.shape[-1],)", "w = torch.randn(n, device=device)"),
        ("x.shape[1] == w.shape[0]", "w = torch.randn(n, device=device)"),
        ("w.numel() and w.dtype in (torch.float16, torch.bfloat16)", "dtype=torch.float16"),
        ("x.shape[-1] in {16, 32, 64}", "n = 32"),
        ("x.shape[0] <= 16", "m = 16"),
        ("not x.shape[0] >= 9", "m = 8"),
    ],
)
def test_what_is_asserted_holds(test, shape) -> None:
    assert shape in code_for(launcher("x, w", f"assert {test}"))


def test_a_size_that_is_computed_of_another_is() -> None:
    text = "count, width = x.shape\nassert out.shape == x.shape[:-1] + (x.size(-1) // 2,)"
    code = code_for(launcher("x, w, out", text))
    width = int(code.partition("width = ")[2].partition("\n")[0])
    assert "x = torch.randn(count, width, device=device)" in code
    assert f"out = torch.randn(count, {width // 2}, device=device)" in code


def test_the_branch_that_the_defaults_take_is_read() -> None:
    text = """
ragged = starts is not None
if not ragged:
    b, s, h = x.shape
    x = x.view(-1, h)
else:
    x, h = x.view(1, 2), x.shape[1]
if isinstance(x, Other):
    x = x.whole()
"""
    code = code_for(launcher("x, w, starts=None", text))
    assert "x = torch.randn(b, s, h, device=device)" in code


def test_an_axis_is_none_of_the_sizes() -> None:
    code = code_for(launcher("x, w, dim: int", "x = x.transpose(dim, -1).contiguous()"))
    assert code.splitlines()[-1].endswith(", -1)")


def test_what_may_be_none_is() -> None:
    code = code_for(launcher("x, w, bias: Optional[torch.Tensor]"))
    assert code.splitlines()[-1].endswith(", None)")


def test_torch_passes_arguments_of_an_autograd_function_by_position() -> None:
    code = code_for(
        ROWS
        + """
class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, eps=1e-6, w=None, flag=True):
        m, n = x.shape
        w = torch.ones(n)
        y = torch.empty_like(x)
        rows[(m,)](x, y, w, x.stride(0), n, BLOCK=256)
        return y
"""
    )
    assert code.splitlines()[-1] == "Scaled.apply(x)"


def test_a_flag_that_leads_to_the_kernel_is_set() -> None:
    code = code_for(launcher("x, w, use_triton=False", "if not use_triton:\n    return x"))
    assert code.splitlines()[-1] == "launch(x, w, True)"


def test_a_model_is_as_wide_as_its_input() -> None:
    code = code_for(
        ROWS
        + """
class Norm(torch.nn.Module):
    def __init__(self, hidden_size):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(hidden_size))

    def forward(self, x):
        m, n = x.shape
        y = torch.empty_like(x)
        rows[(m,)](x, y, self.weight, x.stride(0), n, BLOCK=256)
        return y
"""
    )
    assert "Norm(hidden_size=n).to(device)" in code
