#: style = "any strides, storage offset, stride 0: a transposed, stepped, shifted and a broadcast view"
#: launches = ["add_2d"]
#: replay = {BLOCK_M = 4, BLOCK_N = 16}
#: knobs = {BLOCK_M = 8, BLOCK_N = 8}
#: loads = {a_ptr = 200, b_ptr = 200}
#: stores = {c_ptr = 200}
import torch
import triton
import triton.language as tl


@triton.jit
def add_2d(
    a_ptr, b_ptr, c_ptr, M, N,
    stride_am, stride_an, stride_bm, stride_bn, stride_cm, stride_cn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    cols = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    mask = (rows < M) & (cols < N)
    a = tl.load(a_ptr + rows * stride_am + cols * stride_an, mask)
    b = tl.load(b_ptr + rows * stride_bm + cols * stride_bn, mask)
    tl.store(c_ptr + rows * stride_cm + cols * stride_cn, a + b, mask)


def add(a, b, c):
    M, N = c.shape
    grid = lambda meta: (triton.cdiv(M, meta["BLOCK_M"]), triton.cdiv(N, meta["BLOCK_N"]))
    add_2d[grid](a, b, c, M, N, *a.stride(), *b.stride(), *c.stride(), BLOCK_M=8, BLOCK_N=8)
    return c


if __name__ == "__main__":
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(0)
    a = torch.randn(21, 13, device=device)[1:].t()[3:]  # transposed, behind an offset of 16
    b = torch.randn(20, device=device).expand(10, 20)  # stride 0
    c = torch.full((30, 41), -1.0, device=device)[::3, 1::2]  # every other column of every third row
    add(a, b, c)
    torch.testing.assert_close(c, a + b)
