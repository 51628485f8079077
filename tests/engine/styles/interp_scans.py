#: style = "scans and reductions with an own combine function"
#: launches = ["running"]
#: loads = {x = 128, decay = 128}
#: stores = {state = 128, best = 4, where = 4}
import torch
import triton
import triton.language as tl


@triton.jit
def after(decay_1, value_1, decay_2, value_2):
    return decay_1 * decay_2, value_1 * decay_2 + value_2


@triton.jit
def larger(value_1, at_1, value_2, at_2):
    first = value_1 > value_2
    return tl.where(first, value_1, value_2), tl.where(first, at_1, at_2)


@triton.jit
def running(x, decay, state, best, where, LENGTH: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, LENGTH)
    value = tl.load(x + row * LENGTH + at)
    factor = tl.load(decay + row * LENGTH + at)
    _, held = tl.associative_scan((factor, value), 0, after)
    tl.store(state + row * LENGTH + at, held)
    top, top_at = tl.reduce((held, at), 0, larger)
    tl.store(best + row, top)
    tl.store(where + row, top_at)


def example():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x, decay = torch.randn(4, 32, device=device), torch.rand(4, 32, device=device)
    state, best = torch.empty_like(x), torch.empty(4, device=device)
    where = torch.empty(4, dtype=torch.int32, device=device)
    running[(4,)](x, decay, state, best, where, 32)
    want, held = [], torch.zeros(4, device=device)
    for step in range(32):
        held = held * decay[:, step] + x[:, step]
        want.append(held)
    torch.testing.assert_close(state, torch.stack(want, 1))
    torch.testing.assert_close(best, state.max(1).values)
    assert torch.equal(where, state.argmax(1).int())
    return state
