#: style = "dtypes as constexprs: Triton's own, and one looked up from torch's"
#: launches = ["row_sum"]
#: replay = {ACC = "tl.float64"}
#: knobs = {ACC = "tl.float32", OUT = "tl.float16", BLOCK = 64}
#: loads = {x = 150}
#: stores = {out = 3}
import torch
import triton
import triton.language as tl

TO_TL = {torch.float16: tl.float16, torch.float32: tl.float32, torch.float64: tl.float64}


@triton.jit
def row_sum(x, out, n, ACC: tl.constexpr, OUT: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    row = tl.program_id(0)
    v = tl.load(x + row * n + i, i < n, other=0.0).to(ACC)
    tl.store(out + row, tl.sum(v, 0).to(OUT))


if __name__ == "__main__":
    torch.manual_seed(2)
    x = torch.rand(3, 50, device="cuda" if torch.cuda.is_available() else "cpu")
    out = torch.empty(3, dtype=torch.float16, device=x.device)
    row_sum[(3,)](x, out, 50, ACC=tl.float32, OUT=TO_TL[out.dtype], BLOCK=64)
    torch.testing.assert_close(out, x.sum(1).half())
