#: style = "heuristics around autotune"
#: launches = ["add"]
#: presets = 2
#: knobs = {BLOCK = 32, EVEN = true}
#: replay = {BLOCK = 64}
#: stores = {o_ptr = 128}
import torch
import triton
import triton.language as tl


@triton.heuristics({"EVEN": lambda args: args["n"] % 64 == 0})
@triton.autotune(
    configs=[triton.Config({"BLOCK": 32}), triton.Config({"BLOCK": 64}, num_stages=2)], key=["n"]
)
@triton.jit
def add(x_ptr, o_ptr, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if EVEN:
        tl.store(o_ptr + i, tl.load(x_ptr + i) * 2)
    else:
        tl.store(o_ptr + i, tl.load(x_ptr + i, i < n) * 2, i < n)


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.arange(128.0, device=device)
    out = torch.empty_like(x)
    add[lambda meta: (triton.cdiv(128, meta["BLOCK"]),)](x, out, 128)
    torch.testing.assert_close(out, x * 2)


if __name__ == "__main__":
    main()
