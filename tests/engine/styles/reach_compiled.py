#: style = "a launcher under torch.compile"
#: launches = ["add", "add"]
#: launch = 1
#: replay = {BLOCK = 32}
#: findings = ["torch.compile was left out"]
#: stores = {o_ptr = 100}
import torch
import triton
import triton.language as tl


@triton.jit
def add(x_ptr, y_ptr, o_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o_ptr + i, tl.load(x_ptr + i, i < n) + tl.load(y_ptr + i, i < n), i < n)


@torch.compile(fullgraph=True)
def summed(x, y):
    out = torch.empty_like(x)
    n = x.numel()
    add[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, y, out, n, BLOCK=64)
    return out * 2


class Model(torch.nn.Module):
    def forward(self, x):
        out = torch.empty_like(x)
        n = x.numel()
        add[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, x, out, n, BLOCK=64)
        return out


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.arange(100.0, device=device)
    torch.testing.assert_close(summed(x, x), x * 4)
    torch.testing.assert_close(torch.compile(Model(), mode="max-autotune")(x), x * 2)


if __name__ == "__main__":
    main()
