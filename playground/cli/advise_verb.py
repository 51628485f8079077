"""The verb `advise`: what there is to say about a launch, and what came of trying it."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from playground.cli import schema
from playground.cli.work import FailedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.cli.schema import Json
    from playground.cli.work import Work
    from playground.model.advice import Advice, Advisory, Try, TryResult


def advise(work: Work) -> None:
    """Go through the checklist; with `--try` measure what is offered."""
    advisory = work.attempt(
        "timing",
        "looking for advice",
        lambda: work.session.advise(work.launch.index, work.config, work.task.target, work.job),
    )
    results: dict[Try, TryResult] = {}
    work.report.put("advice", document(advisory, results))
    if not work.task.attempt:
        return
    for item in advisory.items:
        for attempt in item.tries:
            with contextlib.suppress(FailedError):
                results[attempt] = work.attempt(
                    "timing", f"trying {attempt.label}", _trying(work, attempt)
                )
    work.report.put("advice", document(advisory, results))


def _trying(work: Work, attempt: Try) -> Callable[[], TryResult]:
    return lambda: work.session.try_advice(
        attempt, work.launch.index, work.config, work.task.cache, job=work.job
    )


def document(advisory: Advisory, results: dict[Try, TryResult]) -> Json:
    """Return advice in JSON's own types."""
    first = advisory.first
    return {
        **schema.record(advisory),
        "first": first.cause if first is not None else None,
        "items": [_item(item, results) for item in advisory.items],
    }


def _item(item: Advice, results: dict[Try, TryResult]) -> Json:
    gain = item.gain
    return {
        **schema.record(item),
        "gain": None if gain is None else {**schema.record(gain), "text": gain.text()},
        "tries": [_try(attempt, results.get(attempt)) for attempt in item.tries],
    }


def _try(attempt: Try, result: TryResult | None) -> Json:
    found: Json | None = None
    if result is not None:
        compared = result.comparison
        found = {
            "status": result.status,
            "text": result.text(),
            "gain": result.gain,
            "comparison": None if compared is None else schema.comparison(compared),
        }
    return {**schema.record(attempt), "values": dict(attempt.values), "result": found}
