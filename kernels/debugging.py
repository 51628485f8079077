"""Printing and checking inside a kernel.

`tl.static_print` and `tl.static_assert` act while the kernel is compiled, on what is known then.
`tl.device_print` prints at run time, one line a thread or element, so only where asked: here for
elements that are not finite. `tl.device_assert` stops the launch on a GPU when TRITON_DEBUG=1 is
set, and always in the interpreter. CHECK takes them all out again: what is not compiled costs
nothing.
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def reciprocal_kernel(x_ptr, out_ptr, n_elements, BLOCK_SIZE: tl.constexpr, CHECK: tl.constexpr):
    tl.static_assert(BLOCK_SIZE % 32 == 0, "BLOCK_SIZE must be whole warps")
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask, other=1.0)
    if CHECK:
        tl.device_assert(x != 0, "a zero has no reciprocal", mask=mask)
        zeros = tl.sum((x == 0).to(tl.int32), axis=0)
        if zeros > 0:
            tl.device_print("zeros in this block:", zeros)
    tl.store(out_ptr + offsets, 1 / x, mask=mask)


def reciprocal(x: torch.Tensor, *, check: bool = True) -> torch.Tensor:
    """Return 1 / x; with `check` the kernel stops at a zero (on a GPU under TRITON_DEBUG=1)."""
    out = torch.empty_like(x)
    n_elements = x.numel()

    def grid(meta):
        return (triton.cdiv(n_elements, meta["BLOCK_SIZE"]),)

    reciprocal_kernel[grid](x, out, n_elements, BLOCK_SIZE=512, CHECK=check, num_warps=4)
    return out


def inputs(n: int) -> torch.Tensor:
    """Return random numbers away from zero, the same at every call."""
    generator = torch.Generator(device=DEVICE).manual_seed(0)
    return torch.rand(n, device=DEVICE, generator=generator) + 0.5


def example(n: int = 5000) -> torch.Tensor:
    """Take the reciprocal of `n` numbers; put a zero among them to see the assertion."""
    return reciprocal(inputs(n))


def reference(n: int = 5000) -> torch.Tensor:
    """Return what `example` should compute, by torch in double precision."""
    return inputs(n).double().reciprocal().float()


if __name__ == "__main__":
    torch.testing.assert_close(example(), reference())
    print("reciprocals agree with torch")
