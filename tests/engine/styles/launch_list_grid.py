#: style = "a grid given as a list"
#: launches = ["scale"]
#: replay = {num_warps = 2}
#: stores = {o_ptr = 100}
import torch
import triton
import triton.language as tl


@triton.jit
def scale(x_ptr, o_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o_ptr + i, tl.load(x_ptr + i, i < n) * 2, i < n)


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.arange(100.0, device=device)
    out = torch.empty_like(x)
    scale[[2, 1, 1]](x, out, 100, BLOCK=64)
    torch.testing.assert_close(out, x * 2)


if __name__ == "__main__":
    main()
