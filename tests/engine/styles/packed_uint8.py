#: style = "two 4-bit weights packed in a uint8"
#: launches = ["int4_matvec"]
#: replay = {BLOCK_N = 4}
#: knobs = {BLOCK_K = 32}
#: loads = {packed = 240, scale = 15, x = 64}
#: stores = {y = 15}
import torch
import triton
import triton.language as tl


@triton.jit
def int4_matvec(packed, scale, x, y, N, K, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    n = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    total = tl.zeros((BLOCK_N,), tl.float32)
    for start in range(0, K, BLOCK_K):
        half = start // 2 + tl.arange(0, BLOCK_K // 2)
        both = tl.load(packed + n[:, None] * (K // 2) + half[None, :], n[:, None] < N, other=0x88)
        low = (both & 0xF).to(tl.float32) - 8.0
        high = (both >> 4).to(tl.float32) - 8.0
        even, odd = tl.load(x + 2 * half), tl.load(x + 2 * half + 1)
        total += tl.sum(low * even[None, :] + high * odd[None, :], 1)
    tl.store(y + n, total * tl.load(scale + n, n < N), n < N)


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(5)
    N, K = 15, 32
    weights = torch.randint(-8, 8, (N, K), device=device)
    packed = ((weights[:, 0::2] + 8) | ((weights[:, 1::2] + 8) << 4)).to(torch.uint8)
    scale, x, y = torch.rand(N, device=device), torch.randn(K, device=device), torch.empty(N, device=device)
    int4_matvec[lambda meta: (triton.cdiv(N, meta["BLOCK_N"]),)](packed, scale, x, y, N, K, BLOCK_N=8, BLOCK_K=32)
    torch.testing.assert_close(y, (weights.float() * scale[:, None]) @ x, rtol=1e-4, atol=1e-4)


if __name__ == "__main__":
    main()
