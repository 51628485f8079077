#: style = "starts another script that launches the kernels"
#: driver = "main()"
#: findings = ["it starts a child process at line 25 (`sp.run([sys.executable, '-c', 'pass'], check=True)`)", "type a driver that does here what the child does"]
import subprocess as sp
import sys

import torch
import triton
import triton.language as tl


@triton.jit
def scale(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


def scaled(x):
    scale[(triton.cdiv(x.numel(), 32),)](x, x.numel(), BLOCK=32)
    return x


def main():
    # As a launcher of ranks does.
    sp.run([sys.executable, "-c", "pass"], check=True)
    print(torch.__version__)
