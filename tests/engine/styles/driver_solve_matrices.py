#: style = "No driver at all: solve(a, b, c, M, N, K) with strides as numbers"
#: launches = ["matmul_kernel"]
#: loads = {a = 24576, b = 24576}
#: stores = {c = 8192}
import torch
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(
    a, b, c, M, N, K, stride_am, stride_an, stride_bn, stride_bk, stride_cm, stride_ck,
    BLOCK: tl.constexpr,
):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for start in range(0, N, BLOCK):
        inner = start + tl.arange(0, BLOCK)
        left = tl.load(
            a + rows[:, None] * stride_am + inner[None, :] * stride_an,
            mask=(rows[:, None] < M) & (inner[None, :] < N), other=0.0,
        )
        right = tl.load(
            b + inner[:, None] * stride_bn + cols[None, :] * stride_bk,
            mask=(inner[:, None] < N) & (cols[None, :] < K), other=0.0,
        )
        total += tl.dot(left, right)
    mask = (rows[:, None] < M) & (cols[None, :] < K)
    tl.store(c + rows[:, None] * stride_cm + cols[None, :] * stride_ck, total, mask=mask)


def solve(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, M: int, N: int, K: int):
    grid = (triton.cdiv(M, 64), triton.cdiv(K, 64))
    matmul_kernel[grid](a, b, c, M, N, K, N, 1, K, 1, K, 1, BLOCK=64)
