#: style = "a config's pre_hook rewrites the block shape of a descriptor"
#: launches = ["copy"]
#: presets = 2
#: knobs = {BLOCK_M = 8, BLOCK_N = 32}
#: replay = {BLOCK_M = 16, BLOCK_N = 16}
#: loads = {src = 1024}
#: stores = {dst = 1024}
import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


def fit_blocks(named):
    for name in ("src", "dst"):
        named[name].block_shape = [named["BLOCK_M"], named["BLOCK_N"]]


@triton.autotune(
    configs=[
        triton.Config({"BLOCK_M": 8, "BLOCK_N": 32}, pre_hook=fit_blocks),
        triton.Config({"BLOCK_M": 16, "BLOCK_N": 16}, pre_hook=fit_blocks),
    ],
    key=[],
)
@triton.jit
def copy(src, dst, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    m, n = tl.program_id(0) * BLOCK_M, tl.program_id(1) * BLOCK_N
    dst.store([m, n], src.load([m, n]))


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.arange(1024.0, device=device).reshape(16, 64)
    y = torch.empty_like(x)
    source = TensorDescriptor(x, list(x.shape), list(x.stride()), [1, 1])
    target = TensorDescriptor(y, list(y.shape), list(y.stride()), [1, 1])
    copy[lambda meta: (16 // meta["BLOCK_M"], 64 // meta["BLOCK_N"])](source, target)
    assert torch.equal(x, y)


if __name__ == "__main__":
    main()
