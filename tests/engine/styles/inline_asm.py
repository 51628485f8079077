#: style = "inline assembly"
#: launches = ["bits_set"]
#: replay = {BLOCK = 128}
#: loads = {x = 256}
#: stores = {y = 256}
#: interpreter = "inline"
import torch
import triton
import triton.language as tl


@triton.jit
def bits_set(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, i < n)
    counted = tl.inline_asm_elementwise("popc.b32 $0, $1;", "=r,r", [v], dtype=tl.int32, is_pure=True, pack=1)
    tl.store(y + i, counted, i < n)


if __name__ == "__main__":
    x = torch.arange(256, dtype=torch.int32, device="cuda" if torch.cuda.is_available() else "cpu") * 65793
    y = torch.empty_like(x)
    bits_set[lambda meta: (triton.cdiv(256, meta["BLOCK"]),)](x, y, 256, BLOCK=64)
    want = sum((x >> bit) & 1 for bit in range(32))
    assert torch.equal(y, want.to(torch.int32))
