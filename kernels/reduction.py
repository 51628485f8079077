"""Sum of a long vector in two steps, and why the order of a sum matters.

Programs cannot wait for each other, so a sum over all of them takes two launches: every program
adds up a part, then one program adds up the parts. `tl.sum` adds in a tree: the rounding error
grows with the logarithm of the length, not with the length. An atomic add instead of the second
launch would be shorter and give another last digit at every run.
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def partial_sums(
    x_ptr, partial_ptr, n_elements, BLOCK_SIZE: tl.constexpr, BLOCKS_A_PROGRAM: tl.constexpr
):
    program = tl.program_id(0)
    total = tl.zeros((BLOCK_SIZE,), dtype=tl.float32)
    first = program.to(tl.int64) * BLOCK_SIZE * BLOCKS_A_PROGRAM
    for block in range(BLOCKS_A_PROGRAM):
        offsets = first + block * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
        total += tl.load(x_ptr + offsets, mask=offsets < n_elements, other=0.0)
    tl.store(partial_ptr + program, tl.sum(total, axis=0))


@triton.jit
def last_sum(partial_ptr, out_ptr, n_partials, BLOCK_SIZE: tl.constexpr):
    total = tl.zeros((BLOCK_SIZE,), dtype=tl.float32)
    for first in range(0, n_partials, BLOCK_SIZE):
        offsets = first + tl.arange(0, BLOCK_SIZE)
        total += tl.load(partial_ptr + offsets, mask=offsets < n_partials, other=0.0)
    tl.store(out_ptr, tl.sum(total, axis=0))


def total(x: torch.Tensor) -> torch.Tensor:
    """Return the sum of a contiguous fp32 tensor as a 0-d tensor."""
    n_elements = x.numel()
    block_size, blocks_a_program = 1024, 8
    programs = triton.cdiv(n_elements, block_size * blocks_a_program)
    partial = torch.empty(programs, device=x.device, dtype=torch.float32)
    out = torch.empty((), device=x.device, dtype=torch.float32)
    partial_sums[(programs,)](
        x, partial, n_elements, BLOCK_SIZE=block_size, BLOCKS_A_PROGRAM=blocks_a_program,
        num_warps=4,
    )  # fmt: skip
    last_sum[(1,)](partial, out, programs, BLOCK_SIZE=1024, num_warps=4)
    return out


def inputs(n: int) -> torch.Tensor:
    """Return random numbers with a sum far from zero, the same at every call."""
    generator = torch.Generator(device=DEVICE).manual_seed(0)
    return torch.rand(n, device=DEVICE, generator=generator)


def example(n: int = 100_000) -> torch.Tensor:
    """Add up `n` random numbers."""
    return total(inputs(n))


def reference(n: int = 100_000) -> torch.Tensor:
    """Return what `example` should compute: the sum in double precision, rounded."""
    return inputs(n).double().sum().float()


if __name__ == "__main__":
    torch.testing.assert_close(example(), reference())
    print("the sum agrees with torch")
