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

    @property
    def share_text(self) -> str:
        """Active warps as a share of those a multiprocessor can hold (`12.5 %`)."""
        return f"{100 * self.warps_per_sm / max(self.max_warps_per_sm, 1):.3g} %"


@dataclass(frozen=True)
class Gain:
    """What would let a multiprocessor hold more than now: a resource or knob, and its value.

    `resource` is `registers` or `shared memory` (`value` is the most that may be taken, by a thread
    or in bytes by a program), `registers and shared memory` where it takes both (`value` is the
    registers), or `num_warps` (`value` is another number of them). `text` says it for people, with
    the knobs that get there where they can be told.
    """

    resource: str
    value: int
    programs_per_sm: int
    text: str


@dataclass(frozen=True)
class Waves:
    """How often the grid fills the GPU: `programs` of it over the `per_wave` held at once.

    The last wave is `last_wave` full (0 to 1]; 1.0 where the grid comes out even.
    """

    programs: int
    per_wave: int

    @property
    def count(self) -> float:
        """Waves, the last one in part."""
        return self.programs / self.per_wave

    @property
    def last_wave(self) -> float:
        """How full the last wave is."""
        return ((self.programs - 1) % self.per_wave + 1) / self.per_wave


@dataclass(frozen=True)
class SharedBuffer:
    """A buffer in shared memory: `count` blocks of `shape`, which line `line` of `file` fills.

    `name` is the variable it is for; name, file and line are empty where they cannot be told.
    `bytes` are of all its blocks together, with padding; `knobs` make it as large as it is.
    """

    name: str
    file: str
    line: int
    count: int
    shape: tuple[int, ...]
    dtype: str
    bytes: int
    knobs: tuple[str, ...] = ()

    def text(self) -> str:
        """Return `a (line 9): 4 x 128x64 fp16 = 65536 bytes (num_stages, M, BK)`."""
        place = f"line {self.line}" if self.line else "no line known"
        label = f"{self.name} ({place})" if self.name else place
        times = f"{self.count} x " if self.count > 1 else ""
        block = f"{times}{'x'.join(map(str, self.shape))} {self.dtype} = {self.bytes} bytes"
        return f"{label}: {block}" + (f" ({', '.join(self.knobs)})" if self.knobs else "")


@dataclass(frozen=True)
class CompileReport:
    """Resources of one compiled config; None where the target does not report the figure.

    `registers` are those of a thread (on AMD vector and accumulation registers together, which
    `register_kinds` tells apart: `VGPR`, `AGPR`, `SGPR`). `spill_bytes` is per-thread local memory
    traffic reserved for spilled registers, `stack_bytes` the stack frame (scratch on AMD);
    `shared_bytes` is dynamic shared memory per program, `static_shared_bytes` what the code itself
    declares on top, `shared_limit_bytes` what the target allows one program. `fits` is False when
    the config compiles but cannot launch. `gains` are the nearest ways to hold more at once, and
    `waves` is about the captured grid under this config. `stated_warps` are the warps a SIMD that
    AMD's compiler states itself: it knows nothing of shared memory asked for at the launch.
    `shared_buffers` are what holds shared memory, the largest first.
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
    static_shared_bytes: int | None = None
    gains: tuple[Gain, ...] = ()
    waves: Waves | None = None
    register_kinds: tuple[tuple[str, int], ...] = ()
    stated_warps: int | None = None
    shared_buffers: tuple[SharedBuffer, ...] = ()
