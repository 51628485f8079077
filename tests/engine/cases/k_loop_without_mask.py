"""A matrix product that forgets the mask over K: wrong for every K its block does not divide."""

import torch
import triton
import triton.language as tl

from playground.engine.triton_private import interpreter


@triton.jit
def mm(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for k0 in range(0, K, BK):
        x = tl.load(a + m[:, None] * K + (k0 + k)[None, :])
        y = tl.load(b + (k0 + k)[:, None] * N + n[None, :])
        acc += tl.dot(x, y)
    tl.store(c + m[:, None] * N + n[None, :], acc)


def case():
    result = {}
    for inner, block in ((64, 16), (64, 32), (50, 16)):
        a, b, c = torch.randn(32, inner), torch.randn(inner, 32), torch.zeros(32, 32)
        mm[(2, 2)](a, b, c, 32, 32, inner, 16, 16, block)
        result[f"{inner}/{block}"] = {
            "error": (c - a @ b).abs().max().item(),
            "outside": [[e.tensor, e.kind, e.line] for e in interpreter.last_out_of_bounds()],
        }
    return result
