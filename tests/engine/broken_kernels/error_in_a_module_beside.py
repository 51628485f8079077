#: kind = "an error inside a helper of a module beside the file"
#: file = "beside_helpers.py"
#: line = 7
#: column = 29
#: message = ["known when compiling", "in first_elements called on line 18 of error_in_a_module"]
#: hint = ["tl.constexpr"]
#: detail = ["reached by", "error_in_a_module_beside.py:18 in k"]
import torch
import triton
import triton.language as tl

from beside_helpers import first_elements


@triton.jit
def k(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(x + i, first_elements(x, n))


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
