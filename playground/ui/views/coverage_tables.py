"""The table twins of the tile maps: every tensor's counts, and every place that touches memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QSplitter, QVBoxLayout, QWidget

from playground.model.access_site import AccessSite
from playground.ui.views.coverage_table import coverage_model
from playground.ui.views.formatting import count_text
from playground.ui.views.roles import set_role
from playground.ui.views.site_table import site_model
from playground.ui.views.table_twin import RecordTable

if TYPE_CHECKING:
    from playground.model.coverage import Coverage
    from playground.ui.document import Document
    from playground.ui.theme import Theme


class CoverageTables(QWidget):
    """Tensors above, access sites below; a pick shows the tensor, or goes to the line."""

    sourceLineRequested = Signal(int)
    tensorPicked = Signal(str)

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("coverage.tables")
        self._document = document
        self._tensors = coverage_model(self)
        self._tensor_table = RecordTable(
            "coverage.table", "Coverage of every tensor", self._tensors, self
        )
        self._tensor_table.recordPicked.connect(lambda tensor: self.tensorPicked.emit(tensor.name))
        self.sites = site_model(self)
        self._site_table = RecordTable(
            "coverage.sites", "Places in the source that touch memory", self.sites, self
        )
        self._site_table.clicked.connect(
            lambda index: self._go(self._site_table.record_at(index.row()))
        )
        self._site_table.recordPicked.connect(self._go)
        self._note = QLabel(self)
        self._note.setObjectName("coverage.sites.note")
        self._note.setWordWrap(True)
        set_role(self._note, "muted")
        split = QSplitter(Qt.Orientation.Vertical, self)
        split.setChildrenCollapsible(False)
        lower = QWidget(split)
        below = QVBoxLayout(lower)
        below.setContentsMargins(0, 0, 0, 0)
        below.addWidget(self._site_table, 1)
        below.addWidget(self._note)
        split.addWidget(self._tensor_table)
        split.addWidget(lower)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(split)

    def show_coverage(self, coverage: Coverage | None) -> None:
        """Show the counts of a coverage, or none."""
        self._tensors.set_records(coverage.tensors if coverage else ())
        self._tensor_table.fit_columns()
        sites = coverage.sites if coverage else ()
        self.sites.set_records(sites)
        self._site_table.fit_columns()
        self._note.setText(_note(sites) + _operations(coverage))

    def as_csv(self) -> str:
        """Return the counts of every tensor as CSV."""
        return self._tensors.as_csv()

    def sites_csv(self) -> str:
        """Return the access sites as CSV."""
        return self.sites.as_csv()

    def _go(self, site: object) -> None:
        if isinstance(site, AccessSite) and self._document.is_open(site.file):
            self.sourceLineRequested.emit(site.line)


def _note(sites: tuple[AccessSite, ...]) -> str:
    if not sites:
        return "No access sites were recorded for this launch."
    if any(site.sampled for site in sites):
        looked = max(site.programs_looked_at for site in sites)
        return f"Sectors, efficiency and re-reads are of a sample of {looked} programs."
    return "A click goes to the line. Every program was looked at."


def _operations(coverage: Coverage | None) -> str:
    """Return what reductions, scans and products compute, as a sentence of its own."""
    if coverage is None:
        return ""
    found = [f"{name} {count_text(count)}" for name, count in coverage.operations]
    found += [f"tl.dot {kind} {count_text(flops)} FLOP" for kind, flops in coverage.flops_by_kind]
    return f" Element operations: {', '.join(found)}." if found else ""
