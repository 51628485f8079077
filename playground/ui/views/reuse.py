"""What an L2 cache would fetch: now, and beside it an estimate that was pinned before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from playground.ui.icons import icon
from playground.ui.views.elided import ElidedLabel
from playground.ui.views.formatting import bytes_text, significant
from playground.ui.views.plot_actions import PlotActions
from playground.ui.views.roles import set_role
from playground.ui.views.table_twin import Column, RecordModel, RecordTable

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

    from playground.model.config import Config
    from playground.model.schedule import CacheReuse
    from playground.ui.document import Document
    from playground.ui.theme import Theme

_TIP = (
    "Estimated from the order of accesses: bytes that a cache of the L2's size which drops what "
    "was used longest ago would fetch from memory. Move GROUP_M, or any knob, to see what another "
    "order of programs changes; pin an estimate to compare"
)


@dataclass(frozen=True)
class ReuseRow:
    """Bytes of one tensor, or of all: asked for, fetched now, and fetched in the pinned one."""

    name: str
    requested: int
    fetched: int
    pinned: int | None = None
    least: int | None = None


def rows_of(now: CacheReuse, pinned: CacheReuse | None) -> tuple[ReuseRow, ...]:
    """Return the rows to show, all tensors together first."""
    before = {name: fetched for name, _, fetched in pinned.per_tensor} if pinned else {}
    whole = ReuseRow(
        "all", now.requested_bytes, now.fetched_bytes,
        pinned.fetched_bytes if pinned else None, now.least_bytes,
    )  # fmt: skip
    return (
        whole,
        *(ReuseRow(name, asked, fetched, before.get(name)) for name, asked, fetched in
          now.per_tensor),
    )  # fmt: skip


def differing(config: Config, other: Config) -> tuple[str, str]:
    """Return both configs in words, by the knobs in which they differ; all of them if in none."""
    mine, theirs = config.as_dict(), other.as_dict()
    names = [name for name in mine if theirs.get(name) != mine[name]]
    if not names:
        return config.label(), other.label()
    return (
        " ".join(f"{name}={mine[name]}" for name in names),
        " ".join(f"{name}={theirs.get(name)}" for name in names),
    )


class ReuseBars(QWidget):
    """A bar a tensor: what would be fetched; the pinned one as a thinner bar below it."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("reuse.bars")
        self.setAccessibleName("Bytes an L2 cache would fetch, by tensor")
        self.theme = theme
        self._rows: tuple[ReuseRow, ...] = ()
        theme.changed.connect(self.update)

    def show_rows(self, rows: tuple[ReuseRow, ...]) -> None:
        """Draw these rows."""
        self._rows = rows
        self.setAccessibleDescription("; ".join(f"{row.name}: {self._text(row)}" for row in rows))
        self.setMinimumHeight(self.minimumSizeHint().height())
        self.updateGeometry()
        self.update()

    @staticmethod
    def _text(row: ReuseRow) -> str:
        hits = f"asked for {bytes_text(row.requested)}"
        if row.fetched and row.requested > 1.005 * row.fetched:
            hits += f", ×{significant(row.requested / row.fetched)} reuse"
        return f"{bytes_text(row.fetched)} · {hits}"

    def minimumSizeHint(self) -> QSize:
        """Return two lines a tensor."""
        line = self.fontMetrics().height()
        return QSize(line * 14, round(line * 1.55) * max(len(self._rows), 1) + 4)

    def sizeHint(self) -> QSize:
        """Return the same width as other plots."""
        return QSize(self.fontMetrics().height() * 30, self.minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw names, bars and figures."""
        painter = QPainter(self)
        theme, metrics = self.theme, self.fontMetrics()
        painter.fillRect(self.rect(), theme.color("plot_background"))
        if not self._rows:
            return
        line = metrics.height()
        most = max(max(row.fetched, row.pinned or 0, row.least or 0) for row in self._rows) or 1
        names = max(metrics.horizontalAdvance(row.name) for row in self._rows) + line
        words = max(metrics.horizontalAdvance(self._text(row)) for row in self._rows) + line
        beside = self.width() - names - words >= line * 8
        amounts = max(metrics.horizontalAdvance(bytes_text(row.fetched)) for row in self._rows)
        room = max(self.width() - names - (words if beside else amounts + line), 20)
        each = round(line * 1.55)
        middle = Qt.AlignmentFlag.AlignVCenter
        for place, row in enumerate(self._rows):
            top = place * each + 2.0
            painter.setPen(theme.color("text"))
            box = QRectF(line * 0.4, top, names, each)
            painter.drawText(box, middle | Qt.AlignmentFlag.AlignLeft, row.name)
            pinned = row.pinned is not None
            high = each * (0.42 if pinned else 0.55)
            y = top + (each - high * (1.62 if pinned else 1.0)) / 2
            now = QRectF(names, y, max(room * row.fetched / most, 1.0), high)
            painter.fillRect(now, theme.color("plot_1"))
            if row.pinned is not None:
                old = QRectF(names, y + high + 1, max(room * row.pinned / most, 1.0), high * 0.62)
                painter.fillRect(old, theme.color("plot_8"))
            if row.least is not None:
                x = names + room * row.least / most
                painter.setPen(QPen(theme.color("good"), 2))
                painter.drawLine(round(x), round(top + 3), round(x), round(top + each - 3))
            painter.setPen(theme.color("text"))
            box = QRectF(names + room + line * 0.5, top, words, each)
            text = self._text(row) if beside else bytes_text(row.fetched)
            painter.drawText(box, middle | Qt.AlignmentFlag.AlignLeft, text)


class ReusePanel(QWidget):
    """The estimate for the config shown, pinned for comparison at a click."""

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("reuse")
        self.setAccessibleName("L2 reuse")
        self._document, self._theme = document, theme
        self._schedule = document.programs.schedule
        title = QLabel("L2 reuse", self)
        title.setToolTip(_TIP)
        set_role(title, "heading")
        self.bars = ReuseBars(theme, self)
        self.bars.setToolTip(_TIP)
        scroll = QScrollArea(self)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        scroll.setWidget(self.bars)
        self._model: RecordModel[ReuseRow] = RecordModel(_COLUMNS, self)
        self._table = RecordTable("reuse.table", "L2 reuse by tensor", self._model, self)
        self._pages = QStackedWidget(self)
        self._pages.addWidget(scroll)
        self._pages.addWidget(self._table)
        self._pin = QPushButton("Pin", self)
        self._pin.setObjectName("reuse.pin")
        self._pin.clicked.connect(self._schedule.pin_reuse)
        actions = PlotActions("reuse", theme, self.bars, self._model.as_csv, "l2_reuse", self)
        actions.tableToggled.connect(self._pages.setCurrentIndex)
        self._said = ElidedLabel("reuse.text", self)
        self._key = ElidedLabel("reuse.key", self)
        set_role(self._key, "muted")
        head = QHBoxLayout()
        head.addWidget(title)
        head.addWidget(self._pin)
        head.addStretch(1)
        head.addWidget(actions)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(3)
        layout.addLayout(head)
        layout.addWidget(self._said)
        layout.addWidget(self._pages, 1)
        layout.addWidget(self._key)
        self._schedule.reuseChanged.connect(self._show)
        document.configChanged.connect(self._show)
        theme.changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        now, pinned = self._schedule.reuse, self._schedule.pinned_reuse
        self._pin.setIcon(icon("unpin" if pinned else "pin", self._theme))
        self._pin.setText("Unpin" if pinned else "Pin")
        tip = "Let go of the pinned estimate" if pinned else "Compare later estimates with this one"
        self._pin.setToolTip(tip)
        self._pin.setAccessibleName(tip)
        self._pin.setEnabled(now is not None)
        if now is None:
            waits = "estimating from the addresses of all accesses …"
            why = self._schedule.reuse_why or "press F5 to run"
            self._said.setText(waits if self._schedule.reuse_running else why)
            self._key.setText("")
            self.bars.show_rows(())
            self._model.set_records(())
            return
        rows = rows_of(now, pinned)
        self.bars.show_rows(rows)
        self._model.set_records(rows)
        self._table.fit_columns()
        factor = now.requested_bytes / max(now.fetched_bytes, 1)
        reused = f"each byte serves {significant(factor)} times" if factor > 1.005 else (
            "nothing is used twice"
        )  # fmt: skip
        said = (
            f"of {bytes_text(now.requested_bytes)} asked for, {bytes_text(now.fetched_bytes)} "
            f"would be fetched: {reused}"
        )
        if (now.launch, now.config) != (self._document.launch_index, self._document.config):
            said = f"of {now.config.label()} (estimating again …): {said}"
        self._said.setText(said)
        self._said.setToolTip("\n".join([said, *now.notes]))
        self._key.setText(self._legend(now, pinned))
        self._key.setToolTip("\n".join([_TIP, *now.notes]))

    def _legend(self, now: CacheReuse, pinned: CacheReuse | None) -> str:
        cache = f"LRU of {bytes_text(now.cache_bytes)} ({now.cache_of}), {now.order}"
        if pinned is None:
            return f"upright mark: each byte once · {cache}"
        mine, theirs = differing(now.config, pinned.config)
        return f"upper bar: {mine} · thin bar: {theirs}, pinned · mark: each byte once · {cache}"


_COLUMNS: tuple[Column[ReuseRow], ...] = (
    Column("Tensor", lambda row: row.name),
    Column("Asked for", lambda row: row.requested, lambda row: bytes_text(row.requested),
           numeric=True),
    Column("Fetched", lambda row: row.fetched, lambda row: bytes_text(row.fetched), numeric=True),
    Column("Pinned", lambda row: row.pinned,
           lambda row: "" if row.pinned is None else bytes_text(row.pinned), numeric=True),
    Column("Least", lambda row: row.least,
           lambda row: "" if row.least is None else bytes_text(row.least), numeric=True),
)  # fmt: skip
