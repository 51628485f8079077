#: style = "autograd.Function whose kernels run in backward alone"
#: launches = ["backward_of_square"]
#: replay = {BLOCK = 32}
#: stores = {o_ptr = 100}
import torch
import triton
import triton.language as tl


@triton.jit
def backward_of_square(x_ptr, g_ptr, o_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o_ptr + i, 2 * tl.load(x_ptr + i, i < n) * tl.load(g_ptr + i, i < n), i < n)


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        out, n = torch.empty_like(x), x.numel()
        backward_of_square[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](
            x, grad.contiguous(), out, n, BLOCK=64
        )
        return out


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.arange(100.0, device=device).requires_grad_()
    Square.apply(x).sum().backward()
    torch.testing.assert_close(x.grad, 2 * x.detach())


if __name__ == "__main__":
    main()
