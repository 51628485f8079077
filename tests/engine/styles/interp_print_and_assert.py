#: style = "tl.device_print, tl.device_assert, tl.static_print and hints to the compiler"
#: launches = ["talkative"]
#: replay = {BLOCK = 32}
#: loads = {x = 40}
#: stores = {y = 40}
import torch
import triton
import triton.language as tl


@triton.jit
def talkative(x, y, n, BLOCK: tl.constexpr):
    tl.static_print("BLOCK is", BLOCK)
    tl.static_assert(BLOCK >= 16, "a block of at least 16")
    at = tl.multiple_of(tl.program_id(0) * BLOCK, 16) + tl.max_contiguous(tl.arange(0, BLOCK), 16)
    inside = at < n
    value = tl.load(x + at, mask=inside, other=1.0, eviction_policy="evict_first")
    tl.device_assert(value > 0, "not positive", mask=inside)
    if tl.program_id(0) == 0:
        tl.device_print("first block: ", tl.sum(value, 0))
    tl.debug_barrier()
    tl.store(y + at, tl.log(value), mask=inside, cache_modifier=".wt")


def example():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.rand(40, device=device) + 0.5
    y = torch.empty_like(x)
    talkative[lambda meta: (triton.cdiv(40, meta["BLOCK"]),)](x, y, 40, BLOCK=16)
    torch.testing.assert_close(y, x.log())
    return y
