"""Requests about what the compiler made of a launch, done with a session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.engine.job import Job
    from playground.protocol.messages import Reply


JOBS: dict[type, Callable[[Any, Any, Job], Reply | None]] = {}
"""What does each request."""
