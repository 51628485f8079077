#: style = "Text that only looks like a kernel (inside strings) is not one; annotated constants"
#: launches = ["offset_kernel"]
#: knobs = {BLOCK = 128}
#: stores = {out_ptr = 1000}
#: compile = "Cannot access global variable SHIFT"
#: findings = ["write `SHIFT = tl.constexpr(-1)`"]
#: gpu = false
"""Not a kernel:

@triton.jit
def docstring_kernel(x_ptr): ...
"""

import triton
import triton.language as tl

TEMPLATE = '''
@triton.jit
def template_kernel(x_ptr, {arguments}):
    pass
'''

SHIFT: tl.constexpr = -1


@triton.jit
def offset_kernel(x_ptr, out_ptr, n_elements, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + SHIFT, mask=mask)
