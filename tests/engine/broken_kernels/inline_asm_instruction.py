#: kind = "inline assembly with an unknown instruction"
#: line = 14
#: column = 8
#: stages = ["ttir", "ttgir", "llir", "ptx"]
#: message = ["ptxas", "'frob'"]
#: hint = ["inline assembly"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    v = tl.inline_asm_elementwise("frob.f32 $0, $1;", "=f,f", [tl.load(x)], dtype=tl.float32,
                                  is_pure=True, pack=1)
    tl.store(x, v)


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
