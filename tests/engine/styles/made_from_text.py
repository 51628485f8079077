#: style = "a kernel written as text into a cache folder and imported from there"
#: launches = ["generated"]
#: replay = {BLOCK = 32}
#: stores = {o_ptr = 100}
import hashlib
import importlib.util
import os
import tempfile

import torch
import triton


TEMPLATE = """
import triton
import triton.language as tl


@triton.jit
def generated(x_ptr, o_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, i < n)
    tl.store(o_ptr + i, {expression}, i < n)
"""

# @triton.jit
# def not_a_kernel(x_ptr): pass


def build(expression):
    text = TEMPLATE.format(expression=expression)
    name = "generated_" + hashlib.sha256(text.encode()).hexdigest()[:12]
    folder = os.path.join(tempfile.gettempdir(), "playground_style_cache")
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name + ".py")
    with open(path, "w") as file:
        file.write(text)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.generated


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.arange(100.0, device=device)
    out = torch.empty_like(x)
    kernel = build("x * 2 + 1")
    kernel[lambda meta: (triton.cdiv(100, meta["BLOCK"]),)](x, out, 100, BLOCK=64)
    torch.testing.assert_close(out, x * 2 + 1)


if __name__ == "__main__":
    main()
