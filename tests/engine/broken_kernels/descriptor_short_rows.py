#: kind = "a descriptor whose rows are below 16 bytes"
#: line = 13
#: column = 8
#: message = ["16 bytes"]
#: hint = ["last block dimension"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    d = tl.make_tensor_descriptor(x, shape=[8, 8], strides=[8, 1], block_shape=[8, 2])
    d.store([0, 0], d.load([0, 0]))


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
