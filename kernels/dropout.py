"""Dropout with a seed: the mask is computed, not stored.

The generator is counter-based: the number for an element depends on the seed and on the element's
offset only, not on BLOCK_SIZE or on which program asks. So the same seed drops the same elements
under every config, and a backward pass can compute the mask again for nothing. One turn of the
generator gives four numbers: `tl.rand` would throw three of them away and be bound by arithmetic,
`tl.rand4x` gives each of four neighbours one of them.
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def dropout_kernel(x_ptr, out_ptr, n_elements, probability, seed, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    counters = tl.program_id(0) * (BLOCK_SIZE // 4) + tl.arange(0, BLOCK_SIZE // 4)
    first, second, third, fourth = tl.rand4x(seed, counters)
    # Interleaved twice they stand in the order first, second, third, fourth, counter by counter.
    drawn = tl.interleave(tl.interleave(first, third), tl.interleave(second, fourth))
    kept = drawn > probability
    # What is left is scaled up, so that the expected value stays.
    out = tl.where(kept, x / (1 - probability), 0.0)
    tl.store(out_ptr + offsets, out, mask=mask)


def dropout(x: torch.Tensor, probability: float, seed: int) -> torch.Tensor:
    """Return x with each element dropped by `probability`, the rest scaled by 1/(1-probability)."""
    if not 0 <= probability < 1:
        raise ValueError(f"a probability of {probability} leaves nothing: it must be in [0, 1)")
    out = torch.empty_like(x)
    n_elements = x.numel()

    def grid(meta):
        return (triton.cdiv(n_elements, meta["BLOCK_SIZE"]),)

    dropout_kernel[grid](x, out, n_elements, probability, seed, BLOCK_SIZE=1024, num_warps=4)
    return out


def philox(seed: int, counter: torch.Tensor, rounds: int = 10) -> torch.Tensor:
    """Return the four words of Philox-4x32 for each 32-bit counter: what `tl.rand4x` draws from.

    Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC11, 2011.
    """
    low = 0xFFFFFFFF
    words = [counter.to(torch.int64) & low] + [torch.zeros_like(counter, dtype=torch.int64)] * 3
    keys = [seed & low, (seed >> 32) & low]
    for _ in range(rounds):
        first = _product(words[0], 0xD2511F53)
        second = _product(words[2], 0xCD9E8D57)
        words = [
            second[0] ^ words[1] ^ keys[0], second[1],
            first[0] ^ words[3] ^ keys[1], first[1],
        ]  # fmt: skip
        keys = [(keys[0] + 0x9E3779B9) & low, (keys[1] + 0xBB67AE85) & low]
    return torch.stack(words, dim=-1)


def _product(words: torch.Tensor, factor: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the high and low 32 bits of a 32 by 32 bit product, within signed 64 bits."""
    low, high = words & 0xFFFF, words >> 16
    middle = high * factor + ((low * factor) >> 16)
    return middle >> 16, ((middle << 16) | ((low * factor) & 0xFFFF)) & 0xFFFFFFFF


def uniform(word: torch.Tensor) -> torch.Tensor:
    """Return the number in [0, 1) that Triton makes of a word."""
    signed = torch.where(word >= 2**31, word - 2**32, word)
    return torch.where(signed < 0, -signed - 1, signed).float() * 4.6566127342e-10


def inputs(n: int) -> torch.Tensor:
    """Return a random vector, the same at every call."""
    generator = torch.Generator(device=DEVICE).manual_seed(0)
    return torch.randn(n, device=DEVICE, generator=generator)


def example(n: int = 98432, seed: int = 123) -> torch.Tensor:
    """Drop a third of `n` random numbers."""
    return dropout(inputs(n), 1 / 3, seed)


def reference(n: int = 98432, seed: int = 123) -> torch.Tensor:
    """Return what `example` should compute, with the generator written out in torch."""
    x = inputs(n)
    counters = torch.arange(triton.cdiv(n, 4), device=x.device)
    drawn = uniform(philox(seed, counters)).flatten()[:n]
    return torch.where(drawn > 1 / 3, x / (1 - 1 / 3), 0.0)


if __name__ == "__main__":
    torch.testing.assert_close(example(), reference())
    print("dropout agrees with its generator written out in torch")
