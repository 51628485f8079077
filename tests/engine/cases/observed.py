"""What an observer is told: lines, programs, lanes, kinds, block pointers, descriptors."""

import torch
import triton
import triton.language as tl
from triton.runtime.interpreter import InterpreterBuilder
from triton.tools.tensor_descriptor import TensorDescriptor

from playground.engine.triton_private import interpreter


class Recorder:
    def __init__(self):
        self.accesses = []
        self.dots = []

    def on_access(self, access):
        self.accesses.append(access)

    def on_operations(self, name, count):
        del name, count

    def on_dot(self, m, n, k, kind):
        self.dots.append([m, n, k, kind])


@triton.jit
def load_row(x, i, n):
    return tl.load(x + i, mask=i < n)


@triton.jit
def rows(x, o, n, B: tl.constexpr):
    p = tl.program_id(0) + 2 * tl.program_id(1)
    i = p * B + tl.arange(0, B)
    v = load_row(x, i, n)
    tl.store(o + i, v, mask=i < n)


@triton.jit
def blocks(x, o, n, B: tl.constexpr):
    source = tl.make_block_ptr(x, (n, n), (n, 1), (0, 0), (B, B), (1, 0))
    source = tl.advance(source, (tl.program_id(0) * B, 0))
    v = tl.load(source, boundary_check=(0, 1), padding_option="nan")
    v = tl.where(v == v, v, -1.0)
    target = tl.make_block_ptr(o, (2 * B, B), (B, 1), (tl.program_id(0) * B, 0), (B, B), (1, 0))
    tl.store(target, v)


@triton.jit
def described(desc, o, B: tl.constexpr):
    v = desc.load([tl.program_id(0) * B, 0])
    i = tl.arange(0, B)
    tl.store(o + (tl.program_id(0) * B + i)[:, None] * B + i[None, :], v)


@triton.jit
def made_here(x, o, n, B: tl.constexpr):
    desc = tl.make_tensor_descriptor(x, shape=[n, n], strides=[n, 1], block_shape=[B, B])
    out = tl.make_tensor_descriptor(o, shape=[2 * B, B], strides=[B, 1], block_shape=[B, B])
    out.store([tl.program_id(0) * B, 0], desc.load([tl.program_id(0) * B, 0]))


@triton.jit
def kinds(c, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.atomic_add(c + i, 1, mask=i < 3)
    tl.atomic_cas(c, 1, 2)
    tl.atomic_xchg(c + 1, 7)


@triton.jit
def product(a, b, c, N: tl.constexpr):
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    tl.store(c + at, tl.dot(tl.load(a + at), tl.load(b + at)))


# Triton 3.9 has no block pointers any more.
OLDER = (
    [("blocks", -1.0, lambda x, o: blocks[(2,)](x, o, 12, 16))]
    if hasattr(InterpreterBuilder, "create_make_block_ptr")
    else []
)


def padded(x, rows_, columns, value):
    wide = torch.full((rows_, columns), value, dtype=x.dtype)
    wide[: x.shape[0], : x.shape[1]] = x
    return wide


def case():
    result = {}
    x, o = torch.arange(50.0), torch.zeros(50)
    seen = Recorder()
    with interpreter.observing(seen):
        rows[(2, 2)](x, o, 50, 16)
    rows[(2, 2)](x, o, 50, 16)  # nobody looks
    first = seen.accesses[0]
    result["rows"] = [
        [a.kind, a.program, int(a.active.sum()), a.element_size, a.line, bool(a.in_bounds.all())]
        for a in seen.accesses
    ]
    result["file"] = first.file == __file__
    result["offsets"] = [int(a) - x.data_ptr() for a in first.addresses.ravel()[:3]]
    result["dtype"] = str(first.addresses.dtype)
    result["copied"] = torch.equal(x, o)

    for dtype in (torch.float32, torch.bfloat16):
        square = torch.arange(144.0).reshape(12, 12).to(dtype)
        for name, fill, launch in (
            *OLDER,
            (
                "described",
                0.0,
                lambda x, o: described[(2,)](
                    TensorDescriptor(x, [12, 12], [16, 1], [16, 16]), o, 16
                ),
            ),
            ("made_here", 0.0, lambda x, o: made_here[(2,)](x, o, 16, 16)),
        ):
            given = padded(square, 12, 16, 0.0) if name == "described" else square
            want = padded(square, 32, 16, fill)
            if name == "made_here":
                given = padded(square, 16, 16, 0.0)
            out = torch.zeros(32, 16).to(dtype)
            seen = Recorder()
            with interpreter.observing(seen):
                launch(given, out)
            result[f"{name} {dtype}"] = {
                "right": torch.equal(out, want),
                "lanes": [int(a.active.sum()) for a in seen.accesses],
                "outside": len(interpreter.last_out_of_bounds()),
            }

    counts = torch.zeros(4, dtype=torch.int32)
    seen = Recorder()
    with interpreter.observing(seen):
        kinds[(1,)](counts, 4)
    result["kinds"] = [[a.kind, int(a.active.sum())] for a in seen.accesses]
    result["counts"] = counts.tolist()

    a = torch.randn(16, 16).bfloat16()
    seen = Recorder()
    with interpreter.observing(seen):
        product[(1,)](a, a, torch.zeros(16, 16), 16)
    result["dots"] = seen.dots
    return result
