#: style = "early pruning and a performance model"
#: launches = ["add"]
#: presets = 3
#: knobs = {BLOCK = 64}
#: replay = {BLOCK = 32}
#: stores = {o_ptr = 100}
import torch
import triton
import triton.language as tl


def small_enough(configs, named_args, **kwargs):
    assert named_args["n"] == 100
    return [config for config in configs if config.kwargs["BLOCK"] <= 64]


def guessed(x_ptr, y_ptr, o_ptr, n, BLOCK, **kwargs):
    return n / BLOCK


@triton.autotune(
    configs=[triton.Config({"BLOCK": block}) for block in (16, 32, 64, 128, 256)],
    key=["n"],
    prune_configs_by={"early_config_prune": small_enough, "perf_model": guessed, "top_k": 2},
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
