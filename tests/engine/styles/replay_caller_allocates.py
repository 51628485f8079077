#: style = "a caller that allocates a workspace shaped by the block it passes to the launcher"
#: launches = ["partial_max", "finish_max"]
#: replay = {BLOCK = 32}
#: route = "driver"
#: loads = {x = 500}
#: stores = {partial = 4}
import torch
import triton
import triton.language as tl


@triton.jit
def partial_max(x, partial, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(partial + tl.program_id(0), tl.max(tl.load(x + i, i < n, other=-float("inf")), 0))


@triton.jit
def finish_max(partial, out, count, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out, tl.max(tl.load(partial + i, i < count, other=-float("inf")), 0))


def launch(x, workspace, out, block):
    count = workspace.numel()
    partial_max[(count,)](x, workspace, x.numel(), block)
    finish_max[(1,)](workspace, out, count, triton.next_power_of_2(count))


def largest(x, *, block=128):
    workspace = torch.empty(triton.cdiv(x.numel(), block), device=x.device)
    out = torch.empty(1, device=x.device)
    launch(x, workspace, out, block=block)
    return out


def example(n: int = 500):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.randn(n, device=device)
    out = largest(x)
    assert out.item() == x.max().item()
    return out
