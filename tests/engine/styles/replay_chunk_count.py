#: style = "the number of chunks as a constexpr that the host computes from the block size"
#: launches = ["row_sum"]
#: replay = {BLOCK = 16}
#: route = "driver"
#: loads = {x = 400}
#: stores = {out = 4}
import torch
import triton
import triton.language as tl


@triton.jit
def row_sum(x, out, N, BLOCK: tl.constexpr, NUM_CHUNKS: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], tl.float32)
    for chunk in tl.static_range(NUM_CHUNKS):
        i = chunk * BLOCK + tl.arange(0, BLOCK)
        total += tl.load(x + row * N + i, i < N, other=0.0)
    tl.store(out + row, tl.sum(total))


def row_sums(x, block_size):
    M, N = x.shape
    out = torch.empty(M, device=x.device)
    chunks = triton.cdiv(N, block_size)
    row_sum[lambda meta: (M,)](x, out, N, BLOCK=block_size, NUM_CHUNKS=chunks)
    return out


def example(m: int = 4, n: int = 100):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.randn(m, n, device=device)
    out = row_sums(x, 64)
    torch.testing.assert_close(out, x.sum(1))
    return out
