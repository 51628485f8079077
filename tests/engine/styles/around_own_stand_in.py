#: style = "makes a driver of its own the active one, to be tuned where there is no GPU"
#: driver = ""
#: launches = ["scaled_kernel"]
#: replay = {BLOCK = 128}
#: gpu = false
#: stores = {out_ptr = 700}
import torch
import triton
import triton.language as tl


class NoGpu:
    def get_benchmarker(self):
        return lambda call, quantiles=None, **options: [1.0, 1.0, 1.0]


triton.runtime.driver.set_active(NoGpu())


@triton.autotune([triton.Config({"BLOCK": size}) for size in (256, 512)], key=["n"])
@triton.jit
def scaled_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, offsets < n) * 2, offsets < n)


def scaled(x):
    out = torch.empty_like(x)
    scaled_kernel[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, out, x.numel())
    return out


x = torch.linspace(0, 1, 700)
assert torch.allclose(scaled(x), x * 2)
