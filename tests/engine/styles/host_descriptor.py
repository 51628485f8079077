#: style = "a TensorDescriptor made by the host"
#: launches = ["transpose"]
#: replay = {num_warps = 8}
#: loads = {src = 1024}
#: stores = {dst = 1024}
import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def transpose(src, dst, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    m, n = tl.program_id(0) * BLOCK_M, tl.program_id(1) * BLOCK_N
    dst.store([n, m], tl.trans(src.load([m, n])))


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.arange(1024, dtype=torch.float32, device=device).reshape(16, 64)
    y = torch.empty(64, 16, device=device)
    source = TensorDescriptor.from_tensor(x, [8, 32])
    target = TensorDescriptor.from_tensor(y, [32, 8])
    transpose[(2, 2)](source, target, BLOCK_M=8, BLOCK_N=32)
    assert torch.equal(y, x.t())


if __name__ == "__main__":
    main()
