#: style = "No driver at all: a kernel that loads indices, with the table they point into"
#: launches = ["gather_kernel"]
#: stores = {out_ptr = 256}
import triton
import triton.language as tl


@triton.jit
def gather_kernel(table_ptr, idx_ptr, out_ptr, dim, stride_table, BLOCK_D: tl.constexpr):
    row = tl.program_id(0)
    index = tl.load(idx_ptr + row)
    for start in range(0, dim, BLOCK_D):
        cols = start + tl.arange(0, BLOCK_D)
        mask = cols < dim
        values = tl.load(table_ptr + index * stride_table + cols, mask=mask)
        tl.store(out_ptr + row * dim + cols, values, mask=mask)
