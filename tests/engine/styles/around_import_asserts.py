#: style = "asserts at import and in the launcher that everything is on CUDA"
#: driver = ""
#: launches = ["add_kernel"]
#: replay = {BLOCK = 64}
#: findings = ["the GPU is simulated"]
#: gpu_findings = []
#: stores = {out_ptr = 1000}
#: loads = {x_ptr = 1000, y_ptr = 1000}
import torch
import triton
import triton.language as tl

DEVICE = triton.runtime.driver.active.get_active_torch_device()
assert torch.cuda.is_available(), "needs a GPU"
assert DEVICE.type == "cuda"


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


def add(x, y):
    out = torch.empty_like(x)
    assert x.is_cuda and y.is_cuda and out.is_cuda
    assert x.device == y.device == out.device
    n = out.numel()
    add_kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, y, out, n, BLOCK=256)
    return out


if __name__ == "__main__":
    torch.manual_seed(0)
    x = torch.rand(1000, device=DEVICE)
    y = torch.rand(1000, device="cuda")
    torch.testing.assert_close(add(x, y), x + y)
