#: style = "two block sizes in a dictionary of settings, passed as **config, both moved at once"
#: launches = ["transpose"]
#: replay = {BLOCK_M = 16, BLOCK_N = 32}
#: route = "driver"
#: loads = {x = 4000}
#: stores = {out = 4000}
import torch
import triton
import triton.language as tl

SETTINGS = {
    "default": {"BLOCK_M": 32, "BLOCK_N": 64, "num_warps": 4},
    "small": {"BLOCK_M": 8, "BLOCK_N": 8, "num_warps": 1},
}


@triton.jit
def transpose(x, out, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    mask = (rows[:, None] < M) & (columns[None, :] < N)
    tile = tl.load(x + rows[:, None] * N + columns[None, :], mask)
    tl.store(out + columns[None, :] * M + rows[:, None], tile, mask)


def transposed(x, name="default"):
    config = SETTINGS[name]
    M, N = x.shape
    out = torch.empty(N, M, dtype=x.dtype, device=x.device)
    grid = (triton.cdiv(M, config["BLOCK_M"]), triton.cdiv(N, config["BLOCK_N"]))
    transpose[grid](x, out, M, N, **config)
    return out


def example(m: int = 40, n: int = 100):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.randn(m, n, device=device)
    return transposed(x), x.t().contiguous()
