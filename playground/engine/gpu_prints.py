"""What kernels print on a GPU: taken from the process's standard output, at its descriptor.

The driver writes the lines when the process waits for the GPU. They go to a file meanwhile, and
what Python or anybody else writes there is told apart by its form.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
import tempfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

PRINTF_BYTES = 16 << 20
"""Print buffer asked for: CUDA's own is 1 MB, about 20,000 lines, and overwrites the oldest."""
_PRINTF_FIFO = 1  # CU_LIMIT_PRINTF_FIFO_SIZE
_MOST_BYTES = 64 << 20


class Written:
    """What was written to standard output meanwhile."""

    def __init__(self) -> None:
        self.text = ""
        self.cut = False

    def lines(self) -> list[str]:
        """Return its lines."""
        return self.text.splitlines()


@contextlib.contextmanager
def standard_output_taken() -> Iterator[Written]:
    """Keep what the whole process writes to descriptor 1; wait for the GPU before it ends."""
    written = Written()
    libc = ctypes.CDLL(None)
    with tempfile.TemporaryFile(prefix="pg-prints-") as file:
        sys.stdout.flush()
        libc.fflush(None)
        before = os.dup(1)
        os.dup2(file.fileno(), 1)
        try:
            yield written
        finally:
            # The driver prints through C's buffer, which would be emptied into the old descriptor.
            libc.fflush(None)
            os.dup2(before, 1)
            os.close(before)
        size = os.fstat(file.fileno()).st_size
        start = max(0, size - _MOST_BYTES)
        written.cut = start > 0
        written.text = os.pread(file.fileno(), _MOST_BYTES, start).decode(errors="replace")


@contextlib.contextmanager
def silenced() -> Iterator[None]:
    """Throw away what the process writes to descriptor 1; wait for the GPU before and at the end.

    What was written before comes out first.
    """
    libc = ctypes.CDLL(None)
    sys.stdout.flush()
    libc.fflush(None)
    before, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    try:
        yield
    finally:
        libc.fflush(None)
        os.dup2(before, 1)
        os.close(before)


def buffer_size() -> int | None:
    """Return the bytes of the GPU's print buffer, None where that cannot be told."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None
    size = ctypes.c_size_t(0)
    # It can be enlarged only before the first kernel that prints; else it stays as it is.
    driver.cuCtxSetLimit(ctypes.c_int(_PRINTF_FIFO), ctypes.c_size_t(PRINTF_BYTES))
    if driver.cuCtxGetLimit(ctypes.byref(size), ctypes.c_int(_PRINTF_FIFO)) != 0:
        return None
    return size.value
