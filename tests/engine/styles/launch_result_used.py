#: style = "host code that reads what a launch returns"
#: launches = ["scale", "scale"]
#: launch = 1
#: replay = {num_warps = 2}
#: stores = {o_ptr = 64}
#: export = "not judged"
import torch
import triton
import triton.language as tl


@triton.jit
def scale(x_ptr, o_ptr, n, FACTOR: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o_ptr + i, tl.load(x_ptr + i, i < n) * FACTOR, i < n)


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.arange(64.0, device=device)
    out = torch.empty_like(x)
    compiled = scale[(2,)](x, out, 64, FACTOR=2, BLOCK=32)
    assert 0 < compiled.n_regs <= 255
    assert compiled.n_spills == 0
    assert compiled.metadata.num_warps == 4
    assert compiled.metadata.shared >= 0
    assert ".entry" in compiled.asm["ptx"] or ".visible" in compiled.asm["ptx"]
    parts = max(1, 65536 // (compiled.n_regs * 32 * 4) // 64)
    scale[(2 * parts,)](x, out, 64, FACTOR=3, BLOCK=32)
    torch.testing.assert_close(out, x * 3)


if __name__ == "__main__":
    main()
