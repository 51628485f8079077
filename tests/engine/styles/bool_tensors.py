#: style = "bool tensors in and out"
#: launches = ["select"]
#: replay = {BLOCK = 64}
#: loads = {keep = 90, x = 90}
#: stores = {out = 90, flags = 90}
import torch
import triton
import triton.language as tl


@triton.jit
def select(keep, x, out, flags, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    chosen = tl.load(keep + i, m, other=False)
    v = tl.load(x + i, m)
    tl.store(out + i, tl.where(chosen, v, 0.0), m)
    tl.store(flags + i, v > 0, m)


def masked(x, keep):
    out, flags = torch.empty_like(x), torch.empty(x.shape, dtype=torch.bool, device=x.device)
    grid = lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)
    select[grid](keep, x, out, flags, x.numel(), BLOCK=32)
    return out, flags


if __name__ == "__main__":
    torch.manual_seed(3)
    x = torch.randn(90, device="cuda" if torch.cuda.is_available() else "cpu")
    keep = torch.rand(90, device=x.device) > 0.3
    out, flags = masked(x, keep)
    assert torch.equal(out, torch.where(keep, x, torch.zeros_like(x)))
    assert torch.equal(flags, x > 0)
