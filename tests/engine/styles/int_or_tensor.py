#: style = "a whole number or a tensor for one and the same parameter"
#: launches = ["add_offset", "add_offset"]
#: launch = 1
#: replay = {BLOCK = 64}
#: loads = {x = 50, offset = 2}
#: stores = {out = 50}
import torch
import triton
import triton.language as tl


@triton.jit
def add_offset(x, offset, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if offset.dtype.is_ptr():
        by = tl.load(offset)
    else:
        by = offset
    tl.store(out + i, tl.load(x + i, i < n) + by, i < n)


def shifted(x, offset):
    out = torch.empty_like(x)
    n = x.numel()
    add_offset[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, offset, out, n, BLOCK=32)
    return out


if __name__ == "__main__":
    x = torch.arange(50, device="cuda" if torch.cuda.is_available() else "cpu")
    assert torch.equal(shifted(x, 7), x + 7)
    assert torch.equal(shifted(x, torch.tensor(9, device=x.device)), x + 9)
