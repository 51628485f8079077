"""What a run has to say of itself: each thing once, with the user's line that it is about."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from playground.engine import user_frames
from playground.model.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playground.model.finding import Severity


class RunNotes:
    """Collects findings while the user's code runs.

    Parameters
    ----------
    findings
        What was told so far, in order.
    skipped
        What the run left out, in words that complete "it …"; a run that launched nothing says so.
    """

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.skipped: list[tuple[str, tuple[str, int] | None]] = []

    def tell(
        self,
        message: str,
        hint: str = "",
        severity: Severity = "info",
        place: tuple[str, int] | None = None,
    ) -> None:
        """Add a finding at `place`, by default the user's line that is running; the same text once.

        Lines are not compared: what a loop says, or a second call, is the same thing.
        """
        if any(finding.message == message for finding in self.findings):
            return
        place = place or user_frames.innermost()
        self.findings.append(
            Finding(
                severity, "driver", message, hint,
                file=place[0] if place else None, line=place[1] if place else None,
            )
        )  # fmt: skip


_current: list[RunNotes] = []


def current() -> RunNotes | None:
    """Return the notes of the run that goes on in this process, or None between runs."""
    return _current[-1] if _current else None


def tell(
    message: str,
    hint: str = "",
    severity: Severity = "info",
    place: tuple[str, int] | None = None,
) -> None:
    """Add a finding to the notes of the run that goes on; between runs nobody is told."""
    if _current:
        _current[-1].tell(message, hint, severity, place)


@contextlib.contextmanager
def taking(notes: RunNotes) -> Iterator[RunNotes]:
    """Make `notes` those of the run that goes on meanwhile."""
    _current.append(notes)
    try:
        yield notes
    finally:
        _current.pop()
