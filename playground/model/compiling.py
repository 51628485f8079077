"""What the compiler made of a config for a target."""

from __future__ import annotations

from dataclasses import dataclass

from playground.model.config import Config


@dataclass(frozen=True)
class StageTime:
    """Time one compiler stage took, in ms."""

    stage: str
    time_ms: float


@dataclass(frozen=True)
class Occupancy:
    """Theoretical occupancy: active programs (CTAs) and warps per multiprocessor, its limiter."""

    programs_per_sm: int
    warps_per_sm: int
    max_warps_per_sm: int
    limiter: str


@dataclass(frozen=True)
class CompileReport:
    """Resources of one compiled config; None where the target does not report the figure.

    `spill_bytes` is per-thread local memory traffic reserved for spilled registers, `stack_bytes`
    the stack frame; `shared_bytes` is dynamic shared memory per program, `shared_limit_bytes`
    what the target allows one program. `fits` is False when the config compiles but cannot launch.
    """

    launch: int
    config: Config
    target: str
    kernel: str
    registers: int | None
    spill_bytes: int | None
    stack_bytes: int | None
    shared_bytes: int
    shared_limit_bytes: int | None
    threads: int
    fits: bool
    stage_times: tuple[StageTime, ...]
    total_ms: float
    cache_hit: bool
    stages: tuple[str, ...]
    occupancy: Occupancy | None = None
    notes: tuple[str, ...] = ()
