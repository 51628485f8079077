#: style = "ends its process by os._exit when it is done"
#: launches = ["fill"]
#: stores = { x = 100 }
import os
import sys

import torch
import triton
import triton.language as tl


@triton.jit
def fill(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, 1.0, mask=i < n)


def main():
    x = torch.zeros(100, device="cuda")
    fill[(triton.cdiv(100, 32),)](x, 100, BLOCK=32)
    print("done" if x.sum() == 100 else "wrong")
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
