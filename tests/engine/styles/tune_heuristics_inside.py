#: style = "heuristics inside autotune override a knob and look at None"
#: launches = ["add"]
#: presets = 2
#: knobs = {BLOCK = 32, HAS_BIAS = false, EVEN = false}
#: replay = {BLOCK = 16}
#: stores = {o_ptr = 100}
import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 128})], key=["n"]
)
@triton.heuristics(
    {
        "HAS_BIAS": lambda args: args["b_ptr"] is not None,
        "BLOCK": lambda args: min(args["BLOCK"], 32),
        "EVEN": lambda args: args["n"] % args["BLOCK"] == 0,
    }
)
@triton.jit
def add(x_ptr, b_ptr, o_ptr, n, BLOCK: tl.constexpr, HAS_BIAS: tl.constexpr, EVEN: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if EVEN:
        x = tl.load(x_ptr + i)
    else:
        x = tl.load(x_ptr + i, i < n)
    if HAS_BIAS:
        x += tl.load(b_ptr + i, i < n)
    tl.store(o_ptr + i, x * 2, i < n)


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.arange(100.0, device=device)
    out = torch.empty_like(x)
    add[lambda meta: (triton.cdiv(100, meta["BLOCK"]),)](x, None, out, 100)
    torch.testing.assert_close(out, x * 2)


if __name__ == "__main__":
    main()
