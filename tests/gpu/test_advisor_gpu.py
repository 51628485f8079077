"""On a GPU: the advisor names planted causes first, leaves twins alone, and its tries gain."""

from __future__ import annotations

import pytest

from tests.engine.advisor.table import CASES
from tests.engine.conftest import RunEngine

pytestmark = pytest.mark.gpu

NAMED, GAINING = 30, 25


def test_causes_are_named_twins_left_alone_and_tries_gain(run_engine: RunEngine) -> None:
    assert len(CASES) >= NAMED
    found = run_engine(
        f"""
        sys.path.insert(0, {str(CASES[0].path.parents[4])!r})
        from playground.engine.session import Session
        from tests.benchmarks.advisor_tries import CASES, line, measured

        session = Session()
        rows = [measured(session, case) for case in CASES]
        session.close()
        answer([[row.case.name, row.named, row.silent, row.gains, line(row)] for row in rows])
        """,
        interpret=False,
    )
    table = "\n".join(row[4] for row in found)
    assert sum(row[1] for row in found) >= NAMED, table
    assert sum(row[2] for row in found) >= NAMED, table
    assert sum(row[3] for row in found) >= GAINING, table
