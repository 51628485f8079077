"""Targets: GPU architectures to compile for, and what is known of the GPUs that have them."""

from __future__ import annotations

import functools
import re
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from playground.model.resources import assets_dir

if TYPE_CHECKING:
    from collections.abc import Iterable

DEFAULT_TARGET = "cuda:90"
"""What is compiled for where there is no GPU and nobody chose."""

Backend = Literal["cuda", "hip"]


class TargetError(ValueError):
    """A target that names no architecture; the message says how to write one."""


@dataclass(frozen=True)
class Target:
    """A GPU architecture by Triton's own names: `cuda` with 90, or `hip` with `gfx942`."""

    backend: Backend
    arch: int | str

    @property
    def name(self) -> str:
        """Return `cuda:90` or `hip:gfx942`."""
        return f"{self.backend}:{self.arch}"

    @property
    def warp_size(self) -> int:
        """Threads of a warp: 64 on AMD's gfx9 architectures (CDNA), 32 on everything else."""
        return 64 if str(self.arch).startswith("gfx9") else 32


@dataclass(frozen=True)
class Gpu:
    """One GPU: its limits per multiprocessor and program, its memory, its peak rates.

    "Multiprocessor" is a compute unit on AMD hardware (a workgroup processor on RDNA), "warp" a
    wavefront. Registers are 32-bit; `register_unit` is how many are handed to a warp at a time.
    `shared_reserved_bytes` is what the driver keeps of every program's shared memory.
    `peak_tflops` is dense, by `fp16`, `bf16`, `tf32`, `fp32`, `fp8`; a rate that its maker does
    not state is missing. `source` says where the figures come from.
    """

    name: str
    target: str
    multiprocessors: int
    warp_size: int
    max_threads_per_block: int
    max_warps_per_sm: int
    max_blocks_per_sm: int
    registers_per_sm: int
    max_registers_per_thread: int
    register_unit: int
    shared_per_sm_bytes: int
    shared_per_block_bytes: int
    shared_reserved_bytes: int
    shared_unit_bytes: int
    l2_bytes: int
    memory_bytes: int
    bandwidth_gbps: float
    peak_tflops: tuple[tuple[str, float], ...]
    source: str

    def peak(self, kind: str) -> float | None:
        """Return the peak rate in TFLOP/s for `fp16`, `fp8` and so on, or None if not known."""
        return dict(self.peak_tflops).get(kind)


def parse_target(text: str) -> Target:
    """Return the target that `text` names.

    Raises
    ------
    TargetError
        `text` is not of the form `cuda:90` or `hip:gfx942`; the message says what was meant.
    """
    given = text.strip()
    backend, colon, arch = given.partition(":")
    backend, arch = backend.strip().lower(), arch.strip().lower()
    if colon and backend == "cuda":
        # People write the compute capability (9.0) and the compiler's name (sm_90a) for one thing.
        digits = re.fullmatch(r"(?:sm_?)?(\d+)(?:\.(\d))?a?f?", arch)
        if digits:
            number = int(digits[1]) * 10 + int(digits[2]) if digits[2] else int(digits[1])
            if 70 <= number < 200:
                return Target("cuda", number)
    if colon and backend == "hip" and re.fullmatch(r"gfx[0-9a-f]{3,4}", arch):
        return Target("hip", arch)
    raise TargetError(f"{text!r} is not a target{_meant(given)}")


def _meant(text: str) -> str:
    low = text.lower()
    if number := re.fullmatch(r"(?:sm_?|compute_)?(\d{2,3})a?", low):
        return f": write cuda:{number[1]}"
    if low.startswith("gfx"):
        return f": write hip:{low}"
    for gpu in gpus():
        if low and low in gpu.name.lower():
            return f": for {gpu.name} write {gpu.target}"
    return f"; targets are {', '.join(known_targets())}"


@functools.lru_cache(maxsize=1)
def gpus() -> tuple[Gpu, ...]:
    """Return every GPU of the bundled table, in its order."""
    with (assets_dir() / "gpus.toml").open("rb") as file:
        table = tomllib.load(file)
    return tuple(
        Gpu(**{**row, "peak_tflops": tuple((k, float(v)) for k, v in row["peak_tflops"].items())})
        for row in table["gpu"]
    )


def known_targets() -> tuple[str, ...]:
    """Return every target of the table, each once, in its order."""
    return tuple(dict.fromkeys(gpu.target for gpu in gpus()))


def facts_for(target: str, name: str = "") -> Gpu | None:
    """Return the GPU that stands for `target`, or None where the table has none of it.

    `name` is the name the machine's own GPU gives itself; among GPUs of one target it picks the
    one meant (H100 and H200 are both `cuda:90`).
    """
    wanted = parse_target(target).name
    rows = [gpu for gpu in gpus() if gpu.target == wanted]
    if not rows:
        return None
    given = _words(name)
    return max(rows, key=lambda gpu: len(_words(gpu.name) & given))


def _words(name: str) -> set[str]:
    return set(re.findall(r"[a-z0-9]+", name.lower()))


def target_label(target: str) -> str:
    """Return `cuda:90 (NVIDIA H100 SXM, NVIDIA H200)`, for people."""
    parsed = parse_target(target).name
    names: Iterable[str] = [gpu.name for gpu in gpus() if gpu.target == parsed]
    joined = ", ".join(names)
    return f"{parsed} ({joined})" if joined else parsed
