"""The fastest configs of a sweep on other inputs: another seed, and sizes that no block divides."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from playground.engine.bench_messages import Proved
from playground.engine.job import CancelledError

if TYPE_CHECKING:
    from playground.engine.bench_messages import Prove
    from playground.engine.job import Job
    from playground.engine.session import Session
    from playground.model.config import Config


class _NoOtherInputs(Exception):
    """The file does not run on those inputs, or is wrong there whatever the config."""


def proved(session: Session, launch: int, order: Prove, job: Job) -> Proved:
    """Check configs, the best first, in another run of the file; the first is always looked at.

    Where the file does not run at the ragged sizes, or its own config is wrong there, only the seed
    is another one: that says nothing against a config.
    """
    why = ""
    for sizes in dict.fromkeys((order.sizes, ())):
        try:
            return _proved(session, launch, order, sizes, job)
        except _NoOtherInputs as error:
            why = why or str(error)
    return Proved(note=why)


def _proved(
    session: Session, launch: int, order: Prove, sizes: tuple[tuple[str, int], ...], job: Job
) -> Proved:
    from playground.engine.session import Session as Sibling

    at = " ".join([*(f"{name}={value}" for name, value in sizes), f"seed={order.seed}"])
    other = Sibling(session.device)
    try:
        other.load(session.path, session.text)
        other.wanted_seed = order.seed
        around = session.surroundings
        told = other.run(
            session.driver, {**session.sizes, **dict(sizes)}, job,
            benchmarks=around.benchmarks, tuning=around.tuning,
        )  # fmt: skip
        kernel = session.launches[launch].info.kernel
        if launch >= len(told.launches) or told.launches[launch].kernel != kernel:
            errors = [item.message for item in told.findings if item.severity == "error"]
            raise _NoOtherInputs(f"not at {at}: {(errors or ['it launches something else'])[0]}")
        found = _each(session, other, launch, order, at, job)
        own = other.launches[launch].info.config
        # A kernel that is wrong there under its own config says nothing against another.
        if not found.right and other.judge(launch, own, job).result.status != "correct":
            raise _NoOtherInputs(f"not at {at}: {own.label()} is not right there either")
        return found
    finally:
        other.close()


def _each(session: Session, other: Session, launch: int, order: Prove, at: str, job: Job) -> Proved:
    began = time.perf_counter()
    here = session.launches[launch].info.config
    right: list[Config] = []
    wrong: list[tuple[Config, str]] = []
    for config in order.configs:
        if right and time.perf_counter() - began > order.seconds:
            break
        try:
            result = other.judge(launch, _there(config, here, other, launch), job).result
        except (CancelledError, KeyboardInterrupt):
            raise
        except Exception as error:
            if session.is_fatal(error):
                wrong.append((config, f"at {at}: {session.finding(error, 'sweep').message}"))
                break
            continue  # it may not fit there: that is another problem's business
        if result.status == "wrong":
            wrong.append((config, f"at {at}: {result.text()}"))
        elif result.status == "correct":
            right.append(config)
    return Proved(tuple(right), tuple(wrong), at)


def _there(config: Config, here: Config, other: Session, launch: int) -> Config:
    """Return a config as it is on the other inputs: what those dictate (a row length) stays."""
    own = other.launches[launch].info.config
    same = {
        name: value
        for name, value in config.values
        if name in own and name in here and own[name] == here[name]
    }
    return own.updated(same)
