#: style = "5-D descriptors made by the host"
#: launches = ["copy_5d"]
#: replay = {num_warps = 2}
#: loads = {src = 512}
#: stores = {dst = 512}
import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def copy_5d(src, dst):
    i = tl.program_id(0)
    block = src.load([0, i, 0, 0, 0])
    dst.store([0, i, 0, 0, 0], block + 1.0)


if __name__ == "__main__":
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.randn(2, 4, 2, 2, 16, device=device)
    y = torch.zeros_like(x)
    block = [2, 1, 2, 2, 16]
    copy_5d[(4,)](TensorDescriptor.from_tensor(x, block), TensorDescriptor.from_tensor(y, block))
    assert torch.equal(y, x + 1)
