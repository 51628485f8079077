#: style = "No driver at all: kernels only, offsets from strides and names"
#: launches = ["softmax_kernel"]
#: bound = ["BLOCK_SIZE"]
#: loads = {input_ptr = 768}
#: stores = {output_ptr = 768}
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(
    output_ptr, input_ptr, input_row_stride, output_row_stride, n_cols, BLOCK_SIZE: tl.constexpr
):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK_SIZE)
    x = tl.load(input_ptr + row * input_row_stride + cols, mask=cols < n_cols, other=-float("inf"))
    x = tl.exp(x - tl.max(x, axis=0))
    out = output_ptr + row * output_row_stride + cols
    tl.store(out, x / tl.sum(x, axis=0), mask=cols < n_cols)
