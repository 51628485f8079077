#: style = "jit options, and annotated module constants"
#: launches = ["shifted"]
#: knobs = {BLOCK = 64}
#: replay = {BLOCK = 32}
#: stores = {o_ptr = 100}
import torch
import triton
import triton.language as tl


MISSING: tl.constexpr = tl.constexpr(-1)
SHIFT = tl.constexpr(3)


@triton.jit(noinline=True)
def half_of(n):
    return n // 2


@triton.jit(do_not_specialize=["n"], do_not_specialize_on_alignment=["x_ptr"])
def shifted(x_ptr, o_ptr, n, BLOCK: tl.constexpr, MODE: tl.constexpr = -1):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, i < n, other=0.0)
    if MODE == MISSING:
        x = x * half_of(n) + SHIFT
    tl.store(o_ptr + i, x, i < n)


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.arange(100.0, device=device)
    out = torch.empty_like(x)
    shifted[lambda meta: (triton.cdiv(100, meta["BLOCK"]),)](x, out, 100, BLOCK=64)
    torch.testing.assert_close(out, x * 50 + 3)


if __name__ == "__main__":
    main()
