"""A limit to the engine's memory: a driver that wants too much is refused, and nobody is killed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import psutil

if sys.platform != "win32":
    import resource

SHARE = 0.9
"""Of the machine's memory, for one process."""
_CGROUP_FILES = (
    "/sys/fs/cgroup/memory.max",
    "/sys/fs/cgroup/memory/memory.limit_in_bytes",
)


def machine_bytes() -> int:
    """Return the memory of the machine, or of the container where that is less."""
    whole: int = psutil.virtual_memory().total
    for name in _CGROUP_FILES:
        try:
            text = Path(name).read_text(encoding="ascii").strip()
        except OSError:
            continue
        if text.isdigit():
            whole = min(whole, int(text))
    return whole


def limit_bytes() -> int | None:
    """Return what one process may have; `PLAYGROUND_MEMORY_LIMIT_MB` sets it, 0 means no limit."""
    given = os.environ.get("PLAYGROUND_MEMORY_LIMIT_MB", "")
    if given.isdigit():
        return int(given) << 20 or None
    return round(machine_bytes() * SHARE)


def apply() -> None:
    """Have the system refuse this process, and those it starts, more memory than `limit_bytes`.

    Counted is what can be written and is nobody else's (RLIMIT_DATA): address space that CUDA only
    reserves, files and libraries do not count. A lower limit that was there before stays.
    Windows has no such limit.
    """
    limit = limit_bytes()
    if limit is None or sys.platform == "win32":
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    known = [value for value in (limit, soft, hard) if value != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_DATA, (min(known), hard))


def refusal(error: BaseException) -> str:
    """Return a sentence about memory that was refused, empty if `error` is of something else."""
    text = str(error)
    if not (isinstance(error, MemoryError) or "can't allocate memory" in text):
        return ""
    soft = _limit_here()
    if soft is None:
        return "the machine has no memory left for this"
    return f"this wants more memory than the {soft / 1e9:.1f} GB that the engine may have"


def _limit_here() -> int | None:
    if sys.platform == "win32":
        return None
    soft, _ = resource.getrlimit(resource.RLIMIT_DATA)
    return None if soft == resource.RLIM_INFINITY else soft
