"""Attention forward by descriptors with the next scores under way; backward with five products.

Forward: the product of the next block of keys is begun before the exponentials of this one, so that
tensor cores and exponentials can work at the same time; keys and values come by descriptors, which
takes their addresses out of the registers. (Triton 3.6 cannot specialise the warps of this loop on
Hopper: its pass fails.) Backward: one kernel goes by blocks of keys and adds its
part of dq up by atomics in float32: five products instead of seven, and no two runs give the same
bits.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

LOG2_E = 1.4426950408889634


@triton.jit
def attend(scores, v, scale, highest, total, out):
    """Return the running maximum, sum and output with one more block of scores."""
    new = tl.maximum(highest, tl.max(scores, axis=1) * scale)
    weights = tl.exp2(scores * scale - new[:, None])
    correction = tl.exp2(highest - new)
    total = total * correction + tl.sum(weights, axis=1)
    out = tl.dot(weights.to(v.dtype), v, out * correction[:, None])
    return new, total, out


@triton.jit
def forward_kernel(
    q_desc, k_desc, v_desc, out_desc, log_ptr, length, scale,
    HEAD: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr,
    AHEAD: tl.constexpr,
):  # fmt: skip
    head = tl.program_id(1)
    block = tl.num_programs(0) - 1 - tl.program_id(0)
    rows = block * BLOCK_M + tl.arange(0, BLOCK_M)
    q = q_desc.load([head, block * BLOCK_M, 0]).reshape(BLOCK_M, HEAD)
    highest = tl.full((BLOCK_M,), -1e30, dtype=tl.float32)
    total = tl.zeros((BLOCK_M,), dtype=tl.float32)
    out = tl.zeros((BLOCK_M, HEAD), dtype=tl.float32)
    end = length
    whole = length // BLOCK_N * BLOCK_N
    if CAUSAL:
        end = tl.minimum(length, (block + 1) * BLOCK_M)
        whole = tl.minimum(whole, block * BLOCK_M // BLOCK_N * BLOCK_N)
    if AHEAD:
        if whole > 0:
            k = k_desc.load([head, 0, 0]).reshape(BLOCK_N, HEAD)
            scores = tl.dot(q, tl.trans(k))
            for first in tl.range(BLOCK_N, whole, BLOCK_N):
                k = k_desc.load([head, first, 0]).reshape(BLOCK_N, HEAD)
                later = tl.dot(q, tl.trans(k))
                v = v_desc.load([head, first - BLOCK_N, 0]).reshape(BLOCK_N, HEAD)
                highest, total, out = attend(scores, v, scale, highest, total, out)
                scores = later
            v = v_desc.load([head, whole - BLOCK_N, 0]).reshape(BLOCK_N, HEAD)
            highest, total, out = attend(scores, v, scale, highest, total, out)
    else:
        for first in tl.range(0, whole, BLOCK_N):
            k = k_desc.load([head, first, 0]).reshape(BLOCK_N, HEAD)
            scores = tl.dot(q, tl.trans(k))
            v = v_desc.load([head, first, 0]).reshape(BLOCK_N, HEAD)
            highest, total, out = attend(scores, v, scale, highest, total, out)
    for first in tl.range(whole, end, BLOCK_N):
        columns = first + tl.arange(0, BLOCK_N)
        k = k_desc.load([head, first, 0]).reshape(BLOCK_N, HEAD)
        looks = (columns[None, :] < length) & (rows[:, None] < length)
        if CAUSAL:
            looks = looks & (rows[:, None] >= columns[None, :])
        scores = tl.where(looks, tl.dot(q, tl.trans(k)), -1e30)
        v = v_desc.load([head, first, 0]).reshape(BLOCK_N, HEAD)
        highest, total, out = attend(scores, v, scale, highest, total, out)
    values = (out / total[:, None]).to(out_desc.dtype).reshape(1, BLOCK_M, HEAD)
    out_desc.store([head, block * BLOCK_M, 0], values)
    tl.store(log_ptr + head * length + rows, highest + tl.log2(total), mask=rows < length)


def forward(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, *, causal: bool, block_m: int, block_n: int,
    ahead: bool, num_warps: int = 8, num_stages: int = 2,
) -> tuple[torch.Tensor, torch.Tensor]:  # fmt: skip
    """Return the attention and the logarithm (base 2) of each row's sum."""
    batch, heads, length, head = q.shape
    out = torch.empty_like(q)
    log = torch.empty((batch * heads, length), device=q.device, dtype=torch.float32)

    def described(tensor: torch.Tensor, rows: int) -> TensorDescriptor:
        flat = tensor.view(batch * heads, length, head)
        return TensorDescriptor.from_tensor(flat, [1, rows, head])

    forward_kernel[(triton.cdiv(length, block_m), batch * heads)](
        described(q, block_m), described(k, block_n), described(v, block_n),
        described(out, block_m), log, length, head**-0.5 * LOG2_E, HEAD=head, BLOCK_M=block_m,
        BLOCK_N=block_n, CAUSAL=causal, AHEAD=ahead, num_warps=num_warps, num_stages=num_stages,
    )  # fmt: skip
    return out, log


@triton.jit
def rows_of(ptr, rows, stride, length, HEAD: tl.constexpr):
    """Return rows of a (length, HEAD) matrix, zero past its end."""
    columns = tl.arange(0, HEAD)
    places = ptr + rows[:, None] * stride + columns[None, :]
    return tl.load(places, mask=rows[:, None] < length, other=0.0)


