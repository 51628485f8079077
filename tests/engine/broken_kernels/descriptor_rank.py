#: kind = "a descriptor loaded with too few coordinates"
#: line = 14
#: column = 20
#: message = ["2 offsets"]
#: hint = ["row, column"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    d = tl.make_tensor_descriptor(x, shape=[8, 8], strides=[8, 1], block_shape=[8, 8])
    d.store([0, 0], d.load([0]))


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
