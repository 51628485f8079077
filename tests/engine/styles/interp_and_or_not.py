#: style = "and, or and not between blocks: the compiler takes them element by element"
#: launches = ["chosen"]
#: knobs = {SKIP = false, BLOCK = 32}
#: stores = {both_ptr = 32, either_ptr = 80, neither_ptr = 16}

import torch
import triton
import triton.language as tl


@triton.jit
def chosen(
    x_ptr, y_ptr, both_ptr, either_ptr, neither_ptr, n, SKIP: tl.constexpr, BLOCK: tl.constexpr
):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    x = tl.load(x_ptr + i, inside, other=0) > 0
    y = tl.load(y_ptr + i, inside, other=0) > 0
    tl.store(both_ptr + i, 1, mask=x and y and inside)
    tl.store(either_ptr + i, 1, mask=(x or y) and inside)
    if not SKIP and n > 0:
        tl.store(neither_ptr + i, 1, mask=(not x) & (not y) & inside)


def example(n: int = 96):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    numbers = torch.arange(n, device=device)
    x, y = numbers % 2, numbers % 3
    both, either, neither = torch.zeros(3, n, device=device, dtype=torch.int32)
    chosen[(triton.cdiv(n, 32),)](x, y, both, either, neither, n, SKIP=False, BLOCK=32)
    torch.testing.assert_close(both.bool(), (x > 0) & (y > 0))
    torch.testing.assert_close(either.bool(), (x > 0) | (y > 0))
    torch.testing.assert_close(neither.bool(), (x == 0) & (y == 0))
    return both, either, neither
