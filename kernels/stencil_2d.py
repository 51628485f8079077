"""Five-point stencil on a 2D grid of programs.

Each element becomes the average of itself and its four neighbours; outside the field is zero. Every
input is loaded by up to five accesses: five of the six transfers a naive count expects come out of
the caches. Tiles that are wide along the rows keep the accesses coalesced; tall ones re-read more
at their edges. BLOCK_Y and BLOCK_X show which.
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def load_shifted(x_ptr, y, x, stride, height, width):
    """Return the tile at rows `y` and columns `x`, zero outside the field."""
    inside = (y[:, None] >= 0) & (y[:, None] < height) & (x[None, :] >= 0) & (x[None, :] < width)
    return tl.load(x_ptr + y[:, None] * stride + x[None, :], mask=inside, other=0.0)


@triton.jit
def stencil_2d_kernel(
    x_ptr, out_ptr, stride, height, width, BLOCK_Y: tl.constexpr, BLOCK_X: tl.constexpr
):
    x = tl.program_id(0) * BLOCK_X + tl.arange(0, BLOCK_X)
    y = tl.program_id(1) * BLOCK_Y + tl.arange(0, BLOCK_Y)
    total = load_shifted(x_ptr, y, x, stride, height, width)
    total += load_shifted(x_ptr, y - 1, x, stride, height, width)
    total += load_shifted(x_ptr, y + 1, x, stride, height, width)
    total += load_shifted(x_ptr, y, x - 1, stride, height, width)
    total += load_shifted(x_ptr, y, x + 1, stride, height, width)
    inside = (y[:, None] < height) & (x[None, :] < width)
    tl.store(out_ptr + y[:, None] * stride + x[None, :], total * 0.2, mask=inside)


def stencil_2d(field: torch.Tensor) -> torch.Tensor:
    """Return the average over each element and its four neighbours, zeros around the field."""
    height, width = field.shape
    out = torch.empty_like(field)

    def grid(meta):
        return (triton.cdiv(width, meta["BLOCK_X"]), triton.cdiv(height, meta["BLOCK_Y"]))

    stencil_2d_kernel[grid](
        field, out, field.stride(0), height, width, BLOCK_Y=16, BLOCK_X=128, num_warps=4
    )
    return out


def inputs(height: int, width: int) -> torch.Tensor:
    """Return a random field, the same at every call."""
    generator = torch.Generator(device=DEVICE).manual_seed(0)
    return torch.randn(height, width, device=DEVICE, generator=generator)


def example(height: int = 200, width: int = 300) -> torch.Tensor:
    """Smooth a random field once."""
    return stencil_2d(inputs(height, width))


def reference(height: int = 200, width: int = 300) -> torch.Tensor:
    """Return what `example` should compute: torch's convolution in double precision."""
    field = inputs(height, width).double()
    cross = torch.tensor([[0, 1, 0], [1, 1, 1], [0, 1, 0]], device=field.device) / 5
    return torch.conv2d(field[None, None], cross[None, None].double(), padding=1)[0, 0].float()


if __name__ == "__main__":
    torch.testing.assert_close(example(), reference())
    print("stencil_2d agrees with torch")
