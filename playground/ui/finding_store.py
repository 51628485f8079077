"""Findings by the work they came from, so that new work replaces what it said before."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playground.model.finding import Finding

_ORDER = {"error": 0, "warning": 1, "hint": 2, "info": 3}


class FindingStore:
    """One tuple of findings per source (`outline`, `run`, `compile`, `check` …)."""

    def __init__(self) -> None:
        self._by_source: dict[str, tuple[Finding, ...]] = {}

    def put(self, source: str, findings: tuple[Finding, ...]) -> bool:
        """Replace what `source` said; tells whether that changed anything."""
        if self._by_source.get(source, ()) == findings:
            return False
        self._by_source[source] = findings
        return True

    def clear(self) -> None:
        """Forget everything."""
        self._by_source.clear()

    def merged(self) -> tuple[Finding, ...]:
        """Return all findings once each, errors first, otherwise in the order of their sources."""
        unique: dict[object, Finding] = {}
        for finding in (f for findings in self._by_source.values() for f in findings):
            key = _same(finding)
            # The run and the compiler can stumble over one line: what helps most is kept.
            if key not in unique or len(finding.hint) > len(unique[key].hint):
                unique[key] = finding
        return tuple(sorted(unique.values(), key=lambda finding: _ORDER[finding.severity]))


def _same(finding: Finding) -> object:
    """Return what two findings about one thing have in common."""
    if not finding.line:
        return finding
    message = re.sub(r"^\w+(Error|Exception): ", "", finding.message)
    return finding.severity, finding.file, finding.line, message
