#: style = "a block size that is a constant of a helper module beside the file"
#: launches = ["add_one"]
#: replay = {BLOCK = 64, num_warps = 2}
#: route = "driver"
#: loads = {x = 700}
#: stores = {x = 700}
import replay_settings as settings
import torch
import triton
import triton.language as tl


@triton.jit
def add_one(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, i < n) + 1.0, i < n)


def add_one_(x):
    grid = (triton.cdiv(x.numel(), settings.BLOCK_SIZE), 1, 1)
    add_one[grid](x, x.numel(), BLOCK=settings.BLOCK_SIZE, num_warps=settings.THREADS)
    return x


if __name__ == "__main__":
    device = "cuda" if torch.cuda.is_available() else "cpu"
    values = torch.arange(700.0, device=device)
    add_one_(values)
    assert torch.equal(values, torch.arange(1.0, 701.0, device=device))
