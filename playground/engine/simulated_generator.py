"""The random generator of the simulated GPU, as launchers read seed and offset out of it.

Kernels that draw their own random numbers are handed `(seed, offset)`: the 16 bytes that
`torch.cuda.default_generators[0].get_state()` returns. Here they are made of the CPU generator's
state, so that what puts that back, for a replay, puts these back too.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from typing import Any

import torch

_KEPT = 64


class DefaultGenerator:
    """What `torch.cuda.default_generators` holds for the simulated GPU."""

    device = torch.device("cuda", 0)

    def __init__(self) -> None:
        self._known: OrderedDict[bytes, torch.Tensor] = OrderedDict()

    def get_state(self) -> torch.Tensor:
        """Return seed and offset as 16 bytes."""
        state = torch.get_rng_state()
        digest = hashlib.blake2b(state.numpy().tobytes(), digest_size=8).digest()
        seed = int.from_bytes(digest, "little") >> 1  # as a signed number it stays positive
        words = torch.tensor([seed, 0], dtype=torch.int64, device="cpu").view(torch.uint8)
        self._known[words.numpy().tobytes()] = state
        while len(self._known) > _KEPT:
            self._known.popitem(last=False)
        return words

    def set_state(self, state: torch.Tensor) -> None:
        """Go back to a state that was read, or on to the next one when its offset was raised."""
        known = self._known.get(state.cpu().contiguous().numpy().tobytes())
        if known is not None:
            torch.set_rng_state(known)
        else:
            torch.rand(1, device="cpu")

    def manual_seed(self, seed: int) -> DefaultGenerator:
        """Seed the CPU generator, which stands behind this one."""
        torch.default_generator.manual_seed(seed)
        return self

    def seed(self) -> int:
        """Seed it with a new random number and return that."""
        return torch.default_generator.seed()

    def initial_seed(self) -> int:
        """Return the number it was seeded with last."""
        return torch.default_generator.initial_seed()

    def get_offset(self) -> int:
        """Return 0: a raised offset becomes another seed."""
        return 0

    def set_offset(self, _offset: int) -> None:
        """Go on to other numbers."""
        torch.rand(1, device="cpu")


def empty_strided(size: Any, stride: Any, dtype: torch.dtype) -> torch.Tensor:
    """Return what the allocator of inductor's generated files returns."""
    return torch.empty_strided(size, stride, dtype=dtype, device="cuda")
