"""Outlining a launch in the interpreter: an observer that keeps accesses in outline."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
import torch

from playground.engine.outline import MOST_ACCESSES
from playground.engine.triton_private.interpreter_recording import EnoughError

if TYPE_CHECKING:
    from playground.engine.job import Job
    from playground.engine.outline import OutlineBuilder
    from playground.engine.triton_private.interpreter_access import Access
    from playground.engine.triton_private.interpreter_formats import Array

_CHECK_EVERY_S = 0.1
_LANES_AT_ONCE = 1 << 18
_NOT_ACTIVE = -1


class AccessOutliner:
    """Hands every access on in outline; an `Observer` of the interpreter."""

    def __init__(self, builder: OutlineBuilder, job: Job) -> None:
        self.enough = False
        self._builder = builder
        self._job = job
        self._next_check_s = 0.0
        self._number = 0
        # Accesses of blocks of one size wait until there are enough of them to look at together.
        self._waiting: dict[int, list[tuple[int, int, int, Array]]] = {}

    def on_access(self, access: Access) -> None:
        """Keep one access of one program."""
        if self._number >= MOST_ACCESSES:
            self._builder.stop_before(access.program)
        if self._builder.full:
            self.enough = True
            raise EnoughError
        now = time.monotonic()
        if now > self._next_check_s:
            self._job.check()
            self._next_check_s = now + _CHECK_EVERY_S
        addresses = access.addresses.astype(np.int64)
        addresses[~np.broadcast_to(access.active, addresses.shape)] = _NOT_ACTIVE
        waiting = self._waiting.setdefault(addresses.size, [])
        waiting.append((self._number, access.program, access.element_size, addresses.reshape(-1)))
        self._number += 1
        if len(waiting) * addresses.size >= _LANES_AT_ONCE:
            self._hand_on(addresses.size)

    def on_dot(self, m: int, n: int, k: int, kind: str) -> None:
        """Take no notice of arithmetic."""

    def on_operations(self, name: str, count: int) -> None:
        """Take no notice of arithmetic."""

    def finish(self) -> None:
        """Hand on what still waits."""
        for lanes in list(self._waiting):
            self._hand_on(lanes)

    def _hand_on(self, lanes: int) -> None:
        waiting = self._waiting.pop(lanes)
        order, program, size, addresses = zip(*waiting, strict=True)
        self._builder.add(
            np.array(order), np.array(program), np.array(size),
            torch.from_numpy(np.stack(addresses)),
        )  # fmt: skip
