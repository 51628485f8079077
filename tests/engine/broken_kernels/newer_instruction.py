#: kind = "an instruction that a newer GPU has"
#: line = 15
#: stages = ["ttir", "ttgir", "llir", "ptx"]
#: message = ["ptxas", "requires .target sm_100"]
#: hint = ["cuda:100"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    d = tl.make_tensor_descriptor(x, shape=[64, 64], strides=[64, 1], block_shape=[1, 32])
    v = d.gather(i, 0)
    tl.store(x + i, tl.sum(v, axis=1))


def example():
    k[(1,)](torch.zeros(4096), 3, 32)
