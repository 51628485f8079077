#: style = "a row kernel whose block is next_power_of_2(n_cols): bound to the data"
#: launches = ["log_softmax"]
#: replay = {num_warps = 8}
#: bound = ["BLOCK"]
#: knobs = {BLOCK = 64}
#: loads = {x = 250}
#: stores = {out = 250}
import torch
import triton
import triton.language as tl


@triton.jit
def log_softmax(x, out, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * n_cols + i, i < n_cols, other=-float("inf"))
    v -= tl.max(v, 0)
    tl.store(out + row * n_cols + i, v - tl.log(tl.sum(tl.exp(v), 0)), i < n_cols)


def log_softmaxed(x):
    n_rows, n_cols = x.shape
    out = torch.empty_like(x)
    BLOCK = triton.next_power_of_2(n_cols)
    log_softmax[(n_rows,)](x, out, n_cols, BLOCK=BLOCK)
    return out


def example(n_rows: int = 5, n_cols: int = 50):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.randn(n_rows, n_cols, device=device)
    out = log_softmaxed(x)
    torch.testing.assert_close(out, torch.log_softmax(x, 1))
    return out
