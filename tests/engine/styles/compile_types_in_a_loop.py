#: style = "a variable that changes its type in a loop"
#: launches = ["row_sum"]
#: compile = "Loop-carried variable total has initial type int32"
#: findings = ["total = 0.0"]
#: loads = {x = 60}
#: gpu = false
import torch
import triton
import triton.language as tl


@triton.jit
def row_sum(x, y, n):
    row = tl.program_id(0)
    total = 0
    for column in range(n):
        total += tl.load(x + row * n + column)
    tl.store(y + row, total)


def example():
    x, y = torch.randn(6, 10), torch.empty(6)
    row_sum[(6,)](x, y, 10)
    torch.testing.assert_close(y, x.sum(1))
    return y
