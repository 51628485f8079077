#: style = "a grid of no programs beside one of some"
#: launches = ["scale", "scale"]
#: launch = 1
#: replay = {BLOCK = 16}
#: stores = {o_ptr = 40}
import torch
import triton
import triton.language as tl


@triton.jit
def scale(x_ptr, o_ptr, n, FACTOR: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o_ptr + i, tl.load(x_ptr + i, i < n) * FACTOR, i < n)


def scaled(x):
    out = torch.empty_like(x)
    n = x.numel()
    scale[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, out, n, FACTOR=3, BLOCK=32)
    return out


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    assert scaled(torch.empty(0, device=device)).numel() == 0
    x = torch.arange(40.0, device=device)
    torch.testing.assert_close(scaled(x), x * 3)


if __name__ == "__main__":
    main()
