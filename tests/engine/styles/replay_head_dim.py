#: style = "sizes of the data as constexprs: the head dimension, the row length, whether there is a bias"
#: launches = ["score"]
#: replay = {BLOCK = 2}
#: bound = ["HEAD_DIM", "N", "HAS_BIAS"]
#: loads = {q = 384, k = 384, bias = 24}
#: stores = {out = 24}
import torch
import triton
import triton.language as tl


@triton.jit
def score(
    q, k, bias, out,
    N: tl.constexpr, HEAD_DIM: tl.constexpr, HAS_BIAS: tl.constexpr, BLOCK: tl.constexpr,
):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.arange(0, HEAD_DIM)
    at = rows[:, None] * HEAD_DIM + columns[None, :]
    m = rows < N
    products = tl.load(q + at, m[:, None], other=0.0) * tl.load(k + at, m[:, None], other=0.0)
    result = tl.sum(products, 1)
    if HAS_BIAS:
        result += tl.load(bias + rows, m)
    tl.store(out + rows, result, m)


def scores(q, k, bias=None):
    n, head_dim = q.shape[0], q.shape[-1]
    out = torch.empty(n, device=q.device)
    score[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](
        q, k, bias, out, N=q.size(0), HEAD_DIM=head_dim, HAS_BIAS=bias is not None, BLOCK=8
    )
    return out


def example(n: int = 24):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    q, k = torch.randn(n, 16, device=device), torch.randn(n, 16, device=device)
    bias = torch.randn(n, device=device)
    out = scores(q, k, bias)
    torch.testing.assert_close(out, (q * k).sum(1) + bias)
    return out
