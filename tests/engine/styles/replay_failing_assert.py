#: style = "a plain assert of the driver's own fails under another config: wrong, with its line"
#: launches = ["partial_counts"]
#: knobs = {BLOCK = 128}
#: replay = {BLOCK = 256}
#: verdict = "wrong"
#: route = "driver"
#: findings = ["the driver's own assertion at line 40 does not hold"]
#: loads = {x = 1000}
#: stores = {partial = 8}
import argparse

import torch
import triton
import triton.language as tl


@triton.jit
def partial_counts(x, partial, n, CHUNK_SIZE, BLOCK: tl.constexpr):
    program = tl.program_id(0)
    i = program * CHUNK_SIZE + tl.arange(0, BLOCK)
    inside = (i < n) & (i < (program + 1) * CHUNK_SIZE)
    tl.store(partial + program, tl.sum(tl.load(x + i, inside, other=0.0)))


def total_of(x, block):
    programs = triton.cdiv(x.numel(), block)
    partial = torch.empty(programs, device=x.device)
    partial_counts[(programs,)](x, partial, x.numel(), x.numel() // 8 + 3, BLOCK=block)
    return partial


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--block", type=int, default=128)
    given = parser.parse_args()
    x = torch.ones(1000, device="cuda")
    partial = total_of(x, given.block)
    # More elements a program than the chunk that it may look at: the last ones are left out.
    total = partial.sum().item()
    assert total == x.numel(), f"{total} ones"


if __name__ == "__main__":
    main()
