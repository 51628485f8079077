#: style = "a launch inside with torch.cuda.device"
#: launches = ["add"]
#: replay = {BLOCK = 32}
#: stores = {o_ptr = 100}
import torch
import triton
import triton.language as tl


@triton.jit
def add(x_ptr, y_ptr, o_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o_ptr + i, tl.load(x_ptr + i, i < n) + tl.load(y_ptr + i, i < n), i < n)


def added(x, y):
    out, n = torch.empty_like(x), x.numel()
    with torch.cuda.device(x.device):
        add[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, y, out, n, BLOCK=64)
    return out


def main():
    x = torch.arange(100.0, device="cuda")
    torch.testing.assert_close(added(x, x), x * 2)
    torch.cuda.synchronize(x.device)


if __name__ == "__main__":
    main()
