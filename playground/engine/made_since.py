"""Tensors that came into being since a moment, found without looking at what was there before.

Python's collector keeps what it has frozen apart, which costs a microsecond for a whole process;
everything that is made afterwards it lists by itself. So nothing has to watch every call of torch
only to know later what was made before.
"""

from __future__ import annotations

import gc
import weakref
from typing import Any

import torch

_frozen = False
_earlier: list[weakref.ref[torch.Tensor]] = []


def begin() -> None:
    """Let this be the moment."""
    global _frozen
    _earlier.clear()
    _frozen = gc.get_freeze_count() == 0  # else somebody else has frozen what there was
    if _frozen:
        gc.freeze()


def end() -> None:
    """Put the collector back: what there was is looked at as before."""
    global _frozen
    if _frozen:
        gc.unfreeze()
    _frozen = False
    _earlier.clear()


def tensors() -> list[torch.Tensor]:
    """Return the living tensors made since the moment; all there are when none was chosen."""
    found = _tensors_of(gc.get_objects())
    return [*found, *(tensor for one in _earlier if (tensor := one()) is not None)]


def all_objects() -> list[Any]:
    """Return every object that the collector knows, those from before the moment included."""
    if not _frozen:
        return gc.get_objects()
    _earlier[:] = [weakref.ref(tensor) for tensor in tensors()]
    gc.unfreeze()
    objects = gc.get_objects()
    gc.freeze()
    return objects


def _tensors_of(objects: list[Any]) -> list[torch.Tensor]:
    kinds = {kind for kind in set(map(type, objects)) if issubclass(kind, torch.Tensor)}
    return [value for value in objects if type(value) in kinds]
