"""What each source line became in the machine's code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from playground.model.config import Config

InstructionKind = Literal[
    "wide memory",
    "narrow memory",
    "shared memory",
    "local memory",
    "async copy",
    "tensor core",
    "floating point",
    "integer",
    "control",
    "barrier",
    "other",
]
"""Classes of machine instructions; every instruction is in exactly one.

Wide memory is global memory in 16 bytes a thread, narrow memory anything less; atomics are among
them. Local memory is what spilled registers and arrays go through. Async copy holds `cp.async` and
TMA, tensor core the traffic with tensor memory too, barrier also fences and waits for copies in
flight. Floating point holds conversions from and to floats; integer the rest of arithmetic: address
computation, comparisons, moves (between threads, too), reads of arguments and of special registers.
Other is padding, what can never execute, and what no class is known for, which the notes name.
"""

WIDE_BITS = 128
"""Bits of one access of a thread from which it counts as wide."""


@dataclass(frozen=True)
class Access:
    """Machine instructions of one kind that a line's loads and stores became.

    `what` is `load`, `store`, `atomic`, `async copy`, `TMA load` or `TMA store`; `space` is
    `global`, `shared` or `local`. `bits` is the width of one instruction for one thread, 0 for TMA,
    where one thread moves a whole tile.
    """

    what: str
    space: str
    bits: int
    count: int


@dataclass(frozen=True)
class LineCode:
    """What one source line became; counts are instructions in the code, not executions.

    `matrix` counts matrix instructions by name (`HGMMA.64x128x16.F32`, `v_mfma_f32_32x32x8_f16`).
    `conversions` counts changes of a tensor's layout (TTGIR), most of which go through shared
    memory or shuffles; `barriers` where the threads of a program wait for one another.
    `spill_bytes` is bytes a thread stores to and loads from where registers are spilled, each
    instruction counted once; arrays on the stack are no spills.
    """

    line: int
    counts: tuple[tuple[InstructionKind, int], ...]
    accesses: tuple[Access, ...] = ()
    matrix: tuple[tuple[str, int], ...] = ()
    conversions: int = 0
    barriers: int = 0
    spill_bytes: int = 0

    @property
    def instructions(self) -> int:
        """How many instructions the line became."""
        return sum(count for _, count in self.counts)


@dataclass(frozen=True)
class MachineCode:
    """A compiled launch, by source line of its file.

    A line of a helper counts for the helper's line and for every line of the file that the call
    came through, so the lines' sum may exceed `total`, which counts each instruction once.
    `elsewhere` counts those that no line of the file is behind.
    """

    launch: int
    config: Config
    target: str
    lines: tuple[LineCode, ...]
    total: tuple[tuple[InstructionKind, int], ...]
    elsewhere: int = 0
    notes: tuple[str, ...] = ()
