#: style = "configs built by a function, a tuner and heuristics applied by plain calls, two wrappers sharing one kernel"
#: launches = ["scale"]
#: replay = {BLOCK = 64, num_warps = 8}
#: presets = 3
#: stores = {o_ptr = 100}
import torch
import triton
import triton.language as tl


def configs(sizes, hook=None):
    return [triton.Config({"BLOCK": size}, num_warps=4, pre_hook=hook) for size in sizes]


def clear(arguments):
    arguments["o_ptr"].zero_()


def scale(x_ptr, o_ptr, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if EVEN:
        tl.store(o_ptr + i, tl.load(x_ptr + i) * 2)
    else:
        tl.store(o_ptr + i, tl.load(x_ptr + i, i < n) * 2, i < n)


scale_jit = triton.jit(scale)
evenly = triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
large = triton.autotune(configs=configs((512, 1024)), key=["n"])(evenly(scale_jit))
small = triton.autotune(configs=configs((32, 16, 128), clear), key=["n"])(evenly(scale_jit))


def scaled(x):
    out = torch.empty_like(x)
    chosen = small if x.numel() < 4096 else large
    chosen[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, out, x.numel())
    return out


if __name__ == "__main__":
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.arange(100.0, device=device)
    torch.testing.assert_close(scaled(x), x * 2)
