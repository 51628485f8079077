#: style = "kernel.run with grid and warmup"
#: launches = ["scale"]
#: replay = {BLOCK = 16}
#: knobs = {BLOCK = 32, num_warps = 2}
#: stores = {o_ptr = 100}
import torch
import triton
import triton.language as tl


@triton.jit
def scale(x_ptr, o_ptr, n, FACTOR: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o_ptr + i, tl.load(x_ptr + i, i < n) * FACTOR, i < n)


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.arange(100.0, device=device)
    out = torch.empty_like(x)

    def grid(meta):
        return (triton.cdiv(100, meta["BLOCK"]),)

    scale.run(x, out, 100, FACTOR=2, BLOCK=32, num_warps=2, grid=grid, warmup=False)
    torch.testing.assert_close(out, x * 2)


if __name__ == "__main__":
    main()
