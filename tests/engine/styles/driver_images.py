#: style = "No driver at all: a launcher that raises for ranks, types and sizes it does not take"
#: launches = ["brighten_kernel"]
import torch
import triton
import triton.language as tl


@triton.jit
def brighten_kernel(image_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    pixels = tl.load(image_ptr + offsets, mask=mask).to(tl.int32)
    tl.store(out_ptr + offsets, tl.minimum(pixels * 2, 255).to(tl.uint8), mask=mask)


def brighten(image: torch.Tensor, *, dtype: torch.dtype = None, mode: str = "rgb"):
    if image.dtype != torch.uint8 or image.ndim not in (3, 4) or image.shape[-1] != 3:
        raise ValueError("uint8 of [H, W, 3] or [N, H, W, 3]")
    if dtype is None:
        raise ValueError("say what the result is made of")
    height, width = image.shape[-3:-1]
    out = torch.empty_like(image)
    n = height * width * 3 * (image.shape[0] if image.ndim == 4 else 1)
    brighten_kernel[(triton.cdiv(n, 1024),)](image, out, n, BLOCK=1024)
    return out.to(dtype)
