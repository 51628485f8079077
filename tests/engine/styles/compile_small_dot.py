#: style = "tl.dot below the smallest block of the target"
#: launches = ["narrow_matmul"]
#: compile = "K >= 16"
#: findings = ["K at least 16 here"]
#: loads = {a = 256, b = 256}
#: gpu = false
import torch
import triton
import triton.language as tl


@triton.jit
def narrow_matmul(a, b, c, K, M: tl.constexpr, N: tl.constexpr, BLOCK_K: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BLOCK_K)
    total = tl.zeros((M, N), tl.float32)
    for start in range(0, K, BLOCK_K):
        left = tl.load(a + m[:, None] * K + start + k[None, :])
        right = tl.load(b + (start + k)[:, None] * N + n[None, :])
        total = tl.dot(left, right, total)
    tl.store(c + m[:, None] * N + n[None, :], total)


def example():
    a, b, c = torch.randn(16, 16).half(), torch.randn(16, 16).half(), torch.empty(16, 16)
    narrow_matmul[(1,)](a, b, c, 16, 16, 16, BLOCK_K=8)
    torch.testing.assert_close(c, a.float() @ b.float(), atol=1e-2, rtol=1e-2)
    return c
