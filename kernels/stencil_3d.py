"""Seven-point stencil on a 3D grid of programs.

As stencil_2d.py with one more axis: the launch grid has three dimensions, and the map of programs
shows one plane of it at a time. Neighbours along z are a whole plane apart in memory. So a program
walks through PLANES planes and keeps three tiles in registers: the one above becomes the one here,
the one here the one below. With PLANES=1 every plane is loaded three times, out of the L2 if it is
still there. Most tiles lie inside along y and z: they walk without the masks of those two.
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def load_plane(
    x_ptr, z, y, x, stride_z, stride_y, depth, height, width, INNER: tl.constexpr
):  # fmt: skip
    """Return the tile of plane `z` at rows `y` and columns `x`, zero outside the volume.

    An INNER one lies inside along y and z.
    """
    inside = (x[None, :] >= 0) & (x[None, :] < width)
    if not INNER:
        level = z + tl.zeros((1, 1), dtype=tl.int32)  # 1 by 1, so it holds for the whole tile
        inside = inside & (y[:, None] >= 0) & (y[:, None] < height)
        inside = inside & (level >= 0) & (level < depth)
    return tl.load(
        x_ptr + z * stride_z + y[:, None] * stride_y + x[None, :], mask=inside, other=0.0
    )


@triton.jit
def walk(
    x_ptr, out_ptr, first, last, y, x, stride_z, stride_y, depth, height, width,
    INNER: tl.constexpr,
):  # fmt: skip
    """Smooth the planes from `first` to `last` at rows `y` and columns `x`."""
    inside = (y[:, None] < height) & (x[None, :] < width)
    below = load_plane(x_ptr, first - 1, y, x, stride_z, stride_y, depth, height, width, INNER)
    here = load_plane(x_ptr, first, y, x, stride_z, stride_y, depth, height, width, INNER)
    for z in range(first, last):
        above = load_plane(x_ptr, z + 1, y, x, stride_z, stride_y, depth, height, width, INNER)
        total = below + here + above
        total += load_plane(x_ptr, z, y - 1, x, stride_z, stride_y, depth, height, width, INNER)
        total += load_plane(x_ptr, z, y + 1, x, stride_z, stride_y, depth, height, width, INNER)
        total += load_plane(x_ptr, z, y, x - 1, stride_z, stride_y, depth, height, width, INNER)
        total += load_plane(x_ptr, z, y, x + 1, stride_z, stride_y, depth, height, width, INNER)
        place = out_ptr + z * stride_z + y[:, None] * stride_y + x[None, :]
        tl.store(place, total * (1 / 7), mask=inside)
        below = here
        here = above


@triton.jit
def stencil_3d_kernel(
    x_ptr, out_ptr, stride_z, stride_y, depth, height, width,
    BLOCK_Y: tl.constexpr, BLOCK_X: tl.constexpr, PLANES: tl.constexpr,
):  # fmt: skip
    x = tl.program_id(0) * BLOCK_X + tl.arange(0, BLOCK_X)
    top = tl.program_id(1) * BLOCK_Y
    y = top + tl.arange(0, BLOCK_Y)
    first = tl.program_id(2) * PLANES
    if (top > 0) & (top + BLOCK_Y < height) & (first > 0) & (first + PLANES < depth):
        walk(
            x_ptr, out_ptr, first, first + PLANES, y, x, stride_z, stride_y, depth, height, width,
            True,
        )  # fmt: skip
    else:
        walk(
            x_ptr, out_ptr, first, min(first + PLANES, depth), y, x, stride_z, stride_y, depth,
            height, width, False,
        )  # fmt: skip


def stencil_3d(volume: torch.Tensor) -> torch.Tensor:
    """Return the average over each element and its six neighbours, zeros around the volume."""
    depth, height, width = volume.shape
    out = torch.empty_like(volume)

    def grid(meta):
        planes = triton.cdiv(depth, meta["PLANES"])
        return (triton.cdiv(width, meta["BLOCK_X"]), triton.cdiv(height, meta["BLOCK_Y"]), planes)

    stencil_3d_kernel[grid](
        volume, out, volume.stride(0), volume.stride(1), depth, height, width,
        BLOCK_Y=4, BLOCK_X=128, PLANES=8, num_warps=4,
    )  # fmt: skip
    return out


def inputs(depth: int, height: int, width: int) -> torch.Tensor:
    """Return a random volume, the same at every call."""
    generator = torch.Generator(device=DEVICE).manual_seed(0)
    return torch.randn(depth, height, width, device=DEVICE, generator=generator)


def example(depth: int = 12, height: int = 30, width: int = 100) -> torch.Tensor:
    """Smooth a random volume once."""
    return stencil_3d(inputs(depth, height, width))


def reference(depth: int = 12, height: int = 30, width: int = 100) -> torch.Tensor:
    """Return what `example` should compute, by adding shifted copies in double precision."""
    padded = torch.nn.functional.pad(inputs(depth, height, width).double(), (1,) * 6)
    total = padded.clone()
    for axis in range(3):
        for step in (-1, 1):
            total += padded.roll(step, axis)
    return (total[1:-1, 1:-1, 1:-1] / 7).float()


if __name__ == "__main__":
    torch.testing.assert_close(example(), reference())
    print("stencil_3d agrees with torch")
