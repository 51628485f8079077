#: style = "No driver at all: solution(input, output, n)"
#: launches = ["silu_kernel"]
#: replay = {BLOCK_SIZE = 64}
#: knobs = {BLOCK_SIZE = 256}
#: loads = {input_ptr = 1000}
#: stores = {output_ptr = 1000}
import triton
import triton.language as tl


@triton.jit
def silu_kernel(input_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(axis=0)
    offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(input_ptr + offsets, mask=mask)
    tl.store(output_ptr + offsets, x * tl.sigmoid(x), mask=mask)


# input, output are tensors on the GPU
def solution(input, output, n):
    grid = lambda meta: (triton.cdiv(n, meta["BLOCK_SIZE"]),)
    silu_kernel[grid](input, output, n, BLOCK_SIZE=256)
