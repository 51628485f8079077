#: style = "kernels made by a factory, a new jit object each call, equal names"
#: launches = ["kernel", "kernel", "kernel"]
#: counts = [2, 1, 1]
#: launch = 1
#: replay = {BLOCK = 32}
#: stores = {o_ptr = 100}
import torch
import triton
import triton.language as tl


@triton.jit
def double(v):
    return v * 2


@triton.jit
def square(v):
    return v * v


def elementwise(function, offset):
    shift = tl.constexpr(offset)

    @triton.jit
    def kernel(x_ptr, o_ptr, n, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(o_ptr + i, function(tl.load(x_ptr + i, i < n)) + shift, i < n)

    return kernel


def applied(x, function, offset):
    out = torch.empty_like(x)
    kernel = elementwise(function, offset)
    kernel[lambda meta: (triton.cdiv(100, meta["BLOCK"]),)](x, out, 100, BLOCK=64)
    return out


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.arange(100.0, device=device)
    torch.testing.assert_close(applied(x, double, 1), x * 2 + 1)
    torch.testing.assert_close(applied(x, square, 3), x * x + 3)
    torch.testing.assert_close(applied(x, square, 4), x * x + 4)
    torch.testing.assert_close(applied(x, double, 1), x * 2 + 1)


if __name__ == "__main__":
    main()
