"""`@triton.autotune`: configs tried at the first call of each size.

`key` names the arguments whose change starts a new search: leave out `n_cols` and a config found
for short rows serves long ones too. `restore_value` matters because the kernel works in place: the
search runs it many times, and without it the input would be changed over and over. Here the file's
own search is not run: its configs are presets and a space to sweep.
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def fits(configs, named_args, **_):
    """Return the configs whose block is not longer than four rows: the rest would idle."""
    return [
        config for config in configs if config.kwargs["BLOCK_SIZE"] <= 4 * named_args["n_cols"]
    ] or configs[:1]


@triton.autotune(
    configs=[
        triton.Config({"BLOCK_SIZE": size}, num_warps=warps)
        for size in (128, 256, 512, 1024, 2048)
        for warps in (2, 4, 8)
    ],
    key=["n_cols"],
    restore_value=["x_ptr"],
    prune_configs_by={"early_config_prune": fits},
)
@triton.jit
def gelu_in_place_kernel(x_ptr, stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    columns = tl.program_id(1) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = columns < n_cols
    x = tl.load(x_ptr + row * stride + columns, mask=mask).to(tl.float32)
    out = 0.5 * x * (1 + tl.erf(x * 0.7071067811865476))
    tl.store(x_ptr + row * stride + columns, out.to(x_ptr.dtype.element_ty), mask=mask)


def gelu_(x: torch.Tensor) -> torch.Tensor:
    """Replace each element of a matrix by its GELU, and return the matrix."""
    n_rows, n_cols = x.shape

    def grid(meta):
        return (n_rows, triton.cdiv(n_cols, meta["BLOCK_SIZE"]))

    gelu_in_place_kernel[grid](x, x.stride(0), n_cols)
    return x


def inputs(n_rows: int, n_cols: int) -> torch.Tensor:
    """Return a random matrix, the same at every call."""
    generator = torch.Generator(device=DEVICE).manual_seed(0)
    return torch.randn(n_rows, n_cols, device=DEVICE, generator=generator)


def example(n_rows: int = 64, n_cols: int = 1000) -> torch.Tensor:
    """Take the GELU of a random matrix in place."""
    return gelu_(inputs(n_rows, n_cols))


def reference(n_rows: int = 64, n_cols: int = 1000) -> torch.Tensor:
    """Return what `example` should compute, by torch in double precision."""
    return torch.nn.functional.gelu(inputs(n_rows, n_cols).double()).float()


if __name__ == "__main__":
    torch.testing.assert_close(example(), reference(), rtol=1e-5, atol=1e-6)
    print("gelu agrees with torch")
