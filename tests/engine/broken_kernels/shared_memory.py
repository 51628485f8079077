#: kind = "more shared memory than the target has"
#: line = 17
#: target = "cuda:86"
#: message = ["131072 bytes of shared memory", "the limit is 101376",
#: "a (line 17): 4 x 128x64 fp16 = 65536 bytes (num_stages, B); b (line 18): 4 x 64x128"]
#: hint = ["num_stages=3", "B=32"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    i, j = tl.arange(0, 128), tl.arange(0, B)
    total = tl.zeros((128, 128), tl.float32)
    for step in range(n):
        a = tl.load(x + step * B + i[:, None] * B + j[None, :])
        b = tl.load(x + step * B + j[:, None] * 128 + i[None, :])
        total += tl.dot(a, b)
    tl.store(x + i[:, None] * 128 + i[None, :], total)


def example():
    k[(1,)](torch.zeros(65536).half(), 3, 64, num_stages=5)
