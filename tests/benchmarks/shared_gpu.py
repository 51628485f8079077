"""One GPU for several processes of a benchmark: who times something has it alone.

Compiling takes most of an advisor's time and leaves the GPU idle, so several processes work side by
side. What only has to be right (a run of the file, a count, a check) shares the GPU; what is timed
has it alone, or its times would be those of all. Two locked files do it, which the end of a process
frees: who wants the GPU alone shuts the gate, and waits until those who are in have left.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import os
from typing import TYPE_CHECKING, Any

from playground.engine import ceilings, contestants
from playground.engine.advisor import advise
from playground.engine.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

SHARED = ("run", "coverage", "judge", "steps", "reuse")
ALONE = ("schedule", "_timed")


class SharedGpu:
    """The lock of one process; entered again within itself it stays as it is.

    Parameters
    ----------
    folder
        Where the two files of the lock are made; the same for every process.
    """

    def __init__(self, folder: Path) -> None:
        flags = os.O_RDWR | os.O_CREAT
        self._gate = os.open(folder / "gate", flags, 0o600)
        self._room = os.open(folder / "room", flags, 0o600)
        self._inside = False

    @contextlib.contextmanager
    def held(self, *, alone: bool) -> Iterator[None]:
        """Have the GPU meanwhile, alone or with others."""
        if self._inside:
            yield
            return
        kind = fcntl.LOCK_EX if alone else fcntl.LOCK_SH
        fcntl.flock(self._gate, kind)
        fcntl.flock(self._room, kind)
        fcntl.flock(self._gate, fcntl.LOCK_UN)
        self._inside = True
        try:
            yield
        finally:
            self._inside = False
            fcntl.flock(self._room, fcntl.LOCK_UN)

    def during(self, function: Callable[..., Any], *, alone: bool) -> Callable[..., Any]:
        """Return `function`, which has the GPU while it runs."""

        @functools.wraps(function)
        def held(*arguments: Any, **keywords: Any) -> Any:
            with self.held(alone=alone):
                return function(*arguments, **keywords)

        return held

    def serve(self) -> None:
        """Let everything in this process that uses the GPU for an advisor hold it meanwhile."""
        for names, alone in ((SHARED, False), (ALONE, True)):
            for name in names:
                setattr(Session, name, self.during(getattr(Session, name), alone=alone))
        ceilings.ceilings = self.during(ceilings.ceilings, alone=True)  # type: ignore[assignment]
        for module in (advise, contestants):
            module.compare = self.during(module.compare, alone=True)  # type: ignore[attr-defined]
