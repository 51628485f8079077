"""`@triton.heuristics`: meta-parameters worked out from the arguments.

BLOCK_SIZE follows the row's length, EVEN says whether the mask can be left out. The heuristics run
at every launch and win over what a caller gives: such values are no free knobs, and are marked as
bound to the data.
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.heuristics(
    {
        "BLOCK_SIZE": lambda args: triton.next_power_of_2(args["n_cols"]),
        "EVEN": lambda args: args["n_cols"] == triton.next_power_of_2(args["n_cols"]),
    }
)
@triton.jit
def log_sum_exp_kernel(
    x_ptr, out_ptr, stride, n_cols, BLOCK_SIZE: tl.constexpr, EVEN: tl.constexpr
):
    row = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, BLOCK_SIZE)
    if EVEN:
        x = tl.load(x_ptr + row * stride + columns)
    else:
        x = tl.load(x_ptr + row * stride + columns, mask=columns < n_cols, other=-float("inf"))
    x = x.to(tl.float32)
    highest = tl.max(x, axis=0)
    tl.store(out_ptr + row, highest + tl.log(tl.sum(tl.exp(x - highest), axis=0)))


def log_sum_exp(x: torch.Tensor) -> torch.Tensor:
    """Return the logarithm of the sum of exponentials of each row of a matrix."""
    n_rows, n_cols = x.shape
    out = torch.empty(n_rows, device=x.device, dtype=torch.float32)
    log_sum_exp_kernel[(n_rows,)](x, out, x.stride(0), n_cols, num_warps=4)
    return out


def inputs(n_rows: int, n_cols: int) -> torch.Tensor:
    """Return a random matrix, the same at every call."""
    generator = torch.Generator(device=DEVICE).manual_seed(0)
    return torch.randn(n_rows, n_cols, device=DEVICE, generator=generator)


def example(n_rows: int = 200, n_cols: int = 1000) -> torch.Tensor:
    """Take the log-sum-exp of `n_rows` rows of `n_cols` columns."""
    return log_sum_exp(inputs(n_rows, n_cols))


def reference(n_rows: int = 200, n_cols: int = 1000) -> torch.Tensor:
    """Return what `example` should compute, by torch in double precision."""
    return torch.logsumexp(inputs(n_rows, n_cols).double(), dim=1).float()


if __name__ == "__main__":
    torch.testing.assert_close(example(), reference())
    print("log_sum_exp agrees with torch")
