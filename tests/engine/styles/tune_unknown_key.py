#: style = "an autotuner's key with a slip: let through here, and left out of the export"
#: launches = ["twice"]
#: replay = {BLOCK = 64}
#: findings = ["SIZES"]
#: triton = ">=3.9"
#: stores = {out = 100}
import torch
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"BLOCK": 32}), triton.Config({"BLOCK": 128})], key=["n", "SIZES"])
@triton.jit
def twice(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, 2 * tl.load(x + i, i < n), i < n)


@triton.autotune([triton.Config({}, num_warps=4)], key=["nn", "n"], restore_value=["outs"])
@triton.jit
def never_launched(x, out, n):
    tl.store(out, tl.load(x))


def unused(x, out):
    never_launched[(1,)](x, out, 1)


if __name__ == "__main__":
    x = torch.arange(100.0, device="cuda")
    out = torch.empty_like(x)
    if x.numel() < 5:
        unused(x, out)
    twice[lambda meta: (triton.cdiv(100, meta["BLOCK"]),)](x, out, 100)
    torch.testing.assert_close(out, x * 2)
