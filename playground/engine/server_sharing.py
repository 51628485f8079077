"""Requests for what others are to see, done with a session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from playground.protocol.sharing import Share

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.engine.job import Job
    from playground.model.finding import Stage
    from playground.protocol.messages import Reply


def _share(session: Any, request: Share, job: Job) -> Reply:
    if request.form == "report":
        from playground.engine.reporting import report

        return report(session, request.launch, request.config, job)
    from playground.engine.reproducer import reproducer

    return reproducer(session, request.launch, request.config)


JOBS: dict[type, Callable[[Any, Any, Job], Reply]] = {Share: _share}

STAGES: dict[type, Stage] = {Share: "export"}
