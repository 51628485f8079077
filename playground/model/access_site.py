"""One place in the source that touches memory: how much it asks for, and how well it asks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

AccessKind = Literal["load", "store", "atomic"]

SECTOR_BYTES = 32
"""What NVIDIA GPUs move between L2 and memory at least: one sector of a cache line."""


@dataclass(frozen=True)
class AccessSite:
    """One load, store or atomic in the source, and what all its executions touched.

    `lanes` are all elements of its blocks, `active` those that its mask let through; both, and
    `bytes_requested` (lanes outside every tensor left out), are of the whole launch. `requests` are
    warp-sized (32 threads), `sectors` the 32-byte sectors they touched and `sectors_least` the
    fewest that could hold what they asked for; `executions` is how often a program came by. These
    are of `programs_looked_at` programs: all of them where `sampled` is False, else a sample, of
    each of which not every execution need have been looked at. `bytes_unique` counts each byte of
    `bytes_looked_at` once; these are of the whole launch where counters tell (nothing else touched
    the same memory), else of the sample. An atomic's bytes are counted once. `lanes_looked_at` are
    the lanes of the executions looked at, 0 where they are not known.
    """

    kind: AccessKind
    line: int
    file: str
    tensors: tuple[str, ...]
    lanes: int
    active: int
    bytes_requested: int
    bytes_looked_at: int
    bytes_unique: int
    requests: int
    sectors: int
    sectors_least: int
    executions: int
    programs_looked_at: int
    sampled: bool = False
    column: int = 0
    lanes_looked_at: int = 0

    @property
    def looked_at_share(self) -> float:
        """Share of the launch's lanes that were looked at, in (0, 1]."""
        if not self.lanes_looked_at or not self.lanes:
            return 1.0
        return min(self.lanes_looked_at / self.lanes, 1.0)

    @property
    def efficiency(self) -> float | None:
        """Least sectors over sectors touched, in (0, 1]; None where nothing was touched."""
        return self.sectors_least / self.sectors if self.sectors else None

    @property
    def reread_factor(self) -> float | None:
        """Bytes asked for over distinct bytes, 1 or more; None where nothing was touched."""
        return self.bytes_looked_at / self.bytes_unique if self.bytes_unique else None

    @property
    def masked_off_share(self) -> float:
        """Share of the lanes that the mask switched off, in [0, 1]."""
        return 1 - self.active / self.lanes if self.lanes else 0.0
