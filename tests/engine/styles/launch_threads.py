#: style = "launches from several threads at once"
#: driver = "main()"
#: launches = ["bump"]
#: counts = [3]
#: stores = { x = 100 }
#: export = false
from concurrent.futures import ThreadPoolExecutor

import torch
import triton
import triton.language as tl


@triton.jit
def bump(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)


def bumped(x):
    bump[(triton.cdiv(x.numel(), 32),)](x, x.numel(), BLOCK=32)
    return x


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    tensors = [torch.zeros(100, device=device) for _ in range(3)]
    with ThreadPoolExecutor(3) as pool:
        made = list(pool.map(bumped, tensors))
    if any(x.sum() != 100 for x in made):
        raise SystemExit("the threads' launches got in each other's way")
    return made
