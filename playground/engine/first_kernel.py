"""The kernel that a compile worker compiles before anybody asks for one."""

import triton
import triton.language as tl


@triton.jit
def product(a, b, out, steps, SIZE: tl.constexpr):
    """Add up the products of `steps` pairs of square matrices."""
    place = tl.arange(0, SIZE)[:, None] * SIZE + tl.arange(0, SIZE)[None, :]
    total = tl.zeros((SIZE, SIZE), tl.float32)
    for step in range(steps):
        at = step * SIZE * SIZE + place
        total = tl.dot(tl.load(a + at), tl.load(b + at), total)
    tl.store(out + place, total)
