#: style = "more shared memory than the target has: it compiles and cannot launch"
#: launches = ["wide_matmul"]
#: compile = "bytes of shared memory, the limit is 232448"
#: findings = ["num_stages=", " fits"]
#: export = false
#: gpu = false
import torch
import triton
import triton.language as tl


@triton.jit
def wide_matmul(a, b, c, K, M: tl.constexpr, N: tl.constexpr, BLOCK_K: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BLOCK_K)
    total = tl.zeros((M, N), tl.float32)
    for start in range(0, K, BLOCK_K):
        left = tl.load(a + m[:, None] * K + start + k[None, :])
        right = tl.load(b + (start + k)[:, None] * N + n[None, :])
        total = tl.dot(left, right, total)
    tl.store(c + m[:, None] * N + n[None, :], total)


def example():
    a, b = torch.randn(128, 128).half(), torch.randn(128, 256).half()
    c = torch.empty(128, 256)
    wide_matmul[(1,)](a, b, c, 128, 128, 256, BLOCK_K=128, num_warps=8, num_stages=4)
    torch.testing.assert_close(c, a.float() @ b.float(), atol=1e-2, rtol=1e-2)
    return c
