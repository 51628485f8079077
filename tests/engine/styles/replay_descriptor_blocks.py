#: style = "host descriptors whose block shape follows the block size"
#: launches = ["copy_tiles"]
#: replay = {BLOCK_M = 32, BLOCK_N = 16}
#: route = "driver"
#: loads = {source = 4096}
#: stores = {target = 4096}
import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def copy_tiles(source, target, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    row, column = tl.program_id(0) * BLOCK_M, tl.program_id(1) * BLOCK_N
    target.store([row, column], source.load([row, column]))


def copied(x, BLOCK_M=16, BLOCK_N=64):
    out = torch.empty_like(x)
    block = [BLOCK_M, BLOCK_N]
    source = TensorDescriptor.from_tensor(x, block)
    target = TensorDescriptor.from_tensor(out, block)
    grid = (triton.cdiv(x.shape[0], BLOCK_M), triton.cdiv(x.shape[1], BLOCK_N))
    copy_tiles[grid](source, target, BLOCK_M, BLOCK_N)
    return out


def example(m: int = 64, n: int = 64):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.randn(m, n, device=device)
    out = copied(x)
    assert torch.equal(out, x)
    return out
