"""A compile worker as a process: what it was told, and what is awaited of it.

Torch is imported when the first message is made, so that one can be started before this process
has it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from playground.engine import machine
from playground.engine.child_process import ChildProcess, usable_cores

if TYPE_CHECKING:
    from collections.abc import Iterable

    from playground.engine.compile_messages import Numbered, UseFile
    from playground.engine.stages_reached import Reached

_MOST_WORKERS = 16


def most_workers() -> int:
    """Return how many workers this machine is good for."""
    return min(len(usable_cores()) or os.cpu_count() or 1, _MOST_WORKERS)


class WorkerProcess(ChildProcess):
    """One compile worker, the file it has, and what is awaited of it."""

    def __init__(self, cores: Iterable[int] = ()) -> None:
        super().__init__("playground.engine.compile_worker", machine.compile_environment(), cores)
        self._number = 0
        self.generation = 0
        self.files_taken = 0
        self.awaited: int | None = None
        self.reached: Reached | None = None
        self.deadline = 0.0

    def send(self, content: Any) -> int:
        """Send a message; return its number."""
        from playground.engine.compile_messages import Numbered

        self._number += 1
        self.send_object(Numbered(self._number, content))
        return self._number

    def take(self, use: UseFile) -> None:
        """Hand over the file unless the worker has this very text already."""
        if self.generation != use.generation:
            self.send(use)
            self.generation = use.generation
            self.files_taken += 1

    def receive(self) -> Numbered:
        """Return the next message; raises `EOFError` or `OSError` when the worker died."""
        message: Numbered = self.receive_object()
        return message
