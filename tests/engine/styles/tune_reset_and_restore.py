#: style = "reset_to_zero and restore_value of what a kernel updates in place"
#: launches = ["accumulate"]
#: counts = [2]
#: presets = 2
#: replay = {BLOCK = 64}
#: loads = {x_ptr = 100, y_ptr = 100}
#: stores = {y_ptr = 100}
import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"BLOCK": 32}), triton.Config({"BLOCK": 64})],
    key=["n"],
    reset_to_zero=["total_ptr"],
    restore_value=["y_ptr"],
)
@triton.jit
def accumulate(x_ptr, y_ptr, total_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, i < n, other=0.0)
    tl.store(y_ptr + i, tl.load(y_ptr + i, i < n) + x, i < n)
    tl.atomic_add(total_ptr, tl.sum(x, axis=0))


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.arange(100.0, device=device)
    y, total = torch.ones_like(x), torch.zeros(1, device=device)
    for _ in range(2):
        accumulate[lambda meta: (triton.cdiv(100, meta["BLOCK"]),)](x, y, total, 100)
    torch.testing.assert_close(y, 1 + 2 * x)
    torch.testing.assert_close(total, 2 * x.sum().reshape(1))


if __name__ == "__main__":
    main()
