"""Which requests wait for an answer, so that a kernel which lost the window's comms is noticed."""

from __future__ import annotations

from playground.model.finding import Finding

LOST = Finding(
    "warning", "engine", "the connection to the engine was taken away and made anew",
    "code that runs in the console can do that (`comm_manager`); ask again for what was under way",
)  # fmt: skip


class CommWatch:
    """Messages by their id, and the jobs that they asked for."""

    def __init__(self) -> None:
        self._jobs: dict[str, int] = {}

    def sent(self, message: str, job: int) -> None:
        """Note that the message with this id asks for `job`."""
        if message:
            self._jobs[message] = job

    def answered(self, job: int) -> None:
        """Note that a job has ended."""
        for message in [m for m, number in self._jobs.items() if number == job]:
            del self._jobs[message]

    def is_unanswered(self, message: str) -> bool:
        """Tell whether the job of a message that the kernel is done with has not ended."""
        return message in self._jobs

    def forget(self) -> tuple[int, ...]:
        """Forget all; return the jobs that have not ended."""
        jobs = tuple(sorted({job for job in self._jobs.values() if job}))
        self._jobs.clear()
        return jobs
