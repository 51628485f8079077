#: style = "a subclass of Triton's Autotuner with its own run"
#: launches = ["add"]
#: presets = 2
#: knobs = {BLOCK = 64}
#: replay = {BLOCK = 32}
#: stores = {o_ptr = 100}
import torch
import triton
import triton.language as tl


class Remembering(triton.runtime.Autotuner):
    """Tunes once for each size rounded up, and remembers in a table of its own."""

    table = {}

    def run(self, *args, **kwargs):
        self.nargs = dict(zip(self.arg_names, args))
        key = triton.next_power_of_2(self.nargs["n"])
        if key not in self.table:
            times = {config: self._bench(*args, config=config, **kwargs) for config in self.configs}
            self.table[key] = min(times, key=times.get)
        self.best_config = self.table[key]
        return self.fn.run(*args, **kwargs, **self.best_config.all_kwargs())


def remembering(configs, key):
    return lambda fn: Remembering(fn, fn.arg_names, configs, key, None, None)


@remembering([triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 128})], key=["n"])
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
