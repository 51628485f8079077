#: style = "No driver at all: ModelNew beside Model, get_inputs and get_init_inputs"
#: launches = ["scale_rows_kernel"]
#: replay = {BLOCK = 128}
#: knobs = {BLOCK = 64}
#: loads = {x_ptr = 320, weight_ptr = 320}
#: stores = {out_ptr = 320}
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def scale_rows_kernel(x_ptr, weight_ptr, out_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < n_cols
        x = tl.load(x_ptr + row * n_cols + cols, mask=mask)
        weight = tl.load(weight_ptr + cols, mask=mask)
        tl.store(out_ptr + row * n_cols + cols, x * weight, mask=mask)


class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.linspace(0.5, 1.5, features))

    def forward(self, x):
        return x * self.weight


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.linspace(0.5, 1.5, features))

    def forward(self, x):
        out = torch.empty_like(x)
        rows, cols = x.shape
        scale_rows_kernel[(rows,)](x, self.weight, out, cols, BLOCK=64)
        return out


batch = 4
features = 80


def get_inputs():
    return [torch.rand(batch, features)]


def get_init_inputs():
    return [features]
