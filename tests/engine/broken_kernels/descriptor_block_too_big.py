#: kind = "a descriptor's block that no shared memory holds"
#: line = 13
#: message = ["524296 bytes of shared memory", "line 13: 256x512 fp32 = 524288 bytes"]
#: hint = ["make the blocks smaller"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    d = tl.make_tensor_descriptor(x, shape=[1024, 512], strides=[512, 1], block_shape=[256, 512])
    d.store([0, 0], d.load([0, 0]))


def example():
    k[(1,)](torch.zeros(1024 * 512), 3, 32)
