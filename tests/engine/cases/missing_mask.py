"""A grid one block too long, without a mask: reads and writes past the tensors."""

import torch
import triton
import triton.language as tl

from playground.engine.triton_private import interpreter


@triton.jit
def copy(x, o, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i)
    tl.store(o + i, v)


@triton.jit
def far(o):
    tl.store(o + 1_000_000_000, 1.0)
    tl.store(o - 3, 1.0)


@triton.jit
def atomics(o, c, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.atomic_add(o + i, 1.0)
    tl.atomic_cas(c + 7, 0, 5)
    tl.atomic_max(c + i, 3, mask=i < 5)


def events():
    return [
        [e.tensor, e.kind, e.program, e.distance, e.lanes, e.line]
        for e in interpreter.last_out_of_bounds()
    ]


def case():
    memory = torch.full((64,), -7.0)
    x, o, neighbour = torch.arange(20.0), memory[:20].clone(), memory
    copy[(2,)](x, o, 16)
    result = {"copied": o.tolist(), "neighbour": neighbour.eq(-7).all().item(), "copy": events()}
    far[(1,)](o)
    result["far"] = events()
    sums, counts = torch.zeros(10), torch.zeros(4, dtype=torch.int32)
    atomics[(1,)](sums, counts, 16)
    result |= {"atomics": events(), "sums": sums.tolist(), "counts": counts.tolist()}
    copy[(1,)](x, o, 16)
    result["clean"] = events()
    # Views into one storage are the user's business; told ranges are not.
    start = x.data_ptr()
    with interpreter.storages([(start, start + 80), (o.data_ptr(), o.data_ptr() + 32)]):
        o.zero_()
        copy[(1,)](x, o, 16)
    result |= {"told": events(), "told_copied": o.tolist()}
    return result
