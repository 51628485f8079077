"""What the file's `reference` gives, beside what the driver returned."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from playground.engine import drivers
from playground.engine.checking import Expected, pair_up

if TYPE_CHECKING:
    from playground.engine.session import Session
    from playground.model.finding import Finding


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
