#: style = "block pointers, where Triton still has them"
#: triton = "<3.9"
#: launches = ["scale_blocks"]
#: replay = {BLOCK_N = 32}
#: loads = {x = 500}
#: stores = {y = 500}
import torch
import triton
import triton.language as tl


@triton.jit
def scale_blocks(x, y, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    row = tl.program_id(0) * BLOCK_M
    source = tl.make_block_ptr(x, (M, N), (N, 1), (row, 0), (BLOCK_M, BLOCK_N), (1, 0))
    target = tl.make_block_ptr(y, (M, N), (N, 1), (row, 0), (BLOCK_M, BLOCK_N), (1, 0))
    for _ in range(0, N, BLOCK_N):
        tile = tl.load(source, boundary_check=(0, 1), padding_option="zero")
        tl.store(target, tile * 3.0, boundary_check=(0, 1))
        source = tl.advance(source, (0, BLOCK_N))
        target = tl.advance(target, (0, BLOCK_N))


def main():
    x = torch.randn(20, 25, device="cuda" if torch.cuda.is_available() else "cpu")
    y = torch.empty_like(x)
    scale_blocks[lambda meta: (triton.cdiv(20, meta["BLOCK_M"]),)](x, y, 20, 25, BLOCK_M=8, BLOCK_N=16)
    torch.testing.assert_close(y, 3 * x)


if __name__ == "__main__":
    main()
