"""The kernels by which the ceilings of a GPU are measured."""

import triton
import triton.language as tl


@triton.jit
def nothing():
    """Do nothing: what is left is the launch."""


@triton.jit
def read_all(x, out, size, PASSES: tl.constexpr, BLOCK: tl.constexpr):
    """Read the buffer PASSES times, the programs taking turns: the L2 serves all passes but one."""
    total = tl.zeros([BLOCK], tl.int32)
    steps = size // BLOCK
    first = tl.program_id(0)
    for step in range(steps // tl.num_programs(0) * PASSES):
        place = (first + step * tl.num_programs(0)) % steps
        total += tl.load(x + place * BLOCK + tl.arange(0, BLOCK))
    tl.store(out + first * BLOCK + tl.arange(0, BLOCK), total)


@triton.jit
def multiply_add(x, out, TURNS: tl.constexpr, BLOCK: tl.constexpr):
    """Do 4·TURNS multiply-adds an element; four independent chains hide each other's latency."""
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + place)
    b, c, d = a + 1.0, a + 2.0, a + 3.0
    for _ in range(TURNS):
        a = a * 0.999 + 0.5
        b = b * 0.998 + 0.5
        c = c * 0.997 + 0.5
        d = d * 0.996 + 0.5
    tl.store(out + place, a + b + c + d)
