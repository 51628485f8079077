#: style = "AMD's libdevice by its full name: interpreted, and told that it does not compile for CUDA"
#: launches = ["powers"]
#: replay = {BLOCK = 64}
#: compile = "no function __ocml_pow_f32"
#: gpu = false
#: stores = {out = 100}
import torch
import triton
import triton.language as tl


@triton.jit
def powers(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, i < n, other=1.0)
    tl.store(out + i, tl.extra.hip.libdevice.pow(value, value * 0 + 3.0), i < n)


if __name__ == "__main__":
    x = torch.linspace(0.5, 2, 100, device="cuda")
    out = torch.empty_like(x)
    powers[lambda meta: (triton.cdiv(100, meta["BLOCK"]),)](x, out, 100, BLOCK=32)
    torch.testing.assert_close(out, x**3)
