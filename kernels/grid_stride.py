"""One grid for any size: programs that stride over the vector.

The grid is a few programs a multiprocessor, however long the vector is; each goes on to the block
as many further on as there are programs. Large launches save the start of thousands of programs;
what each program knows (here: a table of coefficients) is loaded once. WAVES sets the programs a
multiprocessor: compare 1, 2, 4, 8, and the plain grid of vector_add.py.
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def polynomial_kernel(
    x_ptr, coefficients_ptr, out_ptr, n_elements, DEGREE: tl.constexpr, BLOCK_SIZE: tl.constexpr
):
    coefficients = ()
    for power in tl.static_range(DEGREE + 1):
        coefficients += (tl.load(coefficients_ptr + power),)
    step = tl.num_programs(0).to(tl.int64) * BLOCK_SIZE
    first = tl.program_id(0).to(tl.int64) * BLOCK_SIZE
    for start in range(first, n_elements, step):
        offsets = start + tl.arange(0, BLOCK_SIZE)
        mask = offsets < n_elements
        x = tl.load(x_ptr + offsets, mask=mask)
        # Horner's scheme: one multiplication and one addition a coefficient.
        value = tl.zeros((BLOCK_SIZE,), dtype=tl.float32)
        for power in tl.static_range(DEGREE + 1):
            value = value * x + coefficients[power]
        tl.store(out_ptr + offsets, value, mask=mask)


def multiprocessors() -> int:
    """Return how many multiprocessors the GPU has; a few where there is none."""
    if DEVICE == "cpu":
        return 4
    return torch.cuda.get_device_properties(DEVICE).multi_processor_count


def polynomial(x: torch.Tensor, coefficients: torch.Tensor, waves: int = 4) -> torch.Tensor:
    """Return the polynomial of each element; `coefficients` begin with the highest power's."""
    out = torch.empty_like(x)
    n_elements = x.numel()

    def grid(meta):
        return (min(triton.cdiv(n_elements, meta["BLOCK_SIZE"]), multiprocessors() * waves),)

    polynomial_kernel[grid](
        x, coefficients, out, n_elements, DEGREE=coefficients.numel() - 1, BLOCK_SIZE=1024,
        num_warps=4,
    )  # fmt: skip
    return out


def inputs(n: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return random numbers in [-1, 1) and the coefficients of the sine's series."""
    generator = torch.Generator(device=DEVICE).manual_seed(0)
    x = torch.rand(n, device=DEVICE, generator=generator) * 2 - 1
    series = [1 / 362880, 0, -1 / 5040, 0, 1 / 120, 0, -1 / 6, 0, 1, 0]
    return x, torch.tensor(series, device=DEVICE, dtype=torch.float32)


def example(n: int = 98432) -> torch.Tensor:
    """Take the sine of `n` numbers by its series to the ninth power."""
    return polynomial(*inputs(n))


def reference(n: int = 98432) -> torch.Tensor:
    """Return what `example` should compute: the sine, which the series meets to 3e-8 here."""
    return inputs(n)[0].double().sin().float()


if __name__ == "__main__":
    torch.testing.assert_close(example(), reference(), rtol=1e-5, atol=1e-6)
    print("the polynomial agrees with torch's sine")
