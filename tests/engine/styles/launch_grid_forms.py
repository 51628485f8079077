#: style = "grids as lambda, def, tuple, index tuple, and constexprs by position"
#: launches = ["scale", "scale", "scale", "scale"]
#: replay = {BLOCK = 32}
#: knobs = {FACTOR = 2, BLOCK = 64}
#: loads = {x_ptr = 200}
#: stores = {o_ptr = 200}
import torch
import triton
import triton.language as tl


@triton.jit
def scale(x_ptr, o_ptr, n, FACTOR: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o_ptr + i, tl.load(x_ptr + i, i < n) * FACTOR, i < n)


def blocks(meta):
    return (triton.cdiv(meta["n"], meta["BLOCK"]),)


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.arange(200.0, device=device)
    outs = [torch.empty_like(x) for _ in range(4)]
    scale[lambda meta: (triton.cdiv(200, meta["BLOCK"]),)](x, outs[0], 200, 2, 64)
    scale[blocks](x, outs[1], 200, 2, BLOCK=64)
    scale[(4, 1)](x, outs[2], 200, 2, 64)
    scale[4,](x, outs[3], 200, 2, BLOCK=64)
    for out in outs:
        torch.testing.assert_close(out, x * 2)


if __name__ == "__main__":
    main()
