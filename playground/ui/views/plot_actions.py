"""What every plot offers: its table twin, a picture to copy or save, its numbers as CSV."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QMenu, QMessageBox, QToolButton, QWidget

from playground.ui.drawing import save_svg
from playground.ui.views.icon_tools import IconTools

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QAction

    from playground.ui.theme import Theme


PAPER_SCALE = 4.0
"""Pixels of a picture for a paper to one on screen: some 400 to the inch."""


class PlotActions(QWidget):
    """Three buttons: table, copy picture, save (PNG, SVG, PDF, for a paper, CSV).

    Where what is drawn has a switch of its own between picture and numbers, `with_table` is False.
    """

    tableToggled = Signal(bool)

    def __init__(
        self,
        name: str,
        theme: Theme,
        picture: QWidget,
        as_csv: Callable[[], str],
        file_stem: str,
        parent: QWidget | None = None,
        *,
        with_table: bool = True,
    ) -> None:
        super().__init__(parent)
        self._theme, self._picture, self._as_csv, self._stem = theme, picture, as_csv, file_stem
        tools = IconTools(self, theme)
        self._table = tools.make(f"{name}.showTable", "", "Show the numbers as a table")
        self._table.setCheckable(True)
        self._table.setText("Table")
        self._table.toggled.connect(self.tableToggled)
        self._copy = tools.make(f"{name}.copyPicture", "copy", "Copy the picture")
        self._copy.clicked.connect(self.copy_picture)
        self._save = tools.make(f"{name}.save", "save", "Save the picture or its numbers")
        menu = QMenu(self._save)
        self._menu = menu
        menu.addAction("Save picture (PNG) …", self._save_png)
        menu.addAction("Save drawing (SVG) …", self._save_svg)
        menu.addAction("Save page (PDF) …", self._save_pdf)
        menu.addAction("Save for a paper (PDF, SVG or PNG on white) …", self._save_for_paper)
        menu.addAction("Save numbers (CSV) …", self._save_csv)
        menu.addAction("Copy numbers (CSV)", self.copy_csv)
        self._save.setMenu(menu)
        self._save.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._table.setVisible(with_table)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for button in (self._table, self._copy, self._save):
            layout.addWidget(button)

    @property
    def shows_table(self) -> bool:
        """Whether the table twin is chosen."""
        return self._table.isChecked()

    def show_table(self, shown: bool) -> None:
        """Show the table twin, or the picture."""
        self._table.setChecked(shown)

    def copy_picture(self) -> None:
        """Put the picture on the clipboard at the screen's resolution."""
        QGuiApplication.clipboard().setPixmap(self._picture.grab())

    def copy_csv(self) -> None:
        """Put the numbers on the clipboard as CSV."""
        QGuiApplication.clipboard().setText(self._as_csv())

    def save_png(self, path: str) -> bool:
        """Write the picture to `path`; tell whether that went well."""
        return self._picture.grab().save(path, "PNG")

    def _save_png(self) -> None:
        path, _ = QFileDialog.getSaveFileName(
            self, "Save picture", f"{self._stem}.png", "PNG pictures (*.png)"
        )
        if path and not self.save_png(path):
            QMessageBox.warning(self, "Save picture", f"{path} could not be written.")

    def add_choice(self, text: str, act: Callable[[], None]) -> QAction:
        """Offer something more to save."""
        return self._menu.addAction(text, act)

    def save_svg(self, path: str) -> bool:
        """Draw the picture into an SVG file; tell whether that went well."""
        return not save_svg(self._picture, path)

    def _save_svg(self) -> None:
        path, _ = QFileDialog.getSaveFileName(
            self, "Save drawing", f"{self._stem}.svg", "SVG drawings (*.svg)"
        )
        if path and not self.save_svg(path):
            QMessageBox.warning(self, "Save drawing", f"{path} could not be written.")

    def save_pdf(self, path: str) -> bool:
        """Draw the picture into a PDF; tell whether that went well."""
        from playground.ui.views.plot_paper import save_pdf

        return save_pdf(self._picture, path)

    def _save_pdf(self) -> None:
        path, _ = QFileDialog.getSaveFileName(
            self, "Save page", f"{self._stem}.pdf", "PDF pages (*.pdf)"
        )
        if path and not self.save_pdf(path):
            QMessageBox.warning(self, "Save page", f"{path} could not be written.")

    def save_for_paper(self, path: str, points: float) -> bool:
        """Save the picture on white with letters of `points`; the path's ending says as what."""
        from playground.ui.views.plot_paper import enlarged, on_paper, save_pdf

        with on_paper(self._picture, points):
            if path.endswith(".svg"):
                return self.save_svg(path)
            if path.endswith(".png"):
                return enlarged(self._picture, PAPER_SCALE).save(path, "PNG")
            return save_pdf(self._picture, path)

    def _save_for_paper(self) -> None:
        path, _ = QFileDialog.getSaveFileName(
            self, "Save for a paper", f"{self._stem}.pdf",
            "PDF pages (*.pdf);;SVG drawings (*.svg);;PNG pictures (*.png)",
        )  # fmt: skip
        if path and not self.save_for_paper(path, self._theme.paper_points):
            QMessageBox.warning(self, "Save for a paper", f"{path} could not be written.")

    def _save_csv(self) -> None:
        path, _ = QFileDialog.getSaveFileName(
            self, "Save numbers", f"{self._stem}.csv", "CSV tables (*.csv)"
        )
        if not path:
            return
        try:
            Path(path).write_text(self._as_csv(), encoding="utf-8")
        except OSError as error:
            QMessageBox.warning(self, "Save numbers", f"{path}: {error.strerror or error}")
