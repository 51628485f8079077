#: style = "an annotated module constant that is no tl.constexpr object"
#: launches = ["filled"]
#: compile = "Cannot access global variable MISSING"
#: findings = ["MISSING"]
#: replay = {BLOCK = 32}
#: stores = {o_ptr = 100}
#: gpu = false
import torch
import triton
import triton.language as tl

MISSING: tl.constexpr = -1


@triton.jit
def filled(o_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o_ptr + i, i * 0 + MISSING, i < n)


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    out = torch.zeros(100, dtype=torch.int32, device=device)
    filled[lambda meta: (triton.cdiv(100, meta["BLOCK"]),)](out, 100, BLOCK=64)
    assert out.tolist() == [-1] * 100


if __name__ == "__main__":
    main()
