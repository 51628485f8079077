#: style = "random numbers in the kernel from a seed that torch draws, applied in place"
#: launches = ["dropout_"]
#: replay = {BLOCK = 64}
#: loads = {x = 200}
#: stores = {x = 200}
import torch
import triton
import triton.language as tl


@triton.jit
def dropout_(x, n, p, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keep = tl.rand(seed, i) > p
    tl.store(x + i, tl.where(keep, tl.load(x + i, i < n) / (1 - p), 0.0), i < n)


def drop_(x, p=0.5):
    seed = int(torch.randint(0, 1 << 30, (1,)))
    n = x.numel()
    dropout_[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, n, p, seed, BLOCK=32)
    return x


if __name__ == "__main__":
    device = "cuda" if torch.cuda.is_available() else "cpu"
    values = torch.ones(200, device=device)
    drop_(values)
    assert set(values.tolist()) == {0.0, 2.0}
