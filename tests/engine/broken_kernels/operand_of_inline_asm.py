#: kind = "inline assembly that names an operand it does not have"
#: line = 15
#: column = 8
#: dies = true
#: stages = ["ttir", "ttgir", "llir"]
#: message = ["Invalid $ operand number"]
#: hint = ["$0 is the first result", "is kept in"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    v = tl.inline_asm_elementwise(
        "mov.b32 $0, $5;", "=f,f", [tl.load(x)], dtype=tl.float32, is_pure=True, pack=1
    )
    tl.store(x, v)


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
