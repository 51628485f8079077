#: style = "programs that wait for one that never comes: no result here, all of the compiler's"
#: launches = ["stuck", "fine"]
#: interpreter = "it waits forever"
#: gpu = false
import torch
import triton
import triton.language as tl


@triton.jit
def stuck(flags, PROGRAMS: tl.constexpr):
    tl.atomic_add(flags, 1)
    while tl.atomic_add(flags, 0) < PROGRAMS + 1:
        pass


@triton.jit
def fine(x, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(x + at, tl.load(x + at) + 1.0)


if __name__ == "__main__":
    flags, x = torch.zeros(1, dtype=torch.int32), torch.zeros(16)
    stuck[(2,)](flags, 2)
    fine[(1,)](x, 16)
