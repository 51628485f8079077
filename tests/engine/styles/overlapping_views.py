#: style = "overlapping views: source and destination share one storage"
#: launches = ["shift"]
#: replay = {B = 8}
#: verdict = "correct"
#: loads = {src = 32}
#: stores = {dst = 32}
import torch
import triton
import triton.language as tl


@triton.jit
def shift(src, dst, n, B: tl.constexpr):
    # One program takes the blocks from the far end, so that nothing is read after it was written.
    for start in range(n - B, -B, -B):
        i = start + tl.arange(0, B)
        inside = (i >= 0) & (i < n)
        values = tl.load(src + i, inside)
        tl.debug_barrier()
        tl.store(dst + i, values, inside)
        tl.debug_barrier()


def main():
    whole = torch.arange(40, dtype=torch.float32, device="cuda" if torch.cuda.is_available() else "cpu")
    before = whole.clone()
    shift[(1,)](whole[:32], whole[8:], 32, B=16)
    assert torch.equal(whole[8:], before[:32])
    assert torch.equal(whole[:8], before[:8])


if __name__ == "__main__":
    main()
