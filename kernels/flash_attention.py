"""Attention without its matrix: forward and backward, causal or not.

The scores of one block of queries with one block of keys live in registers only. A running maximum
and a running sum, corrected whenever the maximum grows, make the softmax exact although no program
ever sees a whole row. Causal attention skips the blocks that the mask would empty: see the uneven
work in the schedule. Backward computes the scores again instead of keeping them, once by columns
(for K and V) and once by rows (for Q), so that no two programs add to one element.
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
LOG2_E = 1.4426950408889634  # the hardware's exponential is base 2


@triton.jit
def load_rows(ptr, rows, stride, length, HEAD: tl.constexpr, MASKED: tl.constexpr):
    """Return rows of a (length, HEAD) matrix; if MASKED, zero past its end."""
    columns = tl.arange(0, HEAD)
    places = ptr + rows[:, None] * stride + columns[None, :]
    inside = rows[:, None] < length
    return tl.load(places, mask=inside, other=0.0) if MASKED else tl.load(places)


@triton.jit
def store_rows(ptr, rows, stride, length, values, HEAD: tl.constexpr):
    """Store rows of a (length, HEAD) matrix, nothing past its end."""
    columns = tl.arange(0, HEAD)
    offsets = rows[:, None] * stride + columns[None, :]
    tl.store(ptr + offsets, values.to(ptr.dtype.element_ty), mask=rows[:, None] < length)


@triton.jit
def seen(rows, columns, length, CAUSAL: tl.constexpr):
    """Return which of the queries `rows` look at which of the keys `columns`."""
    inside = (rows < length) & (columns < length)
    if CAUSAL:
        inside = inside & (rows >= columns)
    return inside


@triton.jit
def forward_blocks(
    q, k_ptr, v_ptr, rows, first_key, last_key, row_stride, length, scale, highest, total, out,
    HEAD: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr, MASKED: tl.constexpr,
):  # fmt: skip
    """Return the running maximum, sum and output after the keys from `first_key` to `last_key`."""
    for first in range(first_key, last_key, BLOCK_N):
        columns = first + tl.arange(0, BLOCK_N)
        k = load_rows(k_ptr, columns, row_stride, length, HEAD, MASKED)
        scores = tl.dot(q, tl.trans(k))
        if MASKED:
            looks = seen(rows[:, None], columns[None, :], length, CAUSAL)
            scores = tl.where(looks, scores, -1e30)
        new = tl.maximum(highest, tl.max(scores, axis=1) * scale)
        # One multiplication with addition an element: the scale waits until here.
        weights = tl.exp2(scores * scale - new[:, None])
        correction = tl.exp2(highest - new)
        total = total * correction + tl.sum(weights, axis=1)
        v = load_rows(v_ptr, columns, row_stride, length, HEAD, MASKED)
        out = tl.dot(weights.to(v.dtype), v, out * correction[:, None])
        highest = new
    return highest, total, out


@triton.jit
def attention_forward(
    q_ptr, k_ptr, v_ptr, out_ptr, log_ptr, head_stride, row_stride, length, scale,
    HEAD: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr,
):  # fmt: skip
    head = tl.program_id(1).to(tl.int64) * head_stride
    # The last rows look at the most keys: they start first, so that no long program ends alone.
    block = tl.num_programs(0) - 1 - tl.program_id(0)
    rows = block * BLOCK_M + tl.arange(0, BLOCK_M)
    q = load_rows(q_ptr + head, rows, row_stride, length, HEAD, True)
    highest = tl.full((BLOCK_M,), -1e30, dtype=tl.float32)
    total = tl.zeros((BLOCK_M,), dtype=tl.float32)
    out = tl.zeros((BLOCK_M, HEAD), dtype=tl.float32)
    # Blocks of keys that every row looks at need no mask, and most blocks are such.
    end = length
    whole = length // BLOCK_N * BLOCK_N
    if CAUSAL:
        end = tl.minimum(length, (block + 1) * BLOCK_M)
        whole = tl.minimum(whole, block * BLOCK_M // BLOCK_N * BLOCK_N)
    highest, total, out = forward_blocks(
        q, k_ptr + head, v_ptr + head, rows, 0, whole, row_stride, length, scale,
        highest, total, out, HEAD, BLOCK_N, CAUSAL, False,
    )  # fmt: skip
    highest, total, out = forward_blocks(
        q, k_ptr + head, v_ptr + head, rows, whole, end, row_stride, length, scale,
        highest, total, out, HEAD, BLOCK_N, CAUSAL, True,
    )  # fmt: skip
    store_rows(out_ptr + head, rows, row_stride, length, out / total[:, None], HEAD)
    # Kept for backward: the logarithm (base 2) of each row's sum.
    place = log_ptr + tl.program_id(1) * length + rows
    tl.store(place, highest + tl.log2(total), mask=rows < length)


@triton.jit
def column_gradients(
    k, v, q_ptr, dout_ptr, log_ptr, delta_ptr, columns, first_row, last_row, row_stride, length,
    scale, dk, dv,
    HEAD: tl.constexpr, BLOCK_M: tl.constexpr, CAUSAL: tl.constexpr, MASKED: tl.constexpr,
):  # fmt: skip
    """Return dk and dv after the queries from `first_row` to `last_row`.

    The scores stand transposed, keys by queries: so they are what both products take as their left
    side, straight out of the registers.
    """
    for first in range(first_row, last_row, BLOCK_M):
        rows = first + tl.arange(0, BLOCK_M)
        q = load_rows(q_ptr, rows, row_stride, length, HEAD, MASKED)
        if MASKED:
            log = tl.load(log_ptr + rows, mask=rows < length, other=0.0)
            delta = tl.load(delta_ptr + rows, mask=rows < length, other=0.0)
        else:
            log = tl.load(log_ptr + rows)
            delta = tl.load(delta_ptr + rows)
        weights = tl.exp2(tl.dot(k, tl.trans(q)) * scale - log[None, :])
        if MASKED:
            looks = seen(rows[None, :], columns[:, None], length, CAUSAL)
            weights = tl.where(looks, weights, 0.0)
        dout = load_rows(dout_ptr, rows, row_stride, length, HEAD, MASKED)
        dv = tl.dot(weights.to(dout.dtype), dout, dv)
        dscores = weights * (tl.dot(v, tl.trans(dout)) - delta[None, :])
        dk = tl.dot(dscores.to(q.dtype), q, dk)
    return dk, dv


@triton.jit
def attention_backward_columns(
    q_ptr, k_ptr, v_ptr, dout_ptr, log_ptr, delta_ptr, dk_ptr, dv_ptr,
    head_stride, row_stride, length, scale,
    HEAD: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr,
):  # fmt: skip
    head = tl.program_id(1).to(tl.int64) * head_stride
    flat = tl.program_id(1) * length
    start = tl.program_id(0) * BLOCK_N
    columns = start + tl.arange(0, BLOCK_N)
    k = load_rows(k_ptr + head, columns, row_stride, length, HEAD, True)
    v = load_rows(v_ptr + head, columns, row_stride, length, HEAD, True)
    dk = tl.zeros((BLOCK_N, HEAD), dtype=tl.float32)
    dv = tl.zeros((BLOCK_N, HEAD), dtype=tl.float32)
    # Keys past the end get gradients too, of rows that are not stored: only queries need a mask.
    first = 0
    whole = 0
    if CAUSAL:  # queries before the first key of this block do not look at it
        first = start // BLOCK_M * BLOCK_M
        whole = tl.minimum(tl.cdiv(start + BLOCK_N, BLOCK_M) * BLOCK_M, length)
        dk, dv = column_gradients(
            k, v, q_ptr + head, dout_ptr + head, log_ptr + flat, delta_ptr + flat, columns, first,
            whole, row_stride, length, scale, dk, dv, HEAD, BLOCK_M, CAUSAL, True,
        )  # fmt: skip
    last = tl.maximum(length // BLOCK_M * BLOCK_M, whole)
    dk, dv = column_gradients(
        k, v, q_ptr + head, dout_ptr + head, log_ptr + flat, delta_ptr + flat, columns, whole, last,
        row_stride, length, scale, dk, dv, HEAD, BLOCK_M, CAUSAL, False,
    )  # fmt: skip
    dk, dv = column_gradients(
        k, v, q_ptr + head, dout_ptr + head, log_ptr + flat, delta_ptr + flat, columns, last,
        length, row_stride, length, scale, dk, dv, HEAD, BLOCK_M, CAUSAL, True,
    )  # fmt: skip
    # `scale` is in base 2; the gradient is that of the natural exponential.
    natural = scale * 0.6931471805599453
    store_rows(dk_ptr + head, columns, row_stride, length, dk * natural, HEAD)
    store_rows(dv_ptr + head, columns, row_stride, length, dv, HEAD)


@triton.jit
def row_gradients(
    q, dout, log, delta, k_ptr, v_ptr, rows, first_key, last_key, row_stride, length, scale, dq,
    HEAD: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr, MASKED: tl.constexpr,
):  # fmt: skip
    """Return dq after the keys from `first_key` to `last_key`."""
    for first in range(first_key, last_key, BLOCK_N):
        columns = first + tl.arange(0, BLOCK_N)
        k = load_rows(k_ptr, columns, row_stride, length, HEAD, MASKED)
        v = load_rows(v_ptr, columns, row_stride, length, HEAD, MASKED)
        weights = tl.exp2(tl.dot(q, tl.trans(k)) * scale - log[:, None])
        if MASKED:
            looks = seen(rows[:, None], columns[None, :], length, CAUSAL)
            weights = tl.where(looks, weights, 0.0)
        dscores = weights * (tl.dot(dout, tl.trans(v)) - delta[:, None])
        dq = tl.dot(dscores.to(k.dtype), k, dq)
    return dq


@triton.jit
def attention_backward_rows(
    q_ptr, k_ptr, v_ptr, dout_ptr, log_ptr, delta_ptr, dq_ptr,
    head_stride, row_stride, length, scale,
    HEAD: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr,
):  # fmt: skip
    head = tl.program_id(1).to(tl.int64) * head_stride
    flat = tl.program_id(1) * length
    block = tl.num_programs(0) - 1 - tl.program_id(0)
    rows = block * BLOCK_M + tl.arange(0, BLOCK_M)
    q = load_rows(q_ptr + head, rows, row_stride, length, HEAD, True)
    dout = load_rows(dout_ptr + head, rows, row_stride, length, HEAD, True)
    log = tl.load(log_ptr + flat + rows, mask=rows < length, other=0.0)
    delta = tl.load(delta_ptr + flat + rows, mask=rows < length, other=0.0)
    dq = tl.zeros((BLOCK_M, HEAD), dtype=tl.float32)
    end = length
    whole = length // BLOCK_N * BLOCK_N
    if CAUSAL:
        end = tl.minimum(length, (block + 1) * BLOCK_M)
        whole = tl.minimum(whole, block * BLOCK_M // BLOCK_N * BLOCK_N)
    dq = row_gradients(
        q, dout, log, delta, k_ptr + head, v_ptr + head, rows, 0, whole, row_stride, length, scale,
        dq, HEAD, BLOCK_N, CAUSAL, False,
    )  # fmt: skip
    dq = row_gradients(
        q, dout, log, delta, k_ptr + head, v_ptr + head, rows, whole, end, row_stride, length,
        scale, dq, HEAD, BLOCK_N, CAUSAL, True,
    )  # fmt: skip
    natural = scale * 0.6931471805599453
    store_rows(dq_ptr + head, rows, row_stride, length, dq * natural, HEAD)


class Attention(torch.autograd.Function):
    """Attention over contiguous (batch, heads, length, head size) tensors of one shape."""

    @staticmethod
    def forward(ctx, q, k, v, causal):
        """Return the attention; the logarithm of each row's sum is kept for backward."""
        batch, heads, length, head = q.shape
        out = torch.empty_like(q)
        log = torch.empty((batch * heads, length), device=q.device, dtype=torch.float32)
        scale = head**-0.5 * LOG2_E

        def grid(meta):
            return (triton.cdiv(length, meta["BLOCK_M"]), batch * heads)

        attention_forward[grid](
            q, k, v, out, log, q.stride(1), q.stride(2), length, scale, HEAD=head,
            BLOCK_M=64, BLOCK_N=32, CAUSAL=causal, num_warps=4, num_stages=3,
        )  # fmt: skip
        ctx.save_for_backward(q, k, v, out, log)
        ctx.causal = causal
        return out

    @staticmethod
    def backward(ctx, dout):
        """Return the gradients of q, k and v."""
        q, k, v, out, log = ctx.saved_tensors
        batch, heads, length, head = q.shape
        dout = dout.contiguous()
        delta = (out.float() * dout.float()).sum(dim=-1).view(batch * heads, length)
        dq, dk, dv = torch.empty_like(q), torch.empty_like(k), torch.empty_like(v)
        scale = head**-0.5 * LOG2_E

        def column_grid(meta):
            return (triton.cdiv(length, meta["BLOCK_N"]), batch * heads)

        def row_grid(meta):
            return (triton.cdiv(length, meta["BLOCK_M"]), batch * heads)

        attention_backward_columns[column_grid](
            q, k, v, dout, log, delta, dk, dv, q.stride(1), q.stride(2), length, scale, HEAD=head,
            BLOCK_M=32, BLOCK_N=64, CAUSAL=ctx.causal, num_warps=4, num_stages=2,
        )  # fmt: skip
        attention_backward_rows[row_grid](
            q, k, v, dout, log, delta, dq, q.stride(1), q.stride(2), length, scale, HEAD=head,
            BLOCK_M=64, BLOCK_N=32, CAUSAL=ctx.causal, num_warps=4, num_stages=2,
        )  # fmt: skip
        return dq, dk, dv, None


def attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, *, causal: bool = True
) -> torch.Tensor:
    """Return softmax(q @ k.T / sqrt(head size)) @ v; differentiable.

    All three are contiguous (batch, heads, length, head size), the head size 16, 32, 64 or 128.
    """
    if q.shape != k.shape or q.shape != v.shape:
        raise ValueError(f"shapes differ: {tuple(q.shape)}, {tuple(k.shape)}, {tuple(v.shape)}")
    if q.shape[-1] not in (16, 32, 64, 128):
        raise ValueError(f"a head size of {q.shape[-1]}: this kernel takes 16, 32, 64 or 128")
    return Attention.apply(q.contiguous(), k.contiguous(), v.contiguous(), causal)


def inputs(
    batch: int, heads: int, length: int, head: int, dtype: torch.dtype
) -> tuple[torch.Tensor, ...]:
    """Return q, k, v and the gradient of the result, the same at every call."""
    generator = torch.Generator(device=DEVICE).manual_seed(0)
    shape = (batch, heads, length, head)
    return tuple(torch.randn(shape, device=DEVICE, generator=generator).to(dtype) for _ in range(4))


def example(
    batch: int = 1, heads: int = 2, length: int = 200, head: int = 32, causal: bool = True,
    dtype: torch.dtype = torch.float16,
) -> tuple[torch.Tensor, ...]:  # fmt: skip
    """Return attention over random inputs, and its gradients for q, k and v."""
    q, k, v, dout = inputs(batch, heads, length, head, dtype)
    leaves = [tensor.requires_grad_() for tensor in (q, k, v)]
    out = attention(*leaves, causal=causal)
    out.backward(dout)
    return (out.detach(), *(leaf.grad for leaf in leaves))


def reference(
    batch: int = 1, heads: int = 2, length: int = 200, head: int = 32, causal: bool = True,
    dtype: torch.dtype = torch.float16,
) -> tuple[torch.Tensor, ...]:  # fmt: skip
    """Return what `example` should compute, written out in torch in double precision."""
    q, k, v, dout = (tensor.double() for tensor in inputs(batch, heads, length, head, dtype))
    leaves = [tensor.requires_grad_() for tensor in (q, k, v)]
    scores = q @ k.transpose(-1, -2) * head**-0.5
    if causal:
        above = torch.ones(length, length, device=q.device, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(above, -float("inf"))
    out = scores.softmax(dim=-1) @ v
    out.backward(dout)
    return tuple(tensor.to(dtype) for tensor in (out.detach(), *(leaf.grad for leaf in leaves)))


if __name__ == "__main__":
    torch.testing.assert_close(example(), reference(), rtol=1e-2, atol=1e-2)
    print("attention and its gradients agree with torch")
