#: style = "block pointers, where Triton no longer has them: said so, with what to write"
#: triton = ">=3.9"
#: launches = ["copy_block"]
#: interpreter = "tl.make_tensor_descriptor"
#: compile = "tl.make_tensor_descriptor"
#: findings = ["Block pointers have been removed"]
#: gpu = false
import torch
import triton
import triton.language as tl


@triton.jit
def copy_block(x, y, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    row = tl.program_id(0) * BLOCK_M
    source = tl.make_block_ptr(x, (M, N), (N, 1), (row, 0), (BLOCK_M, BLOCK_N), (1, 0))
    target = tl.make_block_ptr(y, (M, N), (N, 1), (row, 0), (BLOCK_M, BLOCK_N), (1, 0))
    tl.store(target, tl.load(source, boundary_check=(0, 1)), boundary_check=(0, 1))


def main():
    x = torch.randn(16, 16, device="cuda" if torch.cuda.is_available() else "cpu")
    y = torch.empty_like(x)
    copy_block[(2,)](x, y, 16, 16, BLOCK_M=8, BLOCK_N=16)


if __name__ == "__main__":
    main()
