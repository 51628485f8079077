"""Torch's work on counters kept to the thread that asks for it."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Have torch compute in one thread inside the context.

    Passes over counters take about a millisecond each. Torch's helper threads spin between them:
    on a busy machine that costs several times the work itself.
    """
    before = torch.get_num_threads()
    if before == 1:
        yield
        return
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
