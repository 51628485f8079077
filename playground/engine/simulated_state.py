"""Whether a GPU is simulated now."""

from __future__ import annotations

import threading

import torch

from playground.engine.simulated_placement import GPU

HOLDERS: list[None] = []
"""One entry for each that has entered the simulation."""
LOCK = threading.RLock()


def is_active() -> bool:
    """Tell whether CUDA is simulated now."""
    return bool(HOLDERS)


def active_device() -> torch.device:
    """Return where kernels run as far as the user's files can tell."""
    return GPU if is_active() else torch.device("cpu")
