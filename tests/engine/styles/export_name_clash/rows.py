import triton
import triton.language as tl

BLOCK = 64


@triton.jit
def kernel(x_ptr, o_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o_ptr + i, tl.load(x_ptr + i, i < n) * 2, i < n)


def count(n):
    return triton.cdiv(n, BLOCK)
