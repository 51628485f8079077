"""Telemetry: the GPU's clocks, power, temperature and load over the last minutes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QHBoxLayout,
    QStackedLayout,
    QStackedWidget,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from playground.ui.document_telemetry import KEPT_S, Moment
from playground.ui.views.elided import ElidedLabel
from playground.ui.views.notice import EmptyState
from playground.ui.views.plot_actions import PlotActions
from playground.ui.views.roles import set_role
from playground.ui.views.scroll_page import ScrollPage
from playground.ui.views.sparkline import paint_sparkline, paint_throttled
from playground.ui.views.table_twin import Column, RecordModel, RecordTable
from playground.ui.views.telemetry_series import QUANTITIES

if TYPE_CHECKING:
    from playground.ui.document import Document
    from playground.ui.document_telemetry import Telemetry
    from playground.ui.theme import Theme


class TelemetryRows(QWidget):
    """One row a quantity, all on one axis of time; hover tells the values of a moment."""

    def __init__(self, telemetry: Telemetry, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("telemetry.rows")
        self.setAccessibleName("Clocks, power, temperature and load over time")
        self.setMouseTracking(True)
        self._telemetry, self.theme = telemetry, theme
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        """Return two lines of text a row."""
        line = self.fontMetrics().height()
        return QSize(30 * line, (2 * len(QUANTITIES) + 1) * line)

    def minimumSizeHint(self) -> QSize:
        """Return a line of text a row."""
        line = self.fontMetrics().height()
        return QSize(16 * line, round(1.2 * (len(QUANTITIES) + 1) * line))

    def _curves(self) -> QRectF:
        """Return where curves are drawn: right of the names and values."""
        line = self.fontMetrics().height()
        left = self.fontMetrics().horizontalAdvance("Memory clock  88888 MHz ") + line
        right = self.fontMetrics().horizontalAdvance("88888 ")
        return QRectF(left, 2, max(self.width() - left - right, 10.0), self.height() - 1.3 * line)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the rows, and the axis of time below them."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), self.theme.color("plot_background"))
        moments, state = self._telemetry.moments, self._telemetry.latest
        curves = self._curves()
        each = curves.height() / len(QUANTITIES)
        muted, text = self.theme.color("muted"), self.theme.color("text")
        small = painter.font()
        small.setPointSizeF(max(small.pointSizeF() * 0.85, 6.0))
        line = self.fontMetrics().height()
        middle = Qt.AlignmentFlag.AlignVCenter
        for row, quantity in enumerate(QUANTITIES):
            area = QRectF(curves.left(), curves.top() + row * each, curves.width(), each)
            names = QRectF(line * 0.4, area.top(), curves.left() - line, each)
            painter.setPen(muted)
            painter.drawText(names, Qt.AlignmentFlag.AlignLeft | middle, quantity.title)
            painter.setPen(text)
            painter.drawText(names, Qt.AlignmentFlag.AlignRight | middle, quantity.text(state))
            inner = area.adjusted(0, each * 0.12, 0, -each * 0.12)
            if quantity.id == "sm":
                paint_throttled(painter, inner, moments, self.theme, KEPT_S)
            ends = paint_sparkline(painter, inner, moments, quantity, self.theme, KEPT_S)
            painter.setPen(QPen(self.theme.color("border"), 1))
            painter.drawLine(inner.bottomLeft(), inner.bottomRight())
            if ends is not None and each > 1.5 * line:
                self._draw_ends(painter, inner, ends)
        painter.setFont(small)
        painter.setPen(muted)
        below = QRectF(curves.left(), curves.bottom(), curves.width(), line * 1.3)
        words_px = painter.fontMetrics().horizontalAdvance("−5 min ")
        every = 1 if below.width() > 6 * words_px else 5
        for minute in range(0, 6, every):
            x = below.right() - minute * 60 / KEPT_S * below.width()
            words = "now" if not minute else f"−{minute} min"
            place = QRectF(x - 40, below.top(), 80, below.height())
            painter.drawText(place, Qt.AlignmentFlag.AlignHCenter | middle, words)

    def _draw_ends(self, painter: QPainter, inner: QRectF, ends: tuple[float, float]) -> None:
        painter.save()
        font = painter.font()
        font.setPointSizeF(max(font.pointSizeF() * 0.75, 6.0))
        painter.setFont(font)
        painter.setPen(self.theme.color("muted"))
        line = painter.fontMetrics().height()
        room = self.width() - inner.right() - 4
        for value, top in ((ends[1], inner.top()), (ends[0], inner.bottom() - line)):
            place = QRectF(inner.right() + 4, top, room, line)
            painter.drawText(place, Qt.AlignmentFlag.AlignLeft, f"{value:.0f}")
        painter.restore()

    def moment_at(self, position: QPointF) -> Moment | None:
        """Return the moment under a place in the rows."""
        moments, curves = self._telemetry.moments, self._curves()
        if not moments or not curves.left() <= position.x() <= curves.right():
            return None
        at_s = moments[-1].at_s - (curves.right() - position.x()) / curves.width() * KEPT_S
        nearest = min(moments, key=lambda moment: abs(moment.at_s - at_s))
        return nearest if abs(nearest.at_s - at_s) < KEPT_S / 30 else None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Tell the values under the pointer."""
        moment = self.moment_at(event.position())
        if moment is None:
            QToolTip.hideText()
            return
        ago_s = self._telemetry.moments[-1].at_s - moment.at_s
        lines = [f"{ago_s:.0f} s ago"]
        lines += [f"{quantity.title}: {quantity.text(moment.state)}" for quantity in QUANTITIES]
        if moment.state.throttle:
            lines.append(f"Held back by: {moment.state.throttle}")
        QToolTip.showText(event.globalPosition().toPoint(), "\n".join(lines), self)


