#: kind = "a product of whole numbers on a target without one"
#: target = "cuda:75"
#: line = 17
#: column = 21
#: message = ["own check of extf fails: operand #0 must be floating-point-like"]
#: hint = ["tl.float16", "cuda:80"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    at = i[:, None] * B + i[None, :]
    a = tl.load(x + at)
    tl.store(x + at, tl.dot(a, a).to(tl.int8))


def example():
    k[(1,)](torch.zeros(1024, dtype=torch.int8), 3, 32)
