"""What the file's `reference` gives, beside what the driver returned."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from playground.engine import drivers
from playground.engine.checking import Expected, compare, pair_up, tolerances
from playground.model.finding import Finding

if TYPE_CHECKING:
    from playground.engine.capture import CapturedLaunch
    from playground.engine.session import Session


def expected(session: Session) -> tuple[list[Expected], tuple[Finding, ...]]:
    """Return the reference's tensors paired with the driver's, and what is to be said.

    A reference that raises is a finding, and the captured result stands in for it.
    """
    try:
        return _computed(session), ()
    except Exception as error:
        if session.is_fatal(error):
            raise
        finding = replace(session.finding(error, "check"), severity="warning")
        finding = replace(
            finding,
            message=f"reference() failed: {finding.message}",
            hint=finding.hint
            or "it is called with what the driver hands to example(), as far as "
            "it takes that; until it returns, the result is compared with the captured one",
        )
        return [], (finding,)


def _computed(session: Session) -> list[Expected]:
    if session.driver is None or session.result is None:
        return []
    code = drivers.reference_code(
        drivers.with_sizes(session.driver.code, session.sizes), session.namespace
    )
    if code is None:
        return []
    with session.as_before_the_driver():
        want = drivers.run_driver(code, session.namespace)
    return list(pair_up(session.result, want))


def differs_from_itself(session: Session, launch: CapturedLaunch) -> tuple[Finding, ...]:
    """Return a warning if `reference` gives something else when it is called once more.

    Each call starts from the state that the driver started from, random numbers included: what
    still differs was seeded by a clock, is not initialised, or comes from a call before.
    """
    before, _ = session.expected()
    try:
        again = _computed(session)
    except Exception as error:
        if session.is_fatal(error):
            raise
        again = []
    if len(before) == len(again) and all(
        _same(launch, one, two) for one, two in zip(before, again, strict=True)
    ):
        return ()
    return (
        Finding(
            "warning", "check",
            "reference() gives something else each time it is called: no result can agree with it",
            "let it make its inputs as example() does, from the same random numbers, and keep "
            "nothing from one call to the next",
            session.path, _line(session),
        ),
    )  # fmt: skip


def _same(launch: CapturedLaunch, one: Expected, two: Expected) -> bool:
    allowed = tolerances(launch, one.want.dtype)
    return not compare(one.label, one.want, two.want, *allowed).mismatches


def _line(session: Session) -> int | None:
    code = getattr(session.namespace.get("reference"), "__code__", None)
    return getattr(code, "co_firstlineno", None)
