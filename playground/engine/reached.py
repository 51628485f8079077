"""The tensors that a launch reaches through addresses only, each with a name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from playground.engine.arguments import numbers_in, tensors_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playground.engine.capture import CapturedLaunch

_LOOKED_AT = 1 << 16


def reached_by_address(launch: CapturedLaunch) -> dict[str, torch.Tensor]:
    """Return those tensors as `*table[3]`: what the third element of the argument points at."""
    pointed = launch.snapshot.pointed
    if not pointed:
        return {}
    named: dict[str, torch.Tensor] = {}
    for label, address in _addresses(launch):
        for index, tensor in enumerate(pointed):
            start = tensor.untyped_storage().data_ptr()
            if start <= address < start + tensor.untyped_storage().nbytes():
                if not any(tensor is known for known in named.values()):
                    named[f"*{label}"] = pointed[index]
                break
    for index, tensor in enumerate(pointed):  # reached through a table in a table
        if not any(tensor is known for known in named.values()):
            named[f"*table {index}"] = tensor
    return named


def _addresses(launch: CapturedLaunch) -> Iterator[tuple[str, int]]:
    for name, value in launch.arguments.items():
        for number in numbers_in(value):
            yield name, number
        for tensor in tensors_in(value):
            if tensor.dtype not in (torch.int64, torch.uint64):
                continue
            # In place: the table may have been written since, but what it held is what counts.
            held = launch.snapshot.before(tensor).reshape(-1)[:_LOOKED_AT].view(torch.int64)
            for index, number in enumerate(held.tolist()):
                yield f"{name}[{index}]", number
