"""Findings by the work they came from, so that new work replaces what it said before."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from playground.model.finding import Finding

LIVE = ("file", "outline", "names", "edited")
"""Sources of findings that are about the text as it stands; all others are about what ran."""

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

    def merged(
        self, where: Mapping[int, int] | None = None, path: str = "", *, changed: bool = True
    ) -> tuple[Finding, ...]:
        """Return all findings once each, errors first, otherwise in the order of their sources.

        Parameters
        ----------
        where
            The lines of the text that ran in the text as it stands; None where both are one.
        path
            The file that the text is of.
        changed
            Keep what the run said of lines that were changed since, with their old numbers.
        """
        unique: dict[object, Finding] = {}
        found: list[Finding] = []
        for source, findings in self._by_source.items():
            if where is None or source in LIVE:
                found += findings
            else:
                found += placed(findings, where, path, changed=changed)
        for finding in found:
            key = _same(finding)
            # The run and the compiler can stumble over one line: what helps most is kept.
            if key not in unique or len(finding.hint) > len(unique[key].hint):
                unique[key] = finding
        return tuple(sorted(unique.values(), key=lambda finding: _ORDER[finding.severity]))


def placed(
    findings: tuple[Finding, ...], where: Mapping[int, int], path: str, *, changed: bool = False
) -> tuple[Finding, ...]:
    """Return findings about an older text of `path` with their lines in a newer one.

    Those on lines that were changed are left out, as what is there now may well be right, or with
    `changed` kept as they are.
    """
    found = []
    for finding in findings:
        if not finding.line or (finding.file and finding.file != path):
            found.append(finding)
        elif finding.line in where:
            found.append(replace(finding, line=where[finding.line]))
        elif changed:
            found.append(finding)
    return tuple(found)


def _same(finding: Finding) -> object:
    """Return what two findings about one thing have in common."""
    if not finding.line:
        return finding
    message = re.sub(r"^\w+(Error|Exception): ", "", finding.message)
    message = re.sub(r"^name '(\w+)' is not defined.*", r"\1 is not defined", message)
    return finding.severity, finding.file, finding.line, message
