#: style = "configs that the kernel's own assertion excludes"
#: launches = ["tiled"]
#: findings = ["tile too wide"]
#: gpu_findings = []
#: knobs = {BLOCK = 16}
#: presets = 3
#: stores = {y = 64}
import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"BLOCK": block}) for block in (128, 16, 32)],
    key=["n"],
)
@triton.jit
def tiled(x, y, n, LIMIT: tl.constexpr, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK <= LIMIT, "tile too wide")
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, mask=at < n) * 2, mask=at < n)


def example():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.randn(64, device=device)
    y = torch.empty_like(x)
    tiled[lambda meta: (triton.cdiv(64, meta["BLOCK"]),)](x, y, 64, LIMIT=32)
    torch.testing.assert_close(y, x * 2)
    return y
