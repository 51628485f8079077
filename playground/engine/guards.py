"""Guard areas round the copies that replays run on: a kernel that writes past a tensor is caught.

On a GPU a store outside of a tensor lands in whatever lies beside it, and says nothing. Replays run
on copies of the launch's storages; each lies between two areas filled with a byte of its own, which
are looked at after a launch. (In the interpreter no such store touches memory at all.)
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import torch

from playground.model.finding import Finding

GUARD_BYTES = 1 << 14
"""Bytes before and after each copy; a block of 4096 float32 reaches no further."""
_CANARIES = itertools.cycle((0xC5, 0x3A, 0xB3, 0x4D, 0xA9, 0x5B, 0x96, 0x69))
"""Neighbours in turn: a kernel that copies past both ends would else copy a guard onto its like."""
_ALIGNMENT = 512


@dataclass(frozen=True)
class Overrun:
    """What a launch wrote outside of one storage.

    Parameters
    ----------
    changed
        Bytes that are another value now.
    past_end
        Distance in bytes of the first changed byte from the storage's end (from 0), or, negative,
        of the last one before its start.
    """

    changed: int
    past_end: int


class GuardedCopy:
    """Memory for the bytes of one storage between two guard areas.

    It is as aligned as the original, no more and no less: Triton compiles for the alignment it
    sees.

    Parameters
    ----------
    live
        The storage's bytes, uint8 in one dimension.
    """

    def __init__(self, live: torch.Tensor) -> None:
        size = live.numel()
        self._canary = next(_CANARIES)
        self._room = torch.empty(
            size + 2 * (GUARD_BYTES + _ALIGNMENT), dtype=torch.uint8, device=live.device
        )
        shift = (live.data_ptr() - self._room.data_ptr()) % _ALIGNMENT
        start = GUARD_BYTES + (shift - GUARD_BYTES) % _ALIGNMENT
        self._before = self._room[:start]
        self._after = self._room[start + size :]
        self.base = self._room[start : start + size]
        self.arm()

    def arm(self) -> None:
        """Fill the guard areas."""
        self._before.fill_(self._canary)
        self._after.fill_(self._canary)

    def overrun(self) -> Overrun | None:
        """Return what was written outside since the guards were filled; None if nothing was."""
        before, after = self._before != self._canary, self._after != self._canary
        counts = torch.stack([before.sum(), after.sum()]).tolist()
        if not any(counts):
            return None
        if counts[1]:
            distance = int(after.to(torch.uint8).argmax())
        else:
            distance = -1 - int(before.flip(0).to(torch.uint8).argmax())
        self.arm()
        return Overrun(sum(counts), distance)


def overrun_finding(
    kernel: str, tensor: str, element_size: int, overrun: Overrun, file: str, line: int | None
) -> Finding:
    """Return the finding on what a launch wrote outside of a tensor.

    Parameters
    ----------
    element_size
        Bytes of one of the tensor's elements.
    """
    elements = -(-overrun.changed // element_size)
    if overrun.past_end >= 0:
        where = f"the first {overrun.past_end // element_size + 1} past its end"
    else:
        where = f"the nearest {-(overrun.past_end // element_size)} before its start"
    return Finding(
        "error",
        "check",
        f"{kernel} wrote outside of {tensor}: {elements} elements, {where}",
        "give the store a mask (offsets < n): it overwrites what lies beside the tensor; the "
        "coverage names the line",
        file=file,
        line=line,
    )
