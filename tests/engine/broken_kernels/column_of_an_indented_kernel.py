#: kind = "an error in an indented kernel, behind letters of two bytes"
#: line = 17
#: column = 62
#: message = ["32 and 64"]
#: hint = ["x[:, None]"]
import torch
import triton
import triton.language as tl


def made(scale: tl.constexpr):
    @triton.jit
    def k(x, n, B: tl.constexpr):
        größe = tl.load(x + tl.arange(0, B))
        other = tl.load(x + tl.arange(0, 64))
        # The message "gewünscht" below is text of two-byte letters.
        tl.device_assert(B > 1, "gewünschte Größe"), tl.store(größe + other, x)

    return k


def example():
    made(2)[(1,)](torch.zeros(1024), 3, 32)
