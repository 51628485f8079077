#: style = "a kernel built only under a condition, after its launcher, kept in a dict"
#: launches = ["double", "triple"]
#: launch = 1
#: replay = {BLOCK = 32}
#: stores = {o_ptr = 100}
import torch
import triton
import triton.language as tl


KERNELS = {}


def applied(name, x):
    out = torch.empty_like(x)
    n = x.numel()
    KERNELS[name][lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, out, n, BLOCK=64)
    return out


if torch.get_default_dtype() is torch.float32:

    @triton.jit
    def double(x_ptr, o_ptr, n, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(o_ptr + i, tl.load(x_ptr + i, i < n) * 2, i < n)

    KERNELS["double"] = double


@triton.jit
def triple(x_ptr, o_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o_ptr + i, tl.load(x_ptr + i, i < n) * 3, i < n)


KERNELS["triple"] = triple


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.arange(100.0, device=device)
    torch.testing.assert_close(applied("double", x), x * 2)
    torch.testing.assert_close(applied("triple", x), x * 3)


if __name__ == "__main__":
    main()
