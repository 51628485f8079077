"""Kernels and launchers as people leave them: without anything that runs them."""

HEAD = """
import torch
import triton
import triton.language as tl
"""

FILES = {
    "dropout": """
@triton.jit
def _seeded_dropout(x_ptr, output_ptr, n_elements, p, seed, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(axis=0)
    offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    keep = tl.rand(seed, offsets) > p
    tl.store(output_ptr + offsets, tl.where(keep, x / (1 - p), 0.0), mask=mask)
""",
    "layer_norm_kernel": """
@triton.jit
def layer_norm(X, Y, W, B, Mean, Rstd, stride, N, eps, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0)
    Y += row * stride
    X += row * stride
    total = tl.zeros([BLOCK_SIZE], dtype=tl.float32)
    for off in range(0, N, BLOCK_SIZE):
        cols = off + tl.arange(0, BLOCK_SIZE)
        total += tl.load(X + cols, mask=cols < N, other=0.0)
    mean = tl.sum(total, axis=0) / N
    spread = tl.zeros([BLOCK_SIZE], dtype=tl.float32)
    for off in range(0, N, BLOCK_SIZE):
        cols = off + tl.arange(0, BLOCK_SIZE)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        x = tl.where(cols < N, x - mean, 0.0)
        spread += x * x
    rstd = 1 / tl.sqrt(tl.sum(spread, axis=0) / N + eps)
    tl.store(Mean + row, mean)
    tl.store(Rstd + row, rstd)
    for off in range(0, N, BLOCK_SIZE):
        cols = off + tl.arange(0, BLOCK_SIZE)
        mask = cols < N
        w = tl.load(W + cols, mask=mask)
        b = tl.load(B + cols, mask=mask)
        x = tl.load(X + cols, mask=mask, other=0.0)
        tl.store(Y + cols, (x - mean) * rstd * w + b, mask=mask)
""",
    "rows_launcher": """
@triton.jit
def row_max(x_ptr, out_ptr, row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * row_stride + cols, mask=cols < n_cols, other=-float("inf"))
    tl.store(out_ptr + row, tl.max(x, axis=0))


def largest(x: torch.Tensor) -> torch.Tensor:
    shape = x.shape
    x = x.reshape(-1, x.shape[-1])
    rows, cols = x.shape
    out = torch.empty(rows, device=x.device, dtype=x.dtype)
    row_max[(rows,)](x, out, x.stride(0), cols, BLOCK=triton.next_power_of_2(cols))
    return out.view(shape[:-1])
""",
    "convolution": """
@triton.jit
def conv1d_kernel(input, kernel, output, input_size, kernel_size, BLOCK_SIZE: tl.constexpr):
    offs = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    acc = tl.zeros((BLOCK_SIZE,), dtype=tl.float32)
    for j in range(kernel_size):
        x = tl.load(input + offs + j, mask=offs + j < input_size, other=0.0)
        acc += x * tl.load(kernel + j)
    tl.store(output + offs, acc, mask=offs < input_size - kernel_size + 1)


def solve(input: torch.Tensor, kernel: torch.Tensor, output: torch.Tensor,
          input_size: int, kernel_size: int):
    BLOCK_SIZE = 256
    n_blocks = triton.cdiv(input_size - kernel_size + 1, BLOCK_SIZE)
    conv1d_kernel[(n_blocks,)](input, kernel, output, input_size, kernel_size, BLOCK_SIZE)
""",
    "histogram": """
@triton.jit
def histogram_kernel(input_ptr, histogram_ptr, N, num_bins, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < N
    bins = tl.load(input_ptr + offs, mask=mask, other=0)
    tl.atomic_add(histogram_ptr + bins, 1, mask=mask)


def solve(input: torch.Tensor, histogram: torch.Tensor, N: int, num_bins: int):
    histogram_kernel[(triton.cdiv(N, 128),)](input, histogram, N, num_bins, BLOCK=128)
""",
    "cross_entropy": """
@triton.jit
def cross_entropy_kernel(logits_ptr, labels_ptr, loss_ptr, n_cols, stride_logits,
                         BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0)
    label = tl.load(labels_ptr + row)
    cols = tl.arange(0, BLOCK_SIZE)
    row_ptr = logits_ptr + row * stride_logits
    x = tl.load(row_ptr + cols, mask=cols < n_cols, other=-float("inf"))
    top = tl.max(x, axis=0)
    lse = tl.log(tl.sum(tl.exp(x - top), axis=0)) + top
    tl.store(loss_ptr + row, lse - tl.load(row_ptr + label))


def cross_entropy(logits, labels):
    n_rows, n_cols = logits.shape
    assert labels.shape == (n_rows,)
    losses = torch.empty(n_rows, dtype=torch.float32, device=logits.device)
    cross_entropy_kernel[(n_rows,)](logits, labels, losses, n_cols, logits.stride(0),
                                    BLOCK_SIZE=triton.next_power_of_2(n_cols))
    return losses.mean()
""",
    "embedding": """
@triton.jit
def embedding_kernel(weight, ids, out, hidden_size, BLOCK: tl.constexpr):
    token = tl.program_id(0)
    row = tl.load(ids + token)
    offs = tl.arange(0, BLOCK)
    mask = offs < hidden_size
    tl.store(out + token * hidden_size + offs, tl.load(weight + row * hidden_size + offs, mask),
             mask)


def embedding(ids: torch.Tensor, weight: torch.Tensor, out=None):
    vocab, hidden = weight.shape
    if out is None:
        out = torch.empty((ids.numel(), hidden), dtype=weight.dtype, device=weight.device)
    embedding_kernel[(ids.numel(),)](weight, ids, out, hidden, triton.next_power_of_2(hidden))
    return out
""",
    "masked_fill": """
@triton.jit
def masked_fill_kernel(inp, mask_ptr, out, value, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keep = offs < N
    fill = tl.load(mask_ptr + offs, mask=keep, other=0).to(tl.int1)
    x = tl.load(inp + offs, mask=keep and not fill, other=0)
    tl.store(out + offs, tl.where(fill, value, x), mask=keep)


def masked_fill(inp, mask, value):
    assert mask.shape == inp.shape and mask.dtype == torch.bool
    out = torch.empty_like(inp)
    N = inp.numel()
    masked_fill_kernel[lambda meta: (triton.cdiv(N, meta["BLOCK"]),)](
        inp, mask, out, value, N, BLOCK=256)
    return out
""",
    "dequantize": """
@triton.jit
def dequant_int4_kernel(q_ptr, scales_ptr, out_ptr, N, GROUP: tl.constexpr, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < N
    packed = tl.load(q_ptr + offs // 8, mask=mask, other=0)
    value = (packed >> ((offs % 8) * 4)) & 0xF
    scale = tl.load(scales_ptr + offs // GROUP, mask=mask)
    tl.store(out_ptr + offs, (value - 8) * scale, mask=mask)
""",
    "attention_kernel": """
@triton.jit
def attn_fwd(Q, K, V, sm_scale, Out,
             stride_qz, stride_qh, stride_qm, stride_qk,
             stride_kz, stride_kh, stride_kn, stride_kk,
             stride_vz, stride_vh, stride_vk, stride_vn,
             stride_oz, stride_oh, stride_om, stride_on,
             Z, H, N_CTX,
             BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_DMODEL: tl.constexpr):
    start_m = tl.program_id(0)
    off_hz = tl.program_id(1)
    off_z = off_hz // H
    off_h = off_hz % H
    offs_m = start_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tl.arange(0, BLOCK_N)
    offs_d = tl.arange(0, BLOCK_DMODEL)
    q_ptrs = Q + off_z * stride_qz + off_h * stride_qh + (
        offs_m[:, None] * stride_qm + offs_d[None, :] * stride_qk)
    k_base = K + off_z * stride_kz + off_h * stride_kh
    v_base = V + off_z * stride_vz + off_h * stride_vh
    q = tl.load(q_ptrs, mask=offs_m[:, None] < N_CTX, other=0.0)
    m_i = tl.full([BLOCK_M], -float("inf"), dtype=tl.float32)
    l_i = tl.zeros([BLOCK_M], dtype=tl.float32)
    acc = tl.zeros([BLOCK_M, BLOCK_DMODEL], dtype=tl.float32)
    for start_n in range(0, N_CTX, BLOCK_N):
        cols = start_n + offs_n
        k = tl.load(k_base + cols[None, :] * stride_kn + offs_d[:, None] * stride_kk,
                    mask=cols[None, :] < N_CTX, other=0.0)
        qk = tl.dot(q, k) * sm_scale
        qk = tl.where(cols[None, :] < N_CTX, qk, -float("inf"))
        m_new = tl.maximum(m_i, tl.max(qk, 1))
        p = tl.exp(qk - m_new[:, None])
        alpha = tl.exp(m_i - m_new)
        l_i = l_i * alpha + tl.sum(p, 1)
        v = tl.load(v_base + cols[:, None] * stride_vk + offs_d[None, :] * stride_vn,
                    mask=cols[:, None] < N_CTX, other=0.0)
        acc = acc * alpha[:, None] + tl.dot(p, v)
        m_i = m_new
    o_ptrs = Out + off_z * stride_oz + off_h * stride_oh + (
        offs_m[:, None] * stride_om + offs_d[None, :] * stride_on)
    tl.store(o_ptrs, acc / l_i[:, None], mask=offs_m[:, None] < N_CTX)
""",
    "varlen": """
@triton.jit
def varlen_mean(x_ptr, cu_seqlens_ptr, out_ptr, stride_x, dim, BLOCK_D: tl.constexpr):
    seq = tl.program_id(0)
    start = tl.load(cu_seqlens_ptr + seq)
    end = tl.load(cu_seqlens_ptr + seq + 1)
    cols = tl.arange(0, BLOCK_D)
    total = tl.zeros([BLOCK_D], dtype=tl.float32)
    for row in range(start, end):
        total += tl.load(x_ptr + row * stride_x + cols, mask=cols < dim, other=0.0)
    tl.store(out_ptr + seq * dim + cols, total / (end - start), mask=cols < dim)
""",
    "persistent": """
@triton.jit
def persistent_scale(x_ptr, out_ptr, stride, n_rows, n_cols, BLOCK: tl.constexpr):
    for row in tl.range(tl.program_id(0), n_rows, tl.num_programs(0)):
        cols = tl.arange(0, BLOCK)
        mask = cols < n_cols
        tl.store(out_ptr + row * stride + cols,
                 2 * tl.load(x_ptr + row * stride + cols, mask=mask), mask=mask)
""",
    "heuristics": """
@triton.heuristics({"BLOCK": lambda args: triton.next_power_of_2(args["n_cols"])})
@triton.jit
def row_sum(x_ptr, out_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=0.0)
    tl.store(out_ptr + row, tl.sum(x, axis=0))
""",
    "batched": """
@triton.jit
def bmm(a_ptr, b_ptr, c_ptr, M, N, K, sab, sam, sak, sbb, sbk, sbn, scb, scm, scn,
        BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid_m, pid_n, batch = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    rm = pid_m * BM + tl.arange(0, BM)
    rn = pid_n * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        kk = k + rk
        a = tl.load(a_ptr + batch * sab + rm[:, None] * sam + kk[None, :] * sak,
                    mask=(rm[:, None] < M) & (kk[None, :] < K), other=0.0)
        b = tl.load(b_ptr + batch * sbb + kk[:, None] * sbk + rn[None, :] * sbn,
                    mask=(kk[:, None] < K) & (rn[None, :] < N), other=0.0)
        acc += tl.dot(a, b)
    tl.store(c_ptr + batch * scb + rm[:, None] * scm + rn[None, :] * scn, acc,
             mask=(rm[:, None] < M) & (rn[None, :] < N))
""",
    "helpers": """
@triton.jit
def offsets_of(pid, BLOCK: tl.constexpr):
    return pid * BLOCK + tl.arange(0, BLOCK)


@triton.jit
def load_masked(ptr, offs, n):
    return tl.load(ptr + offs, mask=offs < n, other=0.0)


@triton.jit
def axpy(x_ptr, y_ptr, alpha, n, BLOCK: tl.constexpr):
    offs = offsets_of(tl.program_id(0), BLOCK)
    total = alpha * load_masked(x_ptr, offs, n) + load_masked(y_ptr, offs, n)
    tl.store(y_ptr + offs, total, mask=offs < n)
""",
    "autograd": """
@triton.jit
def square_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    tl.store(out_ptr + offs, x * x, mask=offs < n)


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        out = torch.empty_like(x)
        square_kernel[(triton.cdiv(x.numel(), 128),)](x, out, x.numel(), BLOCK=128)
        return out

    @staticmethod
    def backward(ctx, dout):
        (x,) = ctx.saved_tensors
        return 2 * x * dout
""",
    "module": """
@triton.jit
def rms_kernel(x_ptr, w_ptr, out_ptr, stride, n_cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * stride + cols, mask=mask, other=0.0)
    rstd = tl.rsqrt(tl.sum(x * x, axis=0) / n_cols + eps)
    w = tl.load(w_ptr + cols, mask=mask)
    tl.store(out_ptr + row * stride + cols, x * rstd * w, mask=mask)


class RMSNorm(torch.nn.Module):
    def __init__(self, eps=1e-6):
        super().__init__()
        self.eps = eps

    def forward(self, x, weight):
        '''x: (batch, seq, hidden), weight: (hidden)'''
        batch, seq, hidden = x.shape
        assert weight.shape[0] == hidden
        out = torch.empty_like(x)
        rms_kernel[(batch * seq,)](x, weight, out, hidden, hidden, self.eps,
                                   BLOCK=triton.next_power_of_2(hidden))
        return out
""",
    "transpose": """
@triton.jit
def transpose_kernel(input, output, rows, cols, BLOCK: tl.constexpr):
    r = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = (r[:, None] < rows) & (c[None, :] < cols)
    x = tl.load(input + r[:, None] * cols + c[None, :], mask=mask)
    tl.store(output + c[None, :] * rows + r[:, None], x, mask=mask)


def solve(input, output, rows: int, cols: int):
    grid = (triton.cdiv(rows, 32), triton.cdiv(cols, 32))
    transpose_kernel[grid](input, output, rows, cols, BLOCK=32)
""",
    "lock": """
@triton.jit
def locked_sum(x_ptr, lock_ptr, total_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    part = tl.sum(tl.load(x_ptr + offs, mask=offs < n, other=0.0), axis=0)
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    tl.store(total_ptr, tl.load(total_ptr) + part)
    tl.atomic_xchg(lock_ptr, 0)
""",
    "descriptor": """
@triton.jit
def copy_tiles(x_ptr, out_ptr, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    src = tl.make_tensor_descriptor(x_ptr, [M, N], [N, 1], [BLOCK_M, BLOCK_N])
    dst = tl.make_tensor_descriptor(out_ptr, [M, N], [N, 1], [BLOCK_M, BLOCK_N])
    row, col = tl.program_id(0) * BLOCK_M, tl.program_id(1) * BLOCK_N
    dst.store([row, col], src.load([row, col]))


def copy(x: "Float[torch.Tensor, 'M N']"):
    M, N = x.shape
    out = torch.empty_like(x)
    copy_tiles[(triton.cdiv(M, 32), triton.cdiv(N, 32))](x, out, M, N, BLOCK_M=32, BLOCK_N=32)
    return out
""",
}
