"""A sentence followed by links to lines of the source: where spills sit, what holds memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from playground.ui.views.chips import FlowLayout
from playground.ui.views.roles import Role, set_role

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class LineLink:
    """One link: its line, what stands on it, and what the pointer and a screen reader are told."""

    line: int
    text: str
    tip: str
    name: str


class LineLinks(QWidget):
    """The sentence and its links; `lineRequested` carries the line of the one that was pressed."""

    lineRequested = Signal(int)

    def __init__(self, name: str, link_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self._link_name = link_name
        self._row = FlowLayout(self)
        self._shown: list[QWidget] = []

    def say(self, sentence: str, role: Role, links: Sequence[LineLink]) -> None:
        """Show a sentence in the colours of `role`, and its links; an empty sentence hides both."""
        for widget in self._shown:
            self._row.removeWidget(widget)
            # It goes with the next round of events; until then the new one stands in its place.
            widget.hide()
            widget.deleteLater()
        self._shown = []
        self.setVisible(bool(sentence))
        if not sentence:
            return
        label = QLabel(sentence, self)
        set_role(label, role)
        self._add(label)
        for each in links:
            link = QPushButton(each.text, self)
            link.setObjectName(f"{self._link_name}:{each.line}")
            link.setProperty("link", "true")
            link.setAccessibleName(each.name)
            link.setToolTip(each.tip)
            link.clicked.connect(lambda _=False, line=each.line: self.lineRequested.emit(line))
            self._add(link)

    def _add(self, widget: QWidget) -> None:
        self._row.addWidget(widget)
        widget.show()
        self._shown.append(widget)
