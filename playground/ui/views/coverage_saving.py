"""What of a coverage can be saved besides its pictures: the counts themselves, the access sites."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

if TYPE_CHECKING:
    from playground.ui.document import Document
    from playground.ui.views.coverage_tables import CoverageTables
    from playground.ui.views.plot_actions import PlotActions


class CoverageSaving(QObject):
    """Adds its choices to the menu of a view's pictures; `told` says that a file is there."""

    told = Signal(str)

    def __init__(
        self, document: Document, actions: PlotActions, tables: CoverageTables, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._document, self._tables, self._view = document, tables, parent
        actions.add_choice("Save access sites (CSV) …", self._ask_sites)
        actions.add_choice("Save counts of every element (NumPy .npz) …", self._ask_counts)
        document.programs.countsSaved.connect(self._on_saved)

    def save_sites(self, path: str) -> str:
        """Write the access sites as CSV; return why that failed, empty where it did not."""
        try:
            Path(path).write_text(self._tables.sites_csv(), encoding="utf-8")
        except OSError as error:
            return error.strerror or str(error)
        return ""

    def _ask_sites(self) -> None:
        path, _ = QFileDialog.getSaveFileName(
            self._view, "Save access sites", "access_sites.csv", "CSV tables (*.csv)"
        )
        if path:
            self._on_saved(path, self.save_sites(path))

    def _ask_counts(self) -> None:
        path, _ = QFileDialog.getSaveFileName(
            self._view, "Save counts", "coverage.npz", "NumPy archives (*.npz)"
        )
        if path:
            self.told.emit(f"saving {path} …")
            self._document.programs.save_counts(path)

    def _on_saved(self, path: str, problem: str) -> None:
        if not problem:
            self.told.emit(f"saved {path}")
            return
        self.told.emit(f"{path} could not be written: {problem}")
        box = QMessageBox(QMessageBox.Icon.Warning, "Save", f"{path}: {problem}", parent=self._view)
        box.setObjectName("coverage.saveFailed")
        box.open()
