"""What the engine runs on: a GPU, or Triton's interpreter on the CPU."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True)
class DeviceInfo:
    """The machine as the engine sees it.

    `mode` is `gpu`, or `interpreter` where there is none; then no timing is a GPU timing.
    `copy_ceiling_gbps` is the measured device-to-device copy rate (bytes read plus written), or
    None before it was measured.
    """

    mode: Literal["gpu", "interpreter"]
    name: str
    target: str
    torch: str
    triton: str
    python: str
    driver: str = ""
    cuda: str = ""
    multiprocessors: int | None = None
    l2_bytes: int | None = None
    memory_bytes: int | None = None
    copy_ceiling_gbps: float | None = None
    notes: tuple[str, ...] = field(default=())

    def badge(self) -> str:
        """Return the permanent label of the window's status bar."""
        if self.mode == "gpu":
            return self.name
        return "interpreter: no GPU timings"
