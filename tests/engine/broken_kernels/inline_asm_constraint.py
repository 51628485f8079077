#: kind = "inline assembly with a wrong constraint"
#: line = 15
#: dies = true
#: column = 8
#: stages = ["ttir", "ttgir"]
#: message = ["ended abruptly (SIGABRT) in its stage llir", "number of input constraints"]
#: hint = ["one \"=r\"", "is kept in"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    v = tl.inline_asm_elementwise("mov.b32 $0, $1;", "=f,q,z", [tl.load(x)], dtype=tl.float32,
                                  is_pure=True, pack=1)
    tl.store(x, v)


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
