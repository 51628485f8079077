#: style = "No driver at all: a launcher with plain parameters, its shapes unpacked and asserted"
#: launches = ["linear_kernel"]
#: stores = {out_ptr = 24576}
import torch
import triton
import triton.language as tl


@triton.jit
def linear_kernel(
    x_ptr, w_ptr, bias_ptr, out_ptr, M, N, K,
    stride_xm, stride_xk, stride_wn, stride_wk, stride_om, stride_on,
    HAS_BIAS: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    inner = tl.arange(0, BLOCK_K)
    x_ptrs = x_ptr + rows[:, None] * stride_xm + inner[None, :] * stride_xk
    w_ptrs = w_ptr + cols[None, :] * stride_wn + inner[:, None] * stride_wk
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, K, BLOCK_K):
        x = tl.load(x_ptrs, mask=(rows[:, None] < M) & (inner[None, :] + start < K), other=0.0)
        w = tl.load(w_ptrs, mask=(cols[None, :] < N) & (inner[:, None] + start < K), other=0.0)
        total += tl.dot(x, w)
        x_ptrs += BLOCK_K * stride_xk
        w_ptrs += BLOCK_K * stride_wk
    if HAS_BIAS:
        total += tl.load(bias_ptr + cols, mask=cols < N, other=0.0)[None, :]
    out_ptrs = out_ptr + rows[:, None] * stride_om + cols[None, :] * stride_on
    tl.store(out_ptrs, total, mask=(rows[:, None] < M) & (cols[None, :] < N))


def linear(x, weight, bias=None, block_m=64):
    """x: (M, K), weight: (N, K); returns x @ weight.T + bias."""
    M, K = x.shape
    N = weight.shape[0]
    assert weight.shape[1] == K, "inner sizes differ"
    out = torch.empty((M, N), device=x.device, dtype=x.dtype)
    grid = (triton.cdiv(M, block_m), triton.cdiv(N, 64))
    linear_kernel[grid](
        x, weight, bias, out, M, N, K, *x.stride(), *weight.stride(), *out.stride(),
        HAS_BIAS=bias is not None, BLOCK_M=block_m, BLOCK_N=64, BLOCK_K=32,
    )
    return out
