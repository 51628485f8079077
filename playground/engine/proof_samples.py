"""Samples of a launch's tensors before and after it, by which an exported file judges itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from playground.engine import checking
from playground.engine.poisoning import poison
from playground.engine.replay import put_back_after

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playground.engine.capture import CapturedLaunch
    from playground.engine.session import Session
    from playground.model.config import Config

Recipe = dict[str, dict[str, list[tuple[int, float]]]]
"""Samples by `inputs` and `outputs`, then by tensor: flat index and value."""
SAMPLES = 32
"""Elements of each tensor that an exported file carries where there is no `reference`."""


def recipe(session: Session, launch: CapturedLaunch, config: Config) -> Recipe:
    """Return samples of a launch's tensors before it, and of what it leaves.

    What depends on the config (partial results of each block) is sampled under that config, which
    was judged right on the way.
    """
    inputs, captured = _outcome(session, launch, launch.info.config)
    outputs = captured
    if config != launch.info.config:
        right = session.judge(launch.info.index, config).result.status == "correct"
        _, tuned = _outcome(session, launch, config)
        outputs = {
            name: captured[name] if name in captured and _agrees(launch, tensor, captured[name])
            else tensor
            for name, tensor in tuned.items()
            if right or (name in captured and _agrees(launch, tensor, captured[name]))
        }  # fmt: skip
    left = {name: _samples(tensor) for name, tensor in outputs.items()}
    return {
        "inputs": {name: values for name, values in inputs.items() if values},
        "outputs": {name: values for name, values in left.items() if values},
    }


def _outcome(
    session: Session, launch: CapturedLaunch, config: Config
) -> tuple[dict[str, list[tuple[int, float]]], dict[str, torch.Tensor]]:
    """Run a launch under a config; return samples of what it reads, and copies of what it left."""
    with put_back_after(session.prepare(launch.info.index, config)) as prepared:
        prepared.restore()
        # A table of addresses is another one in every process.
        addresses = torch.int64 if prepared.in_place else None
        inputs = {
            leaf: _samples(tensor)
            for name, value in prepared.arguments.items()
            if name not in prepared.written and name not in prepared.reshaped
            for leaf, tensor in _leaves(name, value)
            if tensor.dtype != addresses
        }
        prepared.run()
        session.synchronize()
        left = {
            leaf: tensor.detach().clone()
            for name in prepared.written
            for leaf, tensor in _leaves(name, prepared.arguments[name])
        }
        prepared.restore()
    return inputs, left


def _agrees(launch: CapturedLaunch, one: torch.Tensor, other: torch.Tensor) -> bool:
    if one.shape != other.shape:
        return False
    limits = checking.tolerances(launch, other.dtype)
    return not checking.compare("", one, other, *limits).mismatches


def _leaves(name: str, value: Any) -> Iterator[tuple[str, torch.Tensor]]:
    if isinstance(value, torch.Tensor):
        yield name, value
    elif isinstance(value, (tuple, list)):
        for place, one in enumerate(value):
            yield from _leaves(f"{name}[{place}]", one)
    elif isinstance(getattr(value, "base", None), torch.Tensor):
        yield name, value.base


def _samples(tensor: torch.Tensor) -> list[tuple[int, float]]:
    """Return some elements by flat index; memory that was never filled is passed over."""
    if not tensor.numel() or tensor.is_complex():
        return []
    flat = tensor.detach().reshape(-1)
    filled = torch.ones(flat.numel(), dtype=torch.bool, device=flat.device)
    if tensor.dtype != torch.bool:
        fresh = torch.empty(1, dtype=flat.dtype, device=flat.device)
        poison(fresh)
        size = flat.element_size()
        same = flat.view(torch.uint8).view(-1, size) == fresh.view(torch.uint8)
        filled = ~same.all(1)
    known = torch.nonzero(filled).reshape(-1)
    count = min(SAMPLES, known.numel())
    chosen = [index * (known.numel() - 1) // max(count - 1, 1) for index in range(count)]
    places = [int(known[index]) for index in dict.fromkeys(chosen)]
    return [(place, float(flat[place])) for place in places]


def largest_sizes(session: Session, launch: CapturedLaunch, config: Config) -> dict[str, int]:
    """Return the most elements that each tensor has in any launch of the kernel."""
    reshaped = session.prepare(launch.info.index, config).reshaped
    found: dict[str, int] = {}
    for other in session.launches:
        if other.info.kernel != launch.info.kernel:
            continue
        for name, value in other.arguments.items():
            for leaf, tensor in _leaves(name, value):
                if name not in reshaped:
                    found[leaf] = max(found.get(leaf, 0), tensor.numel())
    return found
