"""A sweep that the store holds: what it was of, where it ran, and how far it came."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from playground.model.config import Config, label
from playground.model.knobs import KnobValue
from playground.model.measurement import CacheMode
from playground.model.sweep_plan import Strategy

SweepState = Literal["running", "cancelled", "done"]


@dataclass(frozen=True)
class PastSweep:
    """One sweep of the store; times are seconds since 1970.

    `state` is `running` also where the process was killed meanwhile. `code` is the hash of the
    kernel and all it calls; `arguments` are the others' names with what they were, as text.
    """

    number: int
    title: str
    state: SweepState
    started: float
    ended: float | None
    rows: int
    best_ms: float | None
    kernel: str = ""
    file: str = ""
    launch: int = 0
    code: str = ""
    arguments: tuple[tuple[str, str], ...] = ()
    sizes: tuple[tuple[str, int], ...] = ()
    gpu: str = ""
    target: str = ""
    driver: str = ""
    cuda: str = ""
    torch: str = ""
    triton: str = ""
    mode: str = ""
    cache: CacheMode | None = None
    space: tuple[tuple[str, tuple[KnobValue, ...]], ...] = ()
    where: tuple[str, ...] = ()
    listed: tuple[Config, ...] = ()
    strategy: Strategy = "auto"
    most: int | None = None

    @property
    def is_unfinished(self) -> bool:
        """Whether something of it is left to try."""
        return self.state != "done"

    def machine(self) -> str:
        """Return the device and the versions that times depend on, for people."""
        parts = [self.gpu, f"triton {self.triton}" if self.triton else ""]
        return ", ".join(part for part in parts if part)


_FACTS = (
    ("kernel", "kernel"), ("code", "code of the kernel"), ("sizes", "problem sizes"),
    ("arguments", "arguments"), ("gpu", "GPU"), ("target", "target"), ("driver", "driver"),
    ("cuda", "CUDA"), ("torch", "torch"), ("triton", "triton"), ("mode", "mode"),
    ("cache", "L2"),
)  # fmt: skip


def differences(before: PastSweep, after: PastSweep) -> tuple[tuple[str, str, str], ...]:
    """Return what two sweeps do not share, apart from their configs: name, before, after.

    Hashes of code are cut to what tells them apart; arguments are named where they differ.
    """
    found: list[tuple[str, str, str]] = []
    for name, title in _FACTS:
        one, other = getattr(before, name), getattr(after, name)
        if one == other:
            continue
        if name == "code":
            found.append((title, str(one)[:8], str(other)[:8]))
        elif name in ("sizes", "arguments"):
            first, second = dict(one), dict(other)
            moved = [key for key in {**first, **second} if first.get(key) != second.get(key)]
            found.append((title, label({k: first.get(k) for k in moved}),
                          label({k: second.get(k) for k in moved})))  # fmt: skip
        else:
            found.append((title, str(one or "unknown"), str(other or "unknown")))
    return tuple(found)