class TelemetryView(QWidget):
    """The rows with what holds the clock back, and their table twin."""

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("telemetry")
        self.setAccessibleName("Telemetry")
        self._document = document
        self._telemetry = document.telemetry
        self._throttle = ElidedLabel("telemetry.throttle", self)
        self.rows = TelemetryRows(document.telemetry, theme, self)
        self._model: RecordModel[Moment] = RecordModel(self._columns(), self)
        self._table = RecordTable(
            "telemetry.table", "Telemetry of the last minutes", self._model, self
        )
        self._pages = QStackedWidget(self)
        self._pages.addWidget(self.rows)
        self._pages.addWidget(self._table)
        actions = PlotActions("telemetry", theme, self.rows, self._as_csv, "telemetry", self)
        actions.tableToggled.connect(self._show_page)
        page = QWidget(self)
        layout = QVBoxLayout(page)
        head = QHBoxLayout()
        head.addWidget(self._throttle, 1)
        head.addWidget(actions)
        layout.addLayout(head)
        layout.addWidget(self._pages, 1)
        empty = EmptyState(
            "telemetry.empty", "No GPU to watch", "The interpreter runs on the CPU.", theme, self
        )
        self._stack = QStackedLayout(self)
        self._stack.addWidget(empty)
        least = round(1.2 * (len(QUANTITIES) + 1)) + 1
        self._stack.addWidget(ScrollPage("telemetry.page", page, self._pages, self, least))
        document.telemetry.changed.connect(self.refresh)
        document.deviceChanged.connect(self.refresh)
        self.refresh()

    def _columns(self) -> tuple[Column[Moment], ...]:
        def ago_s(moment: Moment) -> float:
            return round(self._model.records[0].at_s - moment.at_s, 1)

        figures = tuple(
            Column[Moment](
                f"{quantity.title} ({quantity.unit})",
                lambda moment, value=quantity.value: value(moment.state),  # type: ignore[misc]
                numeric=True,
            )
            for quantity in QUANTITIES
        )
        return (
            Column("Seconds before", ago_s, numeric=True), *figures,
            Column("Held back by", lambda moment: moment.state.throttle),
        )  # fmt: skip

    def refresh(self) -> None:
        """Show the newest state, where it can be seen."""
        self._stack.setCurrentIndex(1 if self._telemetry.available else 0)
        held = self._telemetry.latest.throttle
        ever = any(moment.state.throttle for moment in self._telemetry.moments)
        set_role(self._throttle, "warn" if held else "muted")
        self._throttle.setText(
            f"Clock held back by: {held}"
            if held
            else "Hatched: the clock was held back"
            if ever
            else "Nothing holds the clock back"
        )
        self.rows.update()

    def _show_page(self, page: int) -> None:
        self._pages.setCurrentIndex(page)
        if page:
            # As of now: rows that moved every second could not be read.
            self._model.set_records(self._telemetry.moments[::-1])
            self._table.fit_columns()

    def _as_csv(self) -> str:
        self._model.set_records(self._telemetry.moments[::-1])
        return self._model.as_csv()
