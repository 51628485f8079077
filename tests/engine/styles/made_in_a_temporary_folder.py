#: style = "a kernel generated into a temporary folder of another name each time"
#: launches = ["generated"]
#: replay = {BLOCK = 32}
#: stores = {o_ptr = 100}
import os
import runpy
import tempfile

import torch
import triton


TEXT = """
import triton
import triton.language as tl

@triton.jit
def generated(x_ptr, o_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o_ptr + i, tl.load(x_ptr + i, i < n) * 5, i < n)
"""


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.arange(100.0, device=device)
    out = torch.empty_like(x)
    folder = tempfile.TemporaryDirectory()
    with open(os.path.join(folder.name, "made.py"), "w") as file:
        file.write(TEXT)
    scope = runpy.run_path(os.path.join(folder.name, "made.py"))
    scope["generated"][lambda meta: (triton.cdiv(100, meta["BLOCK"]),)](x, out, 100, BLOCK=64)
    torch.testing.assert_close(out, x * 5)
    folder.cleanup()


if __name__ == "__main__":
    main()
