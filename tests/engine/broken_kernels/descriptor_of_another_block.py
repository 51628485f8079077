#: kind = "a descriptor of the host whose block is not the kernel's"
#: line = 16
#: column = 4
#: message = ["the descriptor's block is 8 × 32", "stored is 16 × 32"]
#: hint = ["does not follow a knob", "pre_hook"]
import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def k(source, x, n, BM: tl.constexpr, BN: tl.constexpr):
    target = tl.make_tensor_descriptor(x, [16, 32], [32, 1], [BM, BN])
    values = source.load([0, 0])
    target.store([0, 0], values)


def example():
    source = TensorDescriptor(torch.zeros(16, 32), [16, 32], [32, 1], [16, 32])
    k[(1,)](source, torch.zeros(16, 32), 3, BM=8, BN=32)
