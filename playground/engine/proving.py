"""The fastest configs of a sweep on other inputs: another seed, and sizes that no block divides."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from playground.engine.bench_messages import Proved
from playground.engine.job import CancelledError
from playground.engine.other_inputs import NoOtherInputsError, OtherInputs

if TYPE_CHECKING:
    from playground.engine.bench_messages import Prove
    from playground.engine.job import Job
    from playground.engine.session import Session
    from playground.model.config import Config


def proved(
    session: Session, launch: int, order: Prove, job: Job, other: OtherInputs | None = None
) -> Proved:
    """Check configs, the best first, in another run of the file; the first is always looked at.

    Where the file does not run at the ragged sizes, or its own config is wrong there, only the seed
    is another one: that says nothing against a config.

    Parameters
    ----------
    other
        The run at the ragged sizes, if it was made before; it stays its owner's.
    """
    why = ""
    for sizes in dict.fromkeys((order.sizes, ())):
        try:
            if other is not None and other.made_for == (launch, order.seed, sizes):
                return _proved(session, other, launch, order, job)
            made = OtherInputs(session, launch, order.seed, sizes, job)
            try:
                return _proved(session, made, launch, order, job)
            finally:
                made.close()
        except NoOtherInputsError as error:
            why = why or str(error)
    return Proved(note=why)


def _proved(session: Session, other: OtherInputs, launch: int, order: Prove, job: Job) -> Proved:
    found = _each(session, other, launch, order, job)
    if found.fatal:
        return found  # nothing can be asked of this process any more
    own = other.own_config
    # A kernel that is wrong there under its own config says nothing against another.
    if not found.right and other.session.judge(launch, own, job).result.status != "correct":
        raise NoOtherInputsError(f"not at {other.at}: {own.label()} is not right there either")
    return found


def _each(session: Session, other: OtherInputs, launch: int, order: Prove, job: Job) -> Proved:
    began = time.perf_counter()
    right: list[Config] = []
    wrong: list[tuple[Config, str]] = []
    for config in order.configs:
        if right and time.perf_counter() - began > order.seconds:
            break
        try:
            result = other.session.judge(launch, other.there(config), job).result
        except (CancelledError, KeyboardInterrupt):
            raise
        except Exception as error:
            if session.is_fatal(error):
                finding = session.finding(error, "sweep")
                wrong.append((config, f"at {other.at}: {finding.message}"))
                return Proved(tuple(right), tuple(wrong), other.at, fatal=True)
            continue  # it may not fit there: that is another problem's business
        if result.status == "wrong":
            wrong.append((config, f"at {other.at}: {result.text()}"))
        elif result.status == "correct":
            right.append(config)
    return Proved(tuple(right), tuple(wrong), other.at)
