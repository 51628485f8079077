#: style = "another tool's decorators and comments between the wrappers"
#: launches = ["add"]
#: presets = 2
#: knobs = {BLOCK = 32}
#: replay = {BLOCK = 64}
#: stores = {o_ptr = 100}
import functools

import torch
import triton
import triton.language as tl


def traced(fn):
    @functools.wraps(fn)
    def call(*args, **kwargs):
        return fn(*args, **kwargs)

    return call


class Named:
    """A tool's wrapper: looks like a kernel from outside."""

    def __init__(self, fn):
        self.fn = fn
        self.arg_names = fn.arg_names
        self.calls = 0

    def run(self, *args, **kwargs):
        self.calls += 1
        return self.fn.run(*args, **kwargs)

    def __getitem__(self, grid):
        return lambda *args, **kwargs: self.run(*args, grid=grid, warmup=False, **kwargs)


@triton.autotune(
    configs=[triton.Config({"BLOCK": 32}), triton.Config({"BLOCK": 64})],  # found by hand
    key=["n"],
)
# the tool wants to be here
@Named
@triton.jit
@traced
def add(x_ptr, y_ptr, o_ptr, n, BLOCK: tl.constexpr):
    # the kernel itself
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
