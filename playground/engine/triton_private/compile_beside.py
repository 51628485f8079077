"""Compiling a copy of a kernel in a thread of its own, so that a cancelled job need not wait."""

from __future__ import annotations

import queue
import threading
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.engine.job import Job


def compile_beside(compile_copy: Callable[[], None], device: torch.device, job: Job) -> None:
    """Run `compile_copy` in another thread and wait for it; what it raises is raised here.

    It takes seconds for a large kernel, and nothing can stop a compile. A cancelled job stops
    waiting at once, so the next slider move is not held up; the copy is kept when it is done.
    """
    done: queue.SimpleQueue[BaseException | None] = queue.SimpleQueue()

    def work() -> None:
        try:
            with torch.cuda.device(device):
                compile_copy()
            done.put(None)
        except BaseException as error:
            done.put(error)  # raised again where somebody waits for it

    threading.Thread(target=work, name="copy of the kernel", daemon=True).start()
    while True:
        try:
            failure = done.get(timeout=0.01)
        except queue.Empty:
            job.check()
            continue
        try:
            if failure is not None:
                raise failure
        finally:
            del failure  # it knows this frame, which would hold it
        return
