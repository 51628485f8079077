#: style = "several wrappers share one kernel"
#: launches = ["add", "add", "add"]
#: launch = 1
#: presets = 2
#: knobs = {BLOCK = 64}
#: replay = {BLOCK = 128}
#: stores = {o_ptr = 100}
import torch
import triton
import triton.language as tl


@triton.jit
def add(x_ptr, y_ptr, o_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o_ptr + i, tl.load(x_ptr + i, i < n) + tl.load(y_ptr + i, i < n), i < n)


for_latency = triton.autotune(configs=[triton.Config({"BLOCK": 16})], key=[])(add)
for_bandwidth = triton.autotune(
    configs=[triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 128})], key=["n"]
)(add)


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.arange(100.0, device=device)

    def grid(meta):
        return (triton.cdiv(100, meta["BLOCK"]),)

    outs = [torch.empty_like(x) for _ in range(3)]
    for_latency[grid](x, x, outs[0], 100)
    for_bandwidth[grid](x, x, outs[1], 100)
    add[grid](x, x, outs[2], 100, BLOCK=32)
    for out in outs:
        torch.testing.assert_close(out, x * 2)


if __name__ == "__main__":
    main()
