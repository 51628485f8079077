"""Gather rows by index, and scatter their gradients back with atomics.

An embedding table: the forward kernel reads the rows that `index` names, the backward kernel adds a
gradient to each. One row may be named often, so two programs may add to one element: only atomics
give the right sum, in any order. The coverage shows both: a gather reads some elements often and
others never; the scatter's elements have several writers, and it is no race.
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def gather_kernel(table_ptr, index_ptr, out_ptr, n_cols, BLOCK_SIZE: tl.constexpr):
    place = tl.program_id(0)
    columns = tl.program_id(1) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = columns < n_cols
    row = tl.load(index_ptr + place).to(tl.int64)
    values = tl.load(table_ptr + row * n_cols + columns, mask=mask)
    tl.store(out_ptr + place.to(tl.int64) * n_cols + columns, values, mask=mask)


@triton.jit
def scatter_add_kernel(gradient_ptr, index_ptr, table_ptr, n_cols, BLOCK_SIZE: tl.constexpr):
    place = tl.program_id(0)
    columns = tl.program_id(1) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = columns < n_cols
    row = tl.load(index_ptr + place).to(tl.int64)
    values = tl.load(gradient_ptr + place.to(tl.int64) * n_cols + columns, mask=mask)
    # Nothing follows that needs the order: relaxed is enough, and cheaper.
    tl.atomic_add(table_ptr + row * n_cols + columns, values, mask=mask, sem="relaxed")


def gather(table: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    """Return the rows of a contiguous `table` that `index` (1-D, integers) names."""
    n_cols = table.shape[1]
    out = torch.empty((index.numel(), n_cols), device=table.device, dtype=table.dtype)

    def grid(meta):
        return (index.numel(), triton.cdiv(n_cols, meta["BLOCK_SIZE"]))

    gather_kernel[grid](table, index, out, n_cols, BLOCK_SIZE=1024, num_warps=4)
    return out


def scatter_add(gradient: torch.Tensor, index: torch.Tensor, n_rows: int) -> torch.Tensor:
    """Return a table of `n_rows` rows with each gradient row added to the row `index` names."""
    n_cols = gradient.shape[1]
    table = torch.zeros((n_rows, n_cols), device=gradient.device, dtype=gradient.dtype)

    def grid(meta):
        return (index.numel(), triton.cdiv(n_cols, meta["BLOCK_SIZE"]))

    scatter_add_kernel[grid](gradient, index, table, n_cols, BLOCK_SIZE=256, num_warps=4)
    return table


def inputs(n_rows: int, n_cols: int, n_indices: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return a random table and random row numbers, the same at every call."""
    generator = torch.Generator(device=DEVICE).manual_seed(0)
    table = torch.randn(n_rows, n_cols, device=DEVICE, generator=generator)
    index = torch.randint(n_rows, (n_indices,), device=DEVICE, generator=generator)
    return table, index


def example(
    n_rows: int = 50, n_cols: int = 300, n_indices: int = 120
) -> tuple[torch.Tensor, torch.Tensor]:
    """Gather `n_indices` rows of a table, then add them back to an empty one."""
    table, index = inputs(n_rows, n_cols, n_indices)
    rows = gather(table, index)
    return rows, scatter_add(rows, index, n_rows)


def reference(
    n_rows: int = 50, n_cols: int = 300, n_indices: int = 120
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return what `example` should compute, by torch; the sums in double precision."""
    table, index = inputs(n_rows, n_cols, n_indices)
    sums = torch.zeros_like(table, dtype=torch.float64).index_add(0, index, table[index].double())
    return table[index], sums.float()


if __name__ == "__main__":
    torch.testing.assert_close(example(), reference(), rtol=1e-5, atol=1e-5)
    print("gather and scatter_add agree with torch")
