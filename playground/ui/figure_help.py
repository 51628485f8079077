"""What a figure means: by a click on it, or looked up in the list of all of them."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QTableView,
    QTextBrowser,
    QVBoxLayout,
    QWhatsThis,
    QWidget,
)

from playground.model.figures import FIGURES, figure_in

if TYPE_CHECKING:
    from playground.model.figure import Figure
    from playground.ui.window import MainWindow


class FigureHelp(QObject):
    """The window's "What's this?": while it is on, a click on a figure tells what it means."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window

    def ask(self) -> None:
        """Begin: the next click tells of what is under it."""
        app = QApplication.instance()
        if app is not None:
            # Only for as long as it is asked for: a filter in Python sees every event there is.
            app.installEventFilter(self)
        QWhatsThis.enterWhatsThisMode()

    def show_all(self) -> None:
        """Show the list of all figures."""
        FigureList(self._window).open()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Answer clicks on figures."""
        kind = event.type()
        if kind == QEvent.Type.LeaveWhatsThisMode:
            app = QApplication.instance()
            if app is not None:
                app.removeEventFilter(self)
        elif isinstance(watched, QWidget) and isinstance(event, QHelpEvent):
            figure = figure_of(watched, event.pos())
            if kind == QEvent.Type.QueryWhatsThis and figure is not None:
                event.accept()
                return True
            if kind == QEvent.Type.WhatsThis and figure is not None:
                QWhatsThis.showText(event.globalPos(), as_html(figure), watched)
                return True
        return super().eventFilter(watched, event)


def figure_of(widget: QWidget, at: QPoint) -> Figure | None:
    """Return the figure at a point of a widget: of its words, else of a table's row or column."""
    for text in _texts(widget, at):
        figure = figure_in(text)
        if figure is not None:
            return figure
    return None


def _texts(widget: QWidget, at: QPoint) -> list[str]:
    """Return what a widget says at a point, the nearest first."""
    parent = widget.parentWidget()
    if isinstance(parent, QHeaderView):
        model = parent.model()
        section = parent.logicalIndexAt(at)
        if model is not None and section >= 0:
            return [str(model.headerData(section, parent.orientation()) or "")]
    if isinstance(parent, QTableView):
        index = parent.indexAt(at)
        model = parent.model()
        if model is not None and index.isValid():
            title = model.headerData(index.column(), Qt.Orientation.Horizontal)
            return [str(title or ""), str(index.siblingAtColumn(0).data() or "")]
    words = widget.text() if isinstance(widget, QLabel | QAbstractButton) else ""
    return [words, widget.accessibleName(), widget.toolTip()]


def as_html(figure: Figure) -> str:
    """Return a figure's definition and formula as rich text."""
    formula = f"<p><i>{html.escape(figure.formula)}</i></p>" if figure.formula else ""
    return f"<b>{html.escape(figure.title)}</b><p>{html.escape(figure.meaning)}</p>{formula}"


class FigureList(QDialog):
    """All figures with a field that narrows them."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("figureList")
        self.setWindowTitle("What the figures mean")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.query = QLineEdit(self)
        self.query.setObjectName("figureList.query")
        self.query.setAccessibleName("Find a figure")
        self.query.setPlaceholderText("Find a figure")
        self.query.setClearButtonEnabled(True)
        self.text = QTextBrowser(self)
        self.text.setObjectName("figureList.text")
        self.text.setAccessibleName("Figures with their definitions")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.setObjectName("figureList.buttons")
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        for widget in (self.query, self.text, buttons):
            layout.addWidget(widget)
        self.query.textChanged.connect(self._fill)
        self._fill("")
        line = self.fontMetrics().height()
        self.resize(36 * line, 32 * line)

    def _fill(self, query: str) -> None:
        words = query.lower().split()
        shown = [
            as_html(figure) for figure in FIGURES.values()
            if all(word in figure.text().lower() for word in words)
        ]  # fmt: skip
        self.text.setHtml("<br>".join(shown) or "<p>No figure has these words.</p>")
