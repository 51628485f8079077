#: style = "overlapping windows of one tensor: an element shown several times is loaded as often as asked for"
#: launches = ["filtered"]
#: replay = {B = 8}
#: verdict = "wrong"
#: findings = ["B seems dictated by the data: 16 is right, 8 alone is not"]
#: loads = {windows = 441}
#: stores = {out = 49}
import torch
import triton
import triton.language as tl


@triton.jit
def filtered(windows, out, across, down, B: tl.constexpr):
    # A program takes one window of 3 by 3, all of it at once: B deals nothing out to programs.
    at = tl.program_id(0) * down + tl.program_id(1) * across
    i = tl.arange(0, B)
    values = tl.load(windows + at + i // 3 * down + i % 3 * across, i < 9, 0.0)
    tl.store(out + tl.program_id(0) * 7 + tl.program_id(1), tl.sum(values))


def example():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    image = torch.arange(81, dtype=torch.float32, device=device).reshape(9, 9)
    windows = image.unfold(0, 3, 1).unfold(1, 3, 1)
    out = torch.empty(7, 7, device=device)
    filtered[(7, 7)](windows, out, image.stride(1), image.stride(0), B=16)
    assert torch.equal(out, windows.sum((2, 3)))
    return out
