#: style = "a loop's variable as the run-time number that the compiler makes it"
#: launches = ["rows"]
#: knobs = {BLOCK = 32}
#: replay = {BLOCK = 64}
#: loads = {x_ptr = 800}
#: stores = {y_ptr = 800}

import torch
import triton
import triton.language as tl


@triton.jit
def rows(x_ptr, y_ptr, n_rows, n_columns, stride, BLOCK: tl.constexpr):
    columns = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = columns < n_columns
    for row in range(n_rows):
        wide = row.to(tl.int64)
        far = (row * stride).to(tl.int64)
        x = tl.load(x_ptr + far + columns, mask=inside)
        last = (n_rows - 1 - row).to(tl.float32)
        tl.store(y_ptr + wide * stride + columns, x * last, mask=inside)


def example(n_rows: int = 8, n_columns: int = 100):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.randn(n_rows, n_columns, device=device)
    y = torch.empty_like(x)
    grid = lambda meta: (triton.cdiv(n_columns, meta["BLOCK"]),)
    rows[grid](x, y, n_rows, n_columns, x.stride(0), BLOCK=32)
    weights = torch.arange(n_rows - 1, -1, -1, device=device, dtype=torch.float32)
    torch.testing.assert_close(y, x * weights[:, None])
    return y
