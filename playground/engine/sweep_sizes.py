"""A sweep at several problem sizes, each run in a session of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playground.engine.job import CancelledError
from playground.model.sweep_sizes import SizedSweep, Sizes, sizes_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from playground.engine.job import Job
    from playground.engine.session import Session
    from playground.model.launch import Launch
    from playground.model.sweep_plan import SweepPlan


class SizeError(ValueError):
    """A problem size that the driver does not have, or at which the launch is not there."""


def sweep_sizes(
    session: Session,
    launch: int,
    sizes: Sequence[Sizes],
    plan_for: Callable[[Launch, Sizes], SweepPlan],
    target: str | None,
    job: Job,
    on_done: Callable[[SizedSweep], None] = lambda _: None,
) -> tuple[SizedSweep, ...]:
    """Return a sweep for every combination of sizes; cancelling keeps those that are done.

    Parameters
    ----------
    session
        Left as it is.
    plan_for
        Makes the plan at one size: conditions may name sizes.
    on_done
        Told of each as it ends.

    Raises
    ------
    SizeError
        The driver has no such problem size, or launches something else at it.
    """
    from playground.engine.session import Session

    driver = session.driver
    known = {size.name for size in driver.sizes} if driver is not None else set()
    for combination in sizes:
        missing = [name for name, _ in combination if name not in known]
        if missing:
            raise SizeError(
                f"the driver has no problem size {missing[0]}; it has "
                f"{', '.join(sorted(known)) or 'none'} (integer keyword parameters of example)"
            )
    kernel = session.launches[launch].info.kernel
    found: list[SizedSweep] = []
    sibling = Session(session.device)
    try:
        sibling.load(session.path, session.text)
        for combination in sizes:
            job.progress(f"running at {sizes_text(combination)}", len(found) / len(sizes))
            around = session.surroundings
            told = sibling.run(
                driver, {**session.sizes, **dict(combination)}, job,
                benchmarks=around.benchmarks, tuning=around.tuning,
            )  # fmt: skip
            if launch >= len(told.launches) or told.launches[launch].kernel != kernel:
                errors = [item.text() for item in told.findings if item.severity == "error"]
                why = errors[0] if errors else f"launch {launch} is not {kernel} there"
                raise SizeError(f"at {sizes_text(combination)}: {why}")
            plan = plan_for(told.launches[launch], combination)
            done = SizedSweep(combination, sibling.sweep(launch, target=target, job=job, plan=plan))
            found.append(done)
            on_done(done)
            if done.result.cancelled:
                break
    except (CancelledError, KeyboardInterrupt):
        pass  # what is done is kept, as in a sweep of one size
    finally:
        sibling.close()
    return tuple(found)
