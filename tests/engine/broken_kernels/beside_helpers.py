import triton
import triton.language as tl


@triton.jit
def first_elements(pointer, count):
    return tl.load(pointer + tl.arange(0, count))
