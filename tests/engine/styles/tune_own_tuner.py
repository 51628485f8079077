#: style = "a project's own tuner around the jit function"
#: launches = ["add"]
#: presets = 2
#: knobs = {BLOCK = 32}
#: replay = {BLOCK = 64}
#: stores = {o_ptr = 100}
import torch
import triton
import triton.language as tl


class Tuned:
    """Takes the config that a table names for the size, without timing anything."""

    def __init__(self, fn, configs):
        self.fn = fn
        self.configs = configs

    def __getitem__(self, grid):
        def launch(*args, **kwargs):
            config = self.configs[0] if args[3] < 1000 else self.configs[1]
            return self.fn[grid](*args, **config, **kwargs)

        return launch


def tuned(**choices):
    names = list(choices)
    configs = [dict(zip(names, values)) for values in zip(*choices.values())]
    return lambda fn: Tuned(fn, configs)


@tuned(BLOCK=(32, 64), num_warps=(1, 4))
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
