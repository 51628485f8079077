#: style = "a bool scalar (Triton 3.6's own interpreter cannot take one, so the exported file is not run there)"
#: export = false
#: launches = ["select"]
#: replay = {BLOCK = 64}
#: loads = {keep = 90, x = 90}
#: stores = {out = 90, flags = 90}
import torch
import triton
import triton.language as tl


@triton.jit
def select(keep, x, out, flags, n, invert, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    chosen = tl.load(keep + i, m, other=False)
    if invert:
        chosen = chosen == 0
    v = tl.load(x + i, m)
    tl.store(out + i, tl.where(chosen, v, 0.0), m)
    tl.store(flags + i, v > 0, m)


def masked(x, keep, invert=False):
    out, flags = torch.empty_like(x), torch.empty(x.shape, dtype=torch.bool, device=x.device)
    grid = lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)
    select[grid](keep, x, out, flags, x.numel(), invert, BLOCK=32)
    return out, flags


if __name__ == "__main__":
    torch.manual_seed(3)
    x = torch.randn(90, device="cuda" if torch.cuda.is_available() else "cpu")
    keep = torch.rand(90, device=x.device) > 0.3
    out, flags = masked(x, keep, invert=True)
    assert torch.equal(out, torch.where(keep, torch.zeros_like(x), x))
    assert torch.equal(flags, x > 0)