@triton.jit
def gradients_of_block(
    k, v, q_ptr, dout_ptr, dq_ptr, log_ptr, delta_ptr, columns, first, stride, length, scale,
    dk, dv, HEAD: tl.constexpr, BLOCK_M: tl.constexpr, CAUSAL: tl.constexpr,
    MASKED: tl.constexpr,
):  # fmt: skip
    """Return dk and dv with one more block of queries, whose dq is added up in memory."""
    rows = first + tl.arange(0, BLOCK_M)
    q = rows_of(q_ptr, rows, stride, length, HEAD)
    log = tl.load(log_ptr + rows, mask=rows < length, other=0.0)
    weights = tl.exp2(tl.dot(k, tl.trans(q)) * scale - log[None, :])
    if MASKED:
        looks = (rows[None, :] < length) & (columns[:, None] < length)
        if CAUSAL:
            looks = looks & (rows[None, :] >= columns[:, None])
        weights = tl.where(looks, weights, 0.0)
    dout = rows_of(dout_ptr, rows, stride, length, HEAD)
    dv = tl.dot(weights.to(dout.dtype), dout, dv)
    delta = tl.load(delta_ptr + rows, mask=rows < length, other=0.0)
    dscores = (weights * (tl.dot(v, tl.trans(dout)) - delta[None, :])).to(q.dtype)
    dk = tl.dot(dscores, q, dk)
    dq = tl.dot(tl.trans(dscores), k)
    places = dq_ptr + rows[:, None] * stride + tl.arange(0, HEAD)[None, :]
    tl.atomic_add(places, dq, mask=rows[:, None] < length, sem="relaxed")
    return dk, dv


@triton.jit
def backward_kernel(
    q_ptr, k_ptr, v_ptr, dout_ptr, log_ptr, delta_ptr, dq_ptr, dk_ptr, dv_ptr,
    head_stride, stride, length, scale,
    HEAD: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr,
):  # fmt: skip
    head = tl.program_id(1).to(tl.int64) * head_stride
    flat = tl.program_id(1) * length
    start = tl.program_id(0) * BLOCK_N
    columns = start + tl.arange(0, BLOCK_N)
    k = rows_of(k_ptr + head, columns, stride, length, HEAD)
    v = rows_of(v_ptr + head, columns, stride, length, HEAD)
    dk = tl.zeros((BLOCK_N, HEAD), dtype=tl.float32)
    dv = tl.zeros((BLOCK_N, HEAD), dtype=tl.float32)
    whole = 0
    if CAUSAL:
        whole = tl.minimum(tl.cdiv(start + BLOCK_N, BLOCK_M) * BLOCK_M, length)
        for first in range(start // BLOCK_M * BLOCK_M, whole, BLOCK_M):
            dk, dv = gradients_of_block(
                k, v, q_ptr + head, dout_ptr + head, dq_ptr + head, log_ptr + flat,
                delta_ptr + flat, columns, first, stride, length, scale, dk, dv, HEAD, BLOCK_M,
                CAUSAL, True,
            )  # fmt: skip
    last = tl.maximum(length // BLOCK_M * BLOCK_M, whole)
    if start + BLOCK_N > length:
        last = whole
    for first in range(whole, last, BLOCK_M):
        dk, dv = gradients_of_block(
            k, v, q_ptr + head, dout_ptr + head, dq_ptr + head, log_ptr + flat, delta_ptr + flat,
            columns, first, stride, length, scale, dk, dv, HEAD, BLOCK_M, CAUSAL, False,
        )  # fmt: skip
    for first in range(last, length, BLOCK_M):
        dk, dv = gradients_of_block(
            k, v, q_ptr + head, dout_ptr + head, dq_ptr + head, log_ptr + flat, delta_ptr + flat,
            columns, first, stride, length, scale, dk, dv, HEAD, BLOCK_M, CAUSAL, True,
        )  # fmt: skip
    natural = scale * 0.6931471805599453
    places = head + columns[:, None] * stride + tl.arange(0, HEAD)[None, :]
    inside = columns[:, None] < length
    tl.store(dk_ptr + places, (dk * natural).to(dk_ptr.dtype.element_ty), mask=inside)
    tl.store(dv_ptr + places, dv.to(dv_ptr.dtype.element_ty), mask=inside)


def backward(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, out: torch.Tensor, log: torch.Tensor,
    dout: torch.Tensor, *, causal: bool, block_m: int, block_n: int, num_warps: int = 8,
    num_stages: int = 2,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:  # fmt: skip
    """Return the gradients of q, k and v."""
    batch, heads, length, head = q.shape
    delta = (out.float() * dout.float()).sum(dim=-1).view(batch * heads, length)
    dq = torch.zeros(q.shape, device=q.device, dtype=torch.float32)
    dk, dv = torch.empty_like(k), torch.empty_like(v)
    backward_kernel[(triton.cdiv(length, block_n), batch * heads)](
        q, k, v, dout, log, delta, dq, dk, dv, q.stride(1), q.stride(2), length,
        head**-0.5 * LOG2_E, HEAD=head, BLOCK_M=block_m, BLOCK_N=block_n, CAUSAL=causal,
        num_warps=num_warps, num_stages=num_stages,
    )  # fmt: skip
    return (dq * head**-0.5).to(q.dtype), dk, dv
