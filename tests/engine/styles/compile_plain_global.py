#: style = "a plain module global in a kernel: interpreted it works, compiled it does not"
#: launches = ["scaled"]
#: compile = "Cannot access global variable FACTOR"
#: findings = ["`FACTOR = tl.constexpr(3.0)` on line 13"]
#: gpu = false
import torch
import triton
import triton.language as tl

BIAS = tl.constexpr(1.0)
FLAG: tl.constexpr = tl.constexpr(True)

FACTOR = 3.0


@triton.jit
def scaled(x, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at, mask=at < n) * FACTOR
    if FLAG:
        value += BIAS
    tl.store(x + at, value, mask=at < n)


def example():
    x = torch.ones(40)
    scaled[lambda meta: (triton.cdiv(40, meta["BLOCK"]),)](x, 40, BLOCK=16)
    assert x.tolist() == [4.0] * 40
    return x
