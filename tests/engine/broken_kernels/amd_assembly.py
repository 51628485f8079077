#: kind = "inline assembly that AMD's assembler does not know"
#: line = 15
#: column = 8
#: target = "hip:gfx942"
#: stages = ["ttir", "ttgir", "llir", "amdgcn"]
#: message = ["AMD's assembler", "invalid instruction", "v_frob_f32"]
#: hint = ["AMD's mnemonics"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    v = tl.inline_asm_elementwise(
        "v_frob_f32 $0, $1", "=v,v", [tl.load(x)], dtype=tl.float32, is_pure=True, pack=1
    )
    tl.store(x, v)


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
