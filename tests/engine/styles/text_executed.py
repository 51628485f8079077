#: style = "kernel made by exec of a text that no file holds"
#: driver = "go()"
#: findings = ["put it into linecache.cache under the name it is compiled with"]
import torch

TEXT = """
import triton
import triton.language as tl


@triton.jit
def made(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, 1.0, mask=i < n)
"""


def go():
    space = {}
    exec(TEXT, space)
    x = torch.zeros(100, device="cuda" if torch.cuda.is_available() else "cpu")
    space["made"][(4,)](x, 100, BLOCK=32)
    return x
