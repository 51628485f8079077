"""Kernels whose steps a few lines can list; runs in a process of its own, anywhere."""

import torch
import triton
import triton.language as tl

from playground.engine.recording import record
from playground.engine.replay_layout import layout_for
from playground.engine.steps import placed, program_steps
from playground.model.access_site import AccessSite
from tests.engine.coverage_parts import captured, prepared

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def product(a, b, c, am, ak, bk, bn, K, BM: tl.constexpr, BK: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BM + tl.arange(0, BM)
    total = tl.zeros((BM, BM), tl.float32)
    for k in range(0, K, BK):
        kk = k + tl.arange(0, BK)
        left = tl.load(a + i[:, None] * am + kk[None, :] * ak, mask=kk[None, :] < K, other=0.0)
        right = tl.load(b + kk[:, None] * bk + j[None, :] * bn, mask=kk[:, None] < K, other=0.0)
        total += tl.sum(left[:, :, None] * right[None, :, :], 1)
    tl.store(c + i[:, None] * 4 + j[None, :], total)


@triton.jit
def both(x, y, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    value = tl.load(x + offsets, mask=offsets < n)
    tl.store(y + offsets, value, mask=offsets < 0)
    tl.store(y + offsets, value, mask=offsets < n)


@triton.jit
def words(bytes_ptr, out, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    pointer = bytes_ptr.to(tl.pointer_type(tl.int32))
    tl.store(out + offsets, tl.load(pointer + offsets))


def told(call, program, sites=(), **keywords):
    """Return each step of a program as (kind, tensor, elements)."""
    ready = prepared(captured(call)[-1])
    steps = program_steps(ready, program, sites, **keywords)
    recording = record(ready, [program])
    names = [view.name for view in layout_for(ready).tensors]
    _, accesses, _, _ = placed(recording, layout_for(ready))
    rows = []
    for number, tensor in enumerate(steps.tensors.tolist()):
        piece = steps.elements[steps.offsets[number] : steps.offsets[number + 1]].tolist()
        kind = recording.sites[recording.site[accesses[number]]].kind
        rows.append([kind, names[tensor] if tensor >= 0 else "", piece])
    return rows, steps, recording


def facts():
    """Return the steps of these kernels, as plain data."""
    answer = {}
    a = torch.randn(4, 6, device=DEVICE)
    b = torch.randn(4, 6, device=DEVICE).t()  # (6, 4), read along its columns
    c = torch.zeros(4, 4, device=DEVICE)
    call = lambda: product[(2, 2)](  # noqa: E731
        a, b, c, *a.stride(), *b.stride(), 6, BM=2, BK=4
    )
    rows, _, recording = told(call, 1)
    answer["product"] = rows
    store = next(site for site in recording.sites if site.kind == "store")
    other = AccessSite("load", store.line, store.file, (), *[0] * 10)
    mine = AccessSite("store", store.line, store.file, (), *[0] * 10, column=store.column)
    _, steps, _ = told(call, 1, (other, mine))
    answer["sites"] = steps.sites.tolist()
    x = torch.zeros(32, device=DEVICE)
    rows, _, _ = told(lambda: both[(1,)](x[4:], x[4:], 3, BLOCK=8), 0)
    answer["one storage"] = rows
    rows, _, _ = told(lambda: both[(1,)](x[2:6], x, 6, BLOCK=8), 0)
    answer["named first"] = rows
    half = torch.zeros(16, dtype=torch.int8, device=DEVICE)
    out = torch.zeros(3, dtype=torch.int32, device=DEVICE)
    rows, _, _ = told(lambda: words[(1,)](half, out, BLOCK=2), 0)
    answer["words"] = rows
    big = torch.zeros(1 << 16, device=DEVICE)
    call = lambda: both[(1,)](big, torch.zeros_like(big), 1 << 16, BLOCK=1 << 16)  # noqa: E731
    _, steps, _ = told(call, 0, budget_bytes=1 << 19)
    answer["cut"] = [steps.truncated, len(steps.tensors)]
    return answer
