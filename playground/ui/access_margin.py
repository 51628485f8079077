"""Puts beside each line of the editor how well it accesses memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from playground.model.matching import line_map
from playground.ui.access_text import LineAccess

if TYPE_CHECKING:
    from playground.model.coverage import Coverage
    from playground.ui.document import Document
    from playground.ui.editor.code_editor import CodeEditor


class AccessMargin(QObject):
    """Follows the document's coverage: drawn dim while a newer one is on its way."""

    def __init__(self, document: Document, editor: CodeEditor) -> None:
        super().__init__(document)
        self._document, self._editor = document, editor
        self._on = False
        for changed in (document.coveredChanged, document.configChanged, document.outlineChanged):
            changed.connect(self._show)

    def set_shown(self, on: bool) -> None:
        """Show the column or hide it."""
        self._on = on
        self._show()

    def _show(self) -> None:
        coverage = self._document.coverage
        if not self._on or coverage is None:
            self._editor.gutter.show_access({})
            return
        self._editor.gutter.show_access(self._placed(coverage), self._stale(coverage))

    def _stale(self, coverage: Coverage) -> str:
        if not self._document.is_current(coverage):
            return f"of {coverage.config.label()}, not of what is shown now"
        if self._document.text != self._document.work.ran_text:
            return "of the text as it was run last"
        return ""

    def _placed(self, coverage: Coverage) -> dict[int, LineAccess]:
        """Return what is known by line of the text as it stands, which may be edited since."""
        found = by_line(coverage, self._document)
        ran = self._document.work.ran_text
        if self._document.text == ran:
            return found
        where = line_map(ran, self._document.text)
        return {where[line]: access for line, access in found.items() if line in where}


def by_line(coverage: Coverage, document: Document) -> dict[int, LineAccess]:
    """Return sites and hazards of the open file by their line."""
    found: dict[int, LineAccess] = {}
    for site in coverage.sites:
        if site.line and document.is_open(site.file):
            old = found.get(site.line, LineAccess())
            found[site.line] = LineAccess((*old.sites, site), old.hazards)
    for hazard in coverage.hazards:
        lines = {each.line for each in hazard.places if document.is_open(each.file)}
        for line in sorted(lines):
            old = found.get(line, LineAccess())
            found[line] = LineAccess(old.sites, (*old.hazards, hazard))
    return found
