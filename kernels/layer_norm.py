"""Layer norm with its gradients, as a `torch.autograd.Function`.

Forward: one program a row, mean and variance in one pass over registers. Backward teaches two ways
to sum: the gradient of x needs sums along a row, which one program holds; the gradients of weight
and bias need sums down the columns, over all programs. Here each program adds up its own rows,
writes one partial row of each, side by side, and a second kernel sums the partial rows: no atomics,
the same result at every run. Sums are kept in the precision of `mean`: double where x is, so that
`torch.autograd.gradcheck` can look at the gradients.
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
WAVES = 2  # programs a multiprocessor in the backward pass; each leaves one partial row to sum


def multiprocessors() -> int:
    """Return how many multiprocessors the GPU has; a few where there is none."""
    if DEVICE == "cpu":
        return 16
    return torch.cuda.get_device_properties(DEVICE).multi_processor_count


@triton.jit
def layer_norm_forward(
    x_ptr, weight_ptr, bias_ptr, y_ptr, mean_ptr, inverse_ptr, stride, n_cols, eps,
    BLOCK_SIZE: tl.constexpr,
):  # fmt: skip
    precision: tl.constexpr = mean_ptr.dtype.element_ty
    row = tl.program_id(0).to(tl.int64)  # rows times stride may pass 2^31
    columns = tl.arange(0, BLOCK_SIZE)
    mask = columns < n_cols
    x = tl.load(x_ptr + row * stride + columns, mask=mask, other=0.0).to(precision)
    mean = tl.sum(x, axis=0) / n_cols
    # The padding must not count: it is 0, and 0 - mean would.
    centred = tl.where(mask, x - mean, 0.0)
    variance = tl.sum(centred * centred, axis=0) / n_cols
    inverse = 1 / tl.sqrt(variance + eps)
    weight = tl.load(weight_ptr + columns, mask=mask, other=0.0).to(precision)
    bias = tl.load(bias_ptr + columns, mask=mask, other=0.0).to(precision)
    y = centred * inverse * weight + bias
    tl.store(y_ptr + row * stride + columns, y.to(y_ptr.dtype.element_ty), mask=mask)
    tl.store(mean_ptr + row, mean)
    tl.store(inverse_ptr + row, inverse)


@triton.jit
def layer_norm_backward(
    dy_ptr, x_ptr, weight_ptr, mean_ptr, inverse_ptr, dx_ptr, partial_ptr,
    stride, n_rows, n_cols, BLOCK_SIZE: tl.constexpr, STAGES: tl.constexpr,
):  # fmt: skip
    precision: tl.constexpr = mean_ptr.dtype.element_ty
    program = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, BLOCK_SIZE)
    mask = columns < n_cols
    weight = tl.load(weight_ptr + columns, mask=mask, other=0.0).to(precision)
    dweight = tl.zeros((BLOCK_SIZE,), dtype=precision)
    dbias = tl.zeros((BLOCK_SIZE,), dtype=precision)
    # With stages the next row is on its way into shared memory while this one is summed.
    for row in tl.range(program, n_rows, tl.num_programs(0), num_stages=STAGES):
        x = tl.load(x_ptr + row * stride + columns, mask=mask, other=0.0).to(precision)
        dy = tl.load(dy_ptr + row * stride + columns, mask=mask, other=0.0).to(precision)
        inverse = tl.load(inverse_ptr + row)
        normal = tl.where(mask, (x - tl.load(mean_ptr + row)) * inverse, 0.0)
        scaled = weight * dy
        along = tl.sum(normal * scaled, axis=0) / n_cols
        average = tl.sum(scaled, axis=0) / n_cols
        dx = (scaled - normal * along - average) * inverse
        tl.store(dx_ptr + row * stride + columns, dx.to(dx_ptr.dtype.element_ty), mask=mask)
        dweight += dy * normal
        dbias += dy
    tl.store(partial_ptr + program * 2 * n_cols + columns, dweight, mask=mask)
    tl.store(partial_ptr + (program * 2 + 1) * n_cols + columns, dbias, mask=mask)


@triton.jit
def sum_partial_rows(
    partial_ptr, out_ptr, n_rows, n_cols, BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr
):
    columns = tl.program_id(0) * BLOCK_COLUMNS + tl.arange(0, BLOCK_COLUMNS)
    total = tl.zeros((BLOCK_COLUMNS,), dtype=partial_ptr.dtype.element_ty)
    for first in range(0, n_rows, BLOCK_ROWS):
        rows = first + tl.arange(0, BLOCK_ROWS)
        inside = (rows[:, None] < n_rows) & (columns[None, :] < n_cols)
        part = tl.load(partial_ptr + rows[:, None] * n_cols + columns[None, :], inside, other=0.0)
        total += tl.sum(part, axis=0)
    tl.store(out_ptr + columns, total.to(out_ptr.dtype.element_ty), mask=columns < n_cols)


class LayerNorm(torch.autograd.Function):
    """Layer norm over the last dimension of a contiguous matrix."""

    @staticmethod
    def forward(ctx, x, weight, bias, eps):
        """Return the normalised rows; mean and scale are kept for backward."""
        n_rows, n_cols = x.shape
        y = torch.empty_like(x)
        precision = torch.float64 if x.dtype == torch.float64 else torch.float32
        mean = torch.empty(n_rows, device=x.device, dtype=precision)
        inverse = torch.empty_like(mean)
        block = triton.next_power_of_2(n_cols)
        layer_norm_forward[(n_rows,)](
            x, weight, bias, y, mean, inverse, x.stride(0), n_cols, eps,
            BLOCK_SIZE=block, num_warps=min(max(block // 512, 4), 16),
        )  # fmt: skip
        ctx.save_for_backward(x, weight, mean, inverse)
        return y

    @staticmethod
    def backward(ctx, dy):
        """Return the gradients of x, weight and bias."""
        x, weight, mean, inverse = ctx.saved_tensors
        dy = dy.contiguous()
        n_rows, n_cols = x.shape
        programs = min(multiprocessors() * WAVES, n_rows)
        dx = torch.empty_like(x)
        sums = torch.empty((2, n_cols), device=x.device, dtype=weight.dtype)
        partial = torch.empty((programs, 2 * n_cols), device=x.device, dtype=mean.dtype)
        layer_norm_backward[(programs,)](
            dy, x, weight, mean, inverse, dx, partial, x.stride(0), n_rows, n_cols,
            BLOCK_SIZE=triton.next_power_of_2(n_cols), STAGES=1, num_warps=8,
        )  # fmt: skip

        def grid(meta):
            return (triton.cdiv(2 * n_cols, meta["BLOCK_COLUMNS"]),)

        sum_partial_rows[grid](
            partial, sums, programs, 2 * n_cols, BLOCK_ROWS=512, BLOCK_COLUMNS=16, num_warps=8
        )
        return dx, sums[0], sums[1], None


def layer_norm(
    x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float = 1e-5
) -> torch.Tensor:
    """Return the layer norm of each row of a contiguous matrix; differentiable."""
    return LayerNorm.apply(x, weight, bias, eps)


def inputs(n_rows: int, n_cols: int, dtype: torch.dtype) -> tuple[torch.Tensor, ...]:
    """Return x, weight, bias and the gradient of the result, the same at every call."""
    generator = torch.Generator(device=DEVICE).manual_seed(0)
    shapes = ((n_rows, n_cols), (n_cols,), (n_cols,), (n_rows, n_cols))
    made = [torch.randn(*shape, device=DEVICE, generator=generator) for shape in shapes]
    return tuple(tensor.to(dtype) for tensor in made)


def example(
    n_rows: int = 128, n_cols: int = 300, dtype: torch.dtype = torch.float32
) -> tuple[torch.Tensor, ...]:
    """Return the layer norm of random rows and its gradients for x, weight and bias."""
    x, weight, bias, dy = inputs(n_rows, n_cols, dtype)
    leaves = [tensor.requires_grad_() for tensor in (x, weight, bias)]
    y = layer_norm(*leaves)
    y.backward(dy)
    return (y.detach(), *(leaf.grad for leaf in leaves))


def reference(
    n_rows: int = 128, n_cols: int = 300, dtype: torch.dtype = torch.float32
) -> tuple[torch.Tensor, ...]:
    """Return what `example` should compute, by torch in double precision."""
    x, weight, bias, dy = (tensor.double() for tensor in inputs(n_rows, n_cols, dtype))
    leaves = [tensor.requires_grad_() for tensor in (x, weight, bias)]
    y = torch.nn.functional.layer_norm(x, (n_cols,), weight, bias, 1e-5)
    y.backward(dy)
    return tuple(tensor.to(dtype) for tensor in (y.detach(), *(leaf.grad for leaf in leaves)))


if __name__ == "__main__":
    torch.testing.assert_close(example(), reference(), rtol=1e-4, atol=1e-4)
    print("layer_norm and its gradients agree with torch")
