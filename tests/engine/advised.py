"""Advise on crippled kernels and their twins in this process; print what was said as JSON.

`python -m tests.engine.advised NAME...`: each is a case of `tests.engine.advisor.table`.
"""

import json
import sys

from playground.engine.session import Session
from tests.engine.advisor.table import CASES


def said(session, case, text):
    session.load(case.path, text)
    session.run(sizes=case.small)
    found = session.advise()
    first = found.first
    return {
        "first": first.cause if first else None,
        "line": first.line if first else None,
        "causes": [item.cause for item in found.items],
        "evidence": [each.text for each in first.evidence] if first else [],
        "measured": found.measured,
        "gain": first.gain.factor if first and first.gain else None,
        "tries": [attempt.label for attempt in first.tries] if first else [],
        "edits": bool(first and first.tries and first.tries[0].edits),
        "result": session.try_advice(first.tries[0]).status if first and first.tries else None,
    }


if __name__ == "__main__":
    session = Session()
    answers = {}
    for case in CASES:
        if case.name in sys.argv[1:]:
            answers[case.name] = [
                said(session, case, text) for text in (case.text(), case.twin_text())
            ]
    session.close()
    print("ANSWER" + json.dumps(answers))
