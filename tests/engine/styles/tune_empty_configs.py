#: style = "configs that set options only"
#: launches = ["add"]
#: presets = 3
#: knobs = {BLOCK = 32, num_warps = 1}
#: replay = {num_warps = 4}
#: stores = {o_ptr = 100}
import torch
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({}, num_warps=w) for w in (1, 2, 4)], key=[])
@triton.jit
def add(x_ptr, y_ptr, o_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o_ptr + i, tl.load(x_ptr + i, i < n) + tl.load(y_ptr + i, i < n), i < n)


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.arange(100.0, device=device)
    out = torch.empty_like(x)
    add[lambda meta: (triton.cdiv(100, meta["BLOCK"]),)](x, x, out, 100, BLOCK=32)
    torch.testing.assert_close(out, x * 2)


if __name__ == "__main__":
    main()
