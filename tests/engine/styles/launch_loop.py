#: style = "hundreds of launches in a loop"
#: launches = ["step"]
#: counts = [300]
#: replay = {BLOCK = 16}
#: loads = {x_ptr = 64}
#: stores = {x_ptr = 64}
import torch
import triton
import triton.language as tl


@triton.jit
def step(x_ptr, time, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, i < n)
    tl.store(x_ptr + i, x + time + 1, i < n)


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.zeros(64, device=device)
    for time in range(300):
        step[lambda meta: (triton.cdiv(64, meta["BLOCK"]),)](x, time, 64, BLOCK=32)
    torch.testing.assert_close(x, torch.full_like(x, 300 * 301 / 2))


if __name__ == "__main__":
    main()
