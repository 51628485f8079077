"""Tabs that are never cut: closer together where room is short, else a list in their place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QSizePolicy, QTabBar, QWidget

from playground.ui.tab_density import Density, set_density

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent

_ROOMY_LINES, _TIGHT_LINES = 1.0, 0.5
"""What the stylesheet puts on both sides of a tab's name, in heights of a line."""
_EDGES_PX = 4
_LIST_LINES = 7


class FittingTabs(QWidget):
    """A row of tabs; `currentChanged` carries the index of the one chosen, `bar` is the tabs.

    Beside other widgets in a row it takes what they leave; the list needs the least.
    """

    currentChanged = Signal(int)

    def __init__(self, name: str, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bar = QTabBar(self)
        self.bar.setObjectName(name)
        self.bar.setAccessibleName(title)
        self.bar.setDrawBase(False)
        self.bar.setExpanding(False)
        self.bar.setProperty("compact", "true")
        self.bar.setUsesScrollButtons(True)
        self.choice = QComboBox(self)
        self.choice.setObjectName(f"{name}.list")
        self.choice.setAccessibleName(title)
        self.choice.hide()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.bar)
        layout.addWidget(self.choice)
        layout.addStretch(1)
        self.bar.currentChanged.connect(self._on_bar)
        self.choice.activated.connect(
            lambda place: self.bar.setCurrentIndex(int(self.choice.itemData(place)))
        )

    def add(self, title: str, tip: str = "") -> int:
        """Add a tab at the end; return its index."""
        index = self.bar.addTab(title)
        self.bar.setTabToolTip(index, tip)
        self._fit()
        return index

    def set_shown(self, index: int, shown: bool) -> None:
        """Offer a tab, or leave it out."""
        if self.bar.isTabVisible(index) != shown:
            self.bar.setTabVisible(index, shown)
            self._fit()

    @property
    def index(self) -> int:
        """The index of the tab chosen."""
        return self.bar.currentIndex()

    def choose(self, index: int) -> None:
        """Choose a tab."""
        self.bar.setCurrentIndex(index)

    def sizeHint(self) -> QSize:
        """Return the room of all tabs as they are best."""
        height = max(self.bar.sizeHint().height(), self.choice.sizeHint().height())
        return QSize(self._needed(_ROOMY_LINES), height)

    def minimumSizeHint(self) -> QSize:
        """Return the room of the list."""
        return QSize(_LIST_LINES * self.fontMetrics().height(), self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the new width."""
        super().resizeEvent(event)
        self._fit()

    def _needed(self, around_lines: float) -> int:
        metrics = self.bar.fontMetrics()
        around = round(around_lines * metrics.height()) + _EDGES_PX
        titles = [
            self.bar.tabText(index)
            for index in range(self.bar.count())
            if self.bar.isTabVisible(index)
        ]
        return sum(metrics.horizontalAdvance(title) + around for title in titles)

    def _fit(self) -> None:
        width = self.width()
        density: Density = "true" if self._needed(_ROOMY_LINES) <= width else "tight"
        set_density(self.bar, density)
        listed = self._needed(_TIGHT_LINES) > width
        if listed:
            self._fill_list()
        focused = self.bar.hasFocus() or self.choice.hasFocus()
        self.bar.setVisible(not listed)
        self.choice.setVisible(listed)
        if focused:
            (self.choice if listed else self.bar).setFocus()

    def _fill_list(self) -> None:
        shown = [i for i in range(self.bar.count()) if self.bar.isTabVisible(i)]
        self.choice.clear()
        for index in shown:
            self.choice.addItem(self.bar.tabText(index), index)
        self.choice.setCurrentIndex(self.choice.findData(self.bar.currentIndex()))

    def _on_bar(self, index: int) -> None:
        self.choice.setCurrentIndex(self.choice.findData(index))
        self.currentChanged.emit(index)
