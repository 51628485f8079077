#: style = "a tensor that one launch returns feeds the next"
#: launches = ["scale", "scale"]
#: launch = 1
#: replay = {BLOCK = 16}
#: stores = {o_ptr = 50}
import torch
import triton
import triton.language as tl


@triton.jit
def scale(x_ptr, o_ptr, n, FACTOR: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o_ptr + i, tl.load(x_ptr + i, i < n) * FACTOR, i < n)


def scaled(x, factor):
    out = torch.empty_like(x)
    n = x.numel()
    scale[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, out, n, factor, BLOCK=32)
    return out


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.arange(50.0, device=device)
    out = scaled(scaled(x, 2), 5)
    torch.testing.assert_close(out, x * 10)


if __name__ == "__main__":
    main()
