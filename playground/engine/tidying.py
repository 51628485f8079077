"""Memory that nobody uses any more, given back while the engine rests.

A module that ran is a ring of references: its functions know its globals, and those the functions.
Only Python's collector frees what it holds, tensors included, and by itself that one hardly ever
looks at what is old: it goes by how many objects there are, not by how large they are. What it
frees lies in pieces between what is still in use, and the C library keeps it for the process.
"""

from __future__ import annotations

import ctypes
import gc
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

REST_S = 1.0
"""From the last job until the garbage is collected: that takes a tenth of a second."""
MOST_OWED = 20
"""Jobs that left garbage, and after which it is not left for a rest that may never come."""
MOST_JOBS = 200
"""The same for any jobs: each leaves a little."""


class Loop(Protocol):
    """What calls back later; tornado's loop does."""

    def call_later(self, delay: float, callback: Callable[[], None]) -> object:
        """Call `callback` in `delay` seconds; what is returned stops that."""

    def remove_timeout(self, timeout: object) -> None:
        """Stop what `call_later` returned."""


class Tidying:
    """Counts what may have left garbage, and collects it; all in the thread that does the jobs.

    Parameters
    ----------
    loop
        The loop of that thread.
    """

    def __init__(self, loop: Loop) -> None:
        self._loop = loop
        self._timeout: object = None
        self._owed = 0
        self._jobs = 0

    def begin(self) -> None:
        """End the rest: a job begins."""
        if self._timeout is not None:
            self._loop.remove_timeout(self._timeout)
            self._timeout = None

    def end(self, *, littered: bool) -> None:
        """Begin to rest; `littered` says that the job may have left modules or tracebacks."""
        self._jobs += 1
        self._owed += littered
        if self._owed >= MOST_OWED or self._jobs >= MOST_JOBS:
            self.tidy()
            return
        self.begin()
        self._timeout = self._loop.call_later(REST_S, self.tidy)

    def tidy(self) -> None:
        """Collect the garbage now, and hand memory back to the system."""
        self.begin()
        self._owed = self._jobs = 0
        gc.collect()
        trim()


def trim() -> None:
    """Hand back what the C library holds without using it; other libraries than glibc keep it."""
    give_back = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if give_back is not None:
        give_back(ctypes.c_size_t(0))


def set_apart() -> None:
    """Take what is there now out of every later collection: libraries, which stay.

    It makes one ten times shorter. Without a GPU `made_since` does so for moments, and needs all.
    """
    gc.collect()
    gc.freeze()
