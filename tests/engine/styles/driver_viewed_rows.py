#: style = "No driver at all: an autograd function that views its arguments as rows, reached by another name"
#: launches = ["gated_kernel"]
#: stores = {out_ptr = 6144}
import torch
import triton
import triton.language as tl


@triton.jit
def gated_kernel(a_ptr, b_ptr, w_ptr, out_ptr, stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    a = tl.load(a_ptr + row * stride + cols, mask=mask, other=0.0)
    b = tl.load(b_ptr + row * stride + cols, mask=mask, other=0.0)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0)
    tl.store(out_ptr + row * stride + cols, a * tl.sigmoid(b) * w, mask=mask)


class Gated(torch.autograd.Function):
    @classmethod
    def forward(cls, ctx, a, b, gamma):
        shape = a.shape
        n_cols = shape[-1]
        a, b = a.view(-1, n_cols), b.view(-1, n_cols)
        weight = gamma[None, :].expand(a.shape[0], -1)
        out = torch.empty_like(a)
        gated_kernel[(a.shape[0],)](
            a, b, weight, out, a.stride(0), n_cols, BLOCK=triton.next_power_of_2(n_cols)
        )
        return out.view(*shape)


gated = Gated.apply


def gated_rows(a, b, gamma):
    return gated(a, b, gamma)
