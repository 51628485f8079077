"""The state of every random generator that a driver may draw from, kept and put back."""

from __future__ import annotations

import contextlib
import random
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def random_state() -> dict[str, Any]:
    """Return the state of Python's, NumPy's and torch's generators."""
    state: dict[str, Any] = {
        "python": random.getstate(),
        "numpy": np.random.get_state(),
        "torch": torch.get_rng_state().numpy().copy(),  # the run has no tensor but its own
    }
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        state["cuda"] = torch.cuda.get_rng_state_all()
    return state


def seeded(wanted: int | None = None) -> int:
    """Seed every generator with one new random number, or `wanted`, and return that.

    As unpredictable as a fresh process, yet an exported file can repeat it.
    """
    # Not `torch.seed`: it keeps a note, with a traceback, for every kind of device never used.
    seed: int = torch.default_generator.seed() if wanted is None else wanted
    if torch.cuda.is_available() and not torch.cuda.is_initialized():
        torch.cuda.manual_seed_all(seed)  # once it is
    reseeded(seed)
    return seed


def reseeded(seed: int) -> None:
    """Give every generator the seed that `seeded` returned."""
    # Not `torch.manual_seed`: it keeps a note, with a traceback, for every device never used.
    torch.default_generator.manual_seed(seed)
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        torch.cuda.manual_seed_all(seed)
    random.seed(seed)
    np.random.seed(seed % (1 << 32))


def set_random_state(state: Mapping[str, Any]) -> None:
    """Put generators into a state that `random_state` returned."""
    random.setstate(state["python"])
    np.random.set_state(state["numpy"])
    torch.set_rng_state(torch.from_numpy(state["torch"]))
    if "cuda" in state:
        torch.cuda.set_rng_state_all(state["cuda"])


@contextlib.contextmanager
def in_state(state: Mapping[str, Any]) -> Iterator[None]:
    """Give generators `state` meanwhile, and today's back afterwards; an empty one changes none."""
    today = random_state()
    if state:
        set_random_state(state)
    try:
        yield
    finally:
        set_random_state(today)
