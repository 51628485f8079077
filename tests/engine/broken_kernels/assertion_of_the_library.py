#: kind = "an assertion of triton's own library"
#: line = 15
#: column = 34
#: message = ["only minor dimension", "inside Triton's sort"]
#: hint = ["Triton's own sort"]
#: detail = ["in k: tl.sort", "standard.py"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B))
    tl.store(x + tl.arange(0, B), tl.sort(v, dim=1))


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
