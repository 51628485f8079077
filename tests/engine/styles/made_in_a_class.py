#: style = "kernels in a class and in an nn.Module"
#: launches = ["scale", "shift"]
#: launch = 1
#: replay = {BLOCK = 32}
#: stores = {o_ptr = 100}
import torch
import triton
import triton.language as tl


class Kernels:
    @triton.jit
    def scale(x_ptr, o_ptr, n, factor, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(o_ptr + i, tl.load(x_ptr + i, i < n) * factor, i < n)


class Affine(torch.nn.Module):
    """y = x * factor + offset, with a kernel of its own for the second half."""

    @staticmethod
    @triton.jit
    def shift(x_ptr, o_ptr, n, offset, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(o_ptr + i, tl.load(x_ptr + i, i < n) + offset, i < n)

    def __init__(self, factor, offset):
        super().__init__()
        self.factor, self.offset = factor, offset

    def forward(self, x):
        n, out = x.numel(), torch.empty_like(x)

        def grid(meta):
            return (triton.cdiv(n, meta["BLOCK"]),)

        Kernels.scale[grid](x, out, n, self.factor, BLOCK=64)
        y = torch.empty_like(x)
        self.shift[grid](out, y, n, self.offset, BLOCK=64)
        return y


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.arange(100.0, device=device)
    torch.testing.assert_close(Affine(2.0, 1.0)(x), x * 2 + 1)


if __name__ == "__main__":
    main()
