#: style = "tl.dot_scaled of microscaled float8"
#: launches = ["scaled_matmul"]
#: export = "not judged"
#: loads = {a = 2048, a_scale = 64, b = 2048, b_scale = 64}
#: stores = {c = 1024}
import torch
import triton
import triton.language as tl


@triton.jit
def scaled_matmul(
    a, a_scale, b, b_scale, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr
):
    m, n = tl.arange(0, M), tl.arange(0, N)
    k, group = tl.arange(0, K), tl.arange(0, K // 32)
    left = tl.load(a + m[:, None] * K + k[None, :])
    right = tl.load(b + k[:, None] * N + n[None, :])
    left_scale = tl.load(a_scale + m[:, None] * (K // 32) + group[None, :])
    right_scale = tl.load(b_scale + n[:, None] * (K // 32) + group[None, :])
    product = tl.dot_scaled(left, left_scale, "e4m3", right, right_scale, "e5m2")
    tl.store(c + m[:, None] * N + n[None, :], product)


def example():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    a = torch.randn(32, 64, device=device).to(torch.float8_e4m3fn)
    b = torch.randn(64, 32, device=device).to(torch.float8_e5m2)
    a_scale, b_scale = (
        torch.randint(122, 132, (32, 2), dtype=torch.uint8, device=device) for _ in range(2)
    )
    c = torch.empty(32, 32, device=device)
    scaled_matmul[(1,)](a, a_scale, b, b_scale, c, 32, 32, 64)
    left = a.double() * torch.exp2(a_scale.double() - 127).repeat_interleave(32, 1)
    right = b.double() * torch.exp2(b_scale.double() - 127).repeat_interleave(32, 1).T
    torch.testing.assert_close(c.double(), left @ right, atol=1e-3, rtol=1e-3)
    return c
