#: style = "an nn.Module on the GPU whose kernels run in forward and in backward, each asserting CUDA, under autocast"
#: driver = "example()"
#: launches = ["cube_kernel", "cube_gradient_kernel"]
#: launch = 1
#: replay = {BLOCK = 32}
#: findings = ["the GPU is simulated"]
#: gpu_findings = []
#: stores = {dx_ptr = 60}
import torch
import triton
import triton.language as tl


@triton.jit
def cube_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, offsets < n)
    tl.store(y_ptr + offsets, x * x * x, offsets < n)


@triton.jit
def cube_gradient_kernel(x_ptr, dy_ptr, dx_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, offsets < n)
    dy = tl.load(dy_ptr + offsets, offsets < n)
    tl.store(dx_ptr + offsets, 3 * x * x * dy, offsets < n)


def grid(n):
    return lambda meta: (triton.cdiv(n, meta["BLOCK"]),)


class Cube(torch.autograd.Function):
    @staticmethod
    @torch.amp.custom_fwd(device_type="cuda")
    def forward(ctx, x):
        if not x.is_cuda:
            raise ValueError("x must be on a CUDA device")
        y = torch.empty_like(x)
        cube_kernel[grid(x.numel())](x, y, x.numel(), BLOCK=64)
        ctx.save_for_backward(x)
        return y

    @staticmethod
    @torch.amp.custom_bwd(device_type="cuda")
    def backward(ctx, dy):
        (x,) = ctx.saved_tensors
        assert dy.is_cuda and x.device == dy.device
        dy = dy.contiguous()
        dx = torch.empty(x.shape, device=dy.device, dtype=x.dtype)
        cube_gradient_kernel[grid(x.numel())](x, dy, dx, x.numel(), BLOCK=64)
        return dx


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.linspace(-1, 1, 60))

    def forward(self):
        return Cube.apply(self.weight)


def example():
    layer = Layer().to("cuda")
    assert all(parameter.is_cuda for parameter in layer.parameters())
    with torch.autocast("cuda", dtype=torch.bfloat16, enabled=False):
        loss = layer().sum()
    loss.backward()
    torch.testing.assert_close(layer.weight.grad, 3 * layer.weight.detach() ** 2)
    return layer.weight.grad
