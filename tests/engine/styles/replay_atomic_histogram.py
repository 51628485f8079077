#: style = "atomics into a buffer of the caller that two calls add to"
#: driver = "main()"
#: launches = ["histogram"]
#: counts = [2]
#: replay = {BLOCK = 16}
#: loads = {values = 300}
import torch
import triton
import triton.language as tl


@triton.jit
def histogram(values, bins, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(bins + tl.load(values + i, i < n, other=0), 1, mask=i < n)


def count_into(bins, values):
    n = values.numel()
    histogram[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](values, bins, n, BLOCK=128)


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    values = torch.arange(300, device=device, dtype=torch.int32) % 7
    bins = torch.zeros(7, dtype=torch.int32, device=device)
    for _ in range(2):
        count_into(bins, values)
    assert torch.equal(bins, 2 * torch.bincount(values, minlength=7).int())
    return bins
