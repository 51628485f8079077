"""Labels and combo boxes that are cut with dots where they have no room; tooltips say it all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QHelpEvent, QPainter
from PySide6.QtWidgets import (
    QComboBox,
    QLabel,
    QSizePolicy,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QToolTip,
    QWidget,
)

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent


class ElidedLabel(QLabel):
    """One line of text that never asks for more width than it is given."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def shown(self) -> str:
        """Return what of the text is drawn."""
        return self.fontMetrics().elidedText(
            self.text(), Qt.TextElideMode.ElideRight, self.contentsRect().width()
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw what fits."""
        painter = QPainter(self)
        self.style().drawItemText(
            painter, self.contentsRect(), self.alignment(), self.palette(), self.isEnabled(),
            self.shown(), self.foregroundRole(),
        )  # fmt: skip

    def event(self, event: QEvent) -> bool:
        """Show all of a text that was cut while the pointer rests on it."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            cut = self.shown() != self.text()
            QToolTip.showText(event.globalPos(), self.text() if cut else self.toolTip(), self)
            return True
        return super().event(event)


class ElidedComboBox(QComboBox):
    """A combo box whose choice ends with dots where it has no room; its list shows all of each."""

    def shown(self) -> str:
        """Return what of the current text is drawn."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        room = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option,
            QStyle.SubControl.SC_ComboBoxEditField, self,
        )  # fmt: skip
        # Styles keep a few pixels of the field for a frame of the text.
        return self.fontMetrics().elidedText(
            self.currentText(), Qt.TextElideMode.ElideRight, max(room.width() - 4, 0)
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the control with what fits."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        option.currentText = self.shown()
        painter = QStylePainter(self)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)

    def showPopup(self) -> None:
        """Open the list, wide enough for its longest entry."""
        view = self.view()
        bar = self.style().pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent)
        metrics = view.fontMetrics()
        texts = [metrics.horizontalAdvance(self.itemText(at)) for at in range(self.count())]
        widest = max(texts, default=0) + 2 * metrics.height() + bar
        screen = self.screen().availableGeometry().width()
        view.setMinimumWidth(min(max(widest, self.width()), screen))
        super().showPopup()

    def event(self, event: QEvent) -> bool:
        """Show all of a choice that was cut while the pointer rests on it."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            cut = self.shown() != self.currentText()
            said = self.toolTip()
            parts = [self.currentText()] if cut and self.currentText() not in said else []
            QToolTip.showText(event.globalPos(), "\n".join([*parts, said]).strip(), self)
            return True
        return super().event(event)
