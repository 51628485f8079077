#: style = "sort, histogram, cumsum and gather of a block"
#: launches = ["ranked"]
#: loads = {x = 64}
#: stores = {ordered = 64, bins = 8, ends = 8, reversed_ = 64}
import torch
import triton
import triton.language as tl


@triton.jit
def ranked(x, ordered, bins, ends, reversed_, BLOCK: tl.constexpr, BINS: tl.constexpr):
    at = tl.arange(0, BLOCK)
    value = tl.load(x + at)
    tl.store(ordered + at, tl.sort(value))
    counts = tl.histogram(value, BINS)
    tl.store(bins + tl.arange(0, BINS), counts)
    tl.store(ends + tl.arange(0, BINS), tl.cumsum(counts, 0))
    tl.store(reversed_ + at, tl.gather(value, BLOCK - 1 - at, 0))


def example():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.randint(0, 8, (64,), dtype=torch.int32, device=device)
    ordered, reversed_ = torch.empty_like(x), torch.empty_like(x)
    bins = torch.empty(8, dtype=torch.int32, device=device)
    ends = torch.empty_like(bins)
    ranked[(1,)](x, ordered, bins, ends, reversed_, 64, 8)
    assert torch.equal(ordered, x.sort().values)
    assert torch.equal(bins, torch.bincount(x, minlength=8).int())
    assert torch.equal(ends, bins.cumsum(0).int())
    assert torch.equal(reversed_, x.flip(0))
    return ordered
