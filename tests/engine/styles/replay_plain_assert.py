#: style = "partial results of another shape under each config, judged by a plain assert alone"
#: launches = ["partial_sums"]
#: knobs = {BLOCK = 128}
#: replay = {BLOCK = 256}
#: route = "driver"
#: loads = {x = 1000}
#: stores = {partial = 8}
import argparse

import torch
import triton
import triton.language as tl


@triton.jit
def partial_sums(x, partial, n, BLOCK: tl.constexpr):
    program = tl.program_id(0)
    i = program * BLOCK + tl.arange(0, BLOCK)
    tl.store(partial + program, tl.sum(tl.load(x + i, i < n, other=0.0)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--block", type=int, default=128)
    parser.add_argument("--n", type=int, default=1000)
    given = parser.parse_args()
    x = torch.ones(given.n, device="cuda")
    blocks = triton.cdiv(given.n, given.block)
    partial = torch.empty(blocks, device="cuda")
    partial_sums[(blocks,)](x, partial, given.n, BLOCK=given.block)
    total = partial.sum().item()
    assert total == given.n


if __name__ == "__main__":
    main()
