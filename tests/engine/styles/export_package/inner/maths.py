import triton
import triton.language as tl

FACTOR = 3


# Multiplies by a factor.
@triton.jit
def scaled(v, FACTOR: tl.constexpr):
    return v * FACTOR
