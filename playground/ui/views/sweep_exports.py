"""The menu of what a sweep can be exported as."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QInputDialog, QMenu, QPushButton

from playground.ui.icons import icon

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from playground.ui.document import Document
    from playground.ui.theme import Theme

BEST_FEW = 3
"""Configs of each problem size among which an exported tuner chooses."""


class SweepExports(QPushButton):
    """A button with a menu; entries that make no sense for what is shown are off, and say why."""

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("Export", parent)
        self.setObjectName("sweep.export")
        self.setAccessibleName("Export what the sweep found")
        self.setToolTip(self.accessibleName())
        self._document, self._sweep, self._theme = document, document.sweep, theme
        menu = QMenu(self)
        menu.setObjectName("sweep.exportMenu")
        menu.setToolTipsVisible(True)
        self._frozen = menu.addAction("Best config, frozen (.py) …", self.export_frozen)
        self._autotune = menu.addAction(
            f"@triton.autotune with the best {BEST_FEW} of each size (.py) …",
            lambda: self._sweep.export("autotune", best=BEST_FEW),
        )
        self._dispatch = menu.addAction(
            "Table of configs by size (.py) …", lambda: self._sweep.export("dispatch")
        )
        menu.addSeparator()
        self._t4 = menu.addAction("All rows as T4 (JSON) …", lambda: self._sweep.export("t4"))
        self._table = menu.addAction(
            "Best by size as inference servers read it (JSON) …", self._export_table
        )
        self.setMenu(menu)
        menu.aboutToShow.connect(self.show_choices)
        theme.changed.connect(self._recolour)
        self._recolour()

    def _recolour(self) -> None:
        self.setIcon(icon("export", self._theme))

    def show_choices(self) -> None:
        """Enable what can be made of the sweep shown."""
        stored, launch = self._sweep.stored(), self._document.launch
        best = self._sweep.best()
        timed = best is not None and best.median_ms is not None
        several = len(stored) > 1
        sizes = any(part.sizes for part in self._sweep.parts) or (
            self._sweep.opened is not None and bool(self._sweep.opened.sizes))  # fmt: skip
        for action, on, why in (
            (self._frozen, launch is not None and timed, "no right config was timed"),
            (self._autotune, launch is not None and timed and bool(stored),
             "no right config was timed"),
            (self._dispatch, launch is not None and timed and several,
             "sweep at several problem sizes for a table by size"),
            (self._t4, bool(stored), "nothing of this sweep is kept"),
            (self._table, timed and bool(stored) and bool(sizes),
             "sweep at problem sizes for a table by size"),
        ):  # fmt: skip
            action.setEnabled(on)
            action.setToolTip("" if on else why)

    def export_frozen(self) -> None:
        """Ask for the tuned file with the best config frozen into it."""
        best = self._sweep.best()
        if best is not None:
            self._document.export(best.config)

    def _export_table(self) -> None:
        opened = self._sweep.opened
        sizes = [dict(part.sizes) for part in self._sweep.parts] or [{}]
        names = list(sizes[0] or (dict(opened.sizes) if opened is not None else {}))
        # One that is another in every sweep can name them.
        moved = [name for name in names if len({each.get(name) for each in sizes}) == len(sizes)]
        names = moved or names
        if len(names) > 1:
            name, chosen = QInputDialog.getItem(
                self, "Best by size", "The problem size that names a config:", names, 0, False
            )
            if not chosen:
                return
        else:
            name = names[0] if names else ""
        self._sweep.export("table", size=name)
