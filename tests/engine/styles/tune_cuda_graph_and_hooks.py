#: style = "use_cuda_graph, pre_hook and post_hook of the tuner"
#: launches = ["add"]
#: presets = 2
#: knobs = {BLOCK = 32}
#: replay = {BLOCK = 64}
#: stores = {o_ptr = 100}
import warnings

import torch
import triton
import triton.language as tl


HOOKED = []

warnings.simplefilter("ignore", DeprecationWarning)


@triton.autotune(
    configs=[triton.Config({"BLOCK": 32}), triton.Config({"BLOCK": 64})],
    key=["n"],
    use_cuda_graph=True,
    pre_hook=lambda named, reset_only=False: HOOKED.append(("before", reset_only)),
    post_hook=lambda named, exception=None: HOOKED.append(("after", exception)),
)
@triton.jit
def add(x_ptr, y_ptr, o_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o_ptr + i, tl.load(x_ptr + i, i < n) + tl.load(y_ptr + i, i < n), i < n)


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.arange(100.0, device=device)
    out = torch.empty_like(x)
    add[lambda meta: (triton.cdiv(100, meta["BLOCK"]),)](x, x, out, 100)
    torch.testing.assert_close(out, x * 2)


if __name__ == "__main__":
    main()
