#: style = "a block size kept as self.block by a module's constructor"
#: driver = "main()"
#: launches = ["relu"]
#: replay = {BLOCK = 32}
#: route = "driver"
#: loads = {x = 300}
#: stores = {y = 300}
import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def relu(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.maximum(tl.load(x + i, i < n), 0.0), i < n)


class Relu(nn.Module):
    def __init__(self, block: int = 128):
        super().__init__()
        self.block = block

    def forward(self, x):
        y = torch.empty_like(x)
        grid = [triton.cdiv(x.numel(), self.block)]
        relu[grid](x, y, x.numel(), BLOCK=self.block)
        return y


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.randn(20, 15, device=device)
    y = Relu()(x)
    torch.testing.assert_close(y, torch.relu(x))
    return y


if __name__ == "__main__":
    main()
