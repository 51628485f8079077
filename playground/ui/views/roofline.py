"""Roofline: what the GPU's ceilings allow the launch, and where it stands under them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QStackedLayout,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from playground.ui.icons import icon
from playground.ui.views.chips import Chip, FlowLayout
from playground.ui.views.elided import ElidedLabel
from playground.ui.views.formatting import method_text, significant, time_text
from playground.ui.views.notice import EmptyState
from playground.ui.views.plot_actions import PlotActions
from playground.ui.views.roles import set_role
from playground.ui.views.roof_lines import picture
from playground.ui.views.roofline_plot import RooflinePlot, source_text
from playground.ui.views.roofline_table import ROOF_COLUMNS, RoofRow, bound_text, roof_rows
from playground.ui.views.scroll_page import ScrollPage
from playground.ui.views.table_twin import RecordModel, RecordTable

if TYPE_CHECKING:
    from PySide6.QtGui import QHideEvent, QShowEvent

    from playground.model.config import Config
    from playground.model.roofline import Ceilings, Standing
    from playground.ui.document import Document
    from playground.ui.theme import Theme


class RooflineView(QWidget):
    """The share of the roof, what bounds the launch and its floor on top; the plot below."""

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("roofline")
        self.setAccessibleName("Roofline")
        self._document, self._roofline, self._theme = document, document.roofline, theme
        self._share = QLabel(self)
        self._share.setObjectName("roofline.share")
        font = self._share.font()
        font.setPointSizeF(font.pointSizeF() * 1.9)
        font.setBold(True)
        self._share.setFont(font)
        self._share.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._detail = ElidedLabel("roofline.detail", self)
        self._config = ElidedLabel("roofline.config", self)
        self._gpu = QComboBox(self)
        self._gpu.setObjectName("roofline.gpu")
        self._gpu.setAccessibleName("GPU whose ceilings are drawn")
        self._gpu.setToolTip("Ceilings of this machine's GPU, or those expected of another one")
        self._gpu.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self._gpu.setMinimumContentsLength(14)
        self._gpu.activated.connect(
            lambda index: self._roofline.choose_gpu(self._gpu.itemData(index))
        )
        self._again = QToolButton(self)
        self._again.setObjectName("roofline.again")
        self._again.clicked.connect(self._on_again)
        self._known = Chip("roofline.known", theme, self)
        self._chips = QWidget(self)
        self._flow = FlowLayout(self._chips)
        self._flow.addWidget(self._known)
        self._rates: list[Chip] = []
        self._notes = ElidedLabel("roofline.notes", self)
        for label in (self._detail, self._config, self._notes):
            set_role(label, "muted")

        self.plot = RooflinePlot(theme, self)
        self.plot.configPicked.connect(self._apply)
        self._model: RecordModel[RoofRow] = RecordModel(ROOF_COLUMNS, self)
        self._table = RecordTable("roofline.table", "Ceilings and configs", self._model, self)
        self._table.recordPicked.connect(self._apply_row)
        self._blank = EmptyState(
            "roofline.blank", "Not counted yet",
            "The launch gets its place when its bytes and operations are counted.", theme, self,
        )  # fmt: skip
        self._pages = QStackedWidget(self)
        for page in (self.plot, self._table, self._blank):
            self._pages.addWidget(page)
        self._actions = PlotActions("roofline", theme, self.plot, self._as_csv, "roofline", self)
        self._actions.tableToggled.connect(self._show_page)

        head = QWidget(self)
        top = FlowLayout(head, 10)
        for widget in (self._share, self._gpu, self._again):
            top.addWidget(widget)
        line = QHBoxLayout()
        line.addWidget(self._notes, 1)
        line.addWidget(self._actions)
        body = QWidget(self)
        layout = QVBoxLayout(body)
        layout.addWidget(head)
        layout.setSpacing(self.fontMetrics().height() // 4)
        layout.addWidget(self._detail)
        layout.addWidget(self._config)
        layout.addWidget(self._chips)
        layout.addLayout(line)
        layout.addWidget(self._pages, 1)
        self._empty = EmptyState("roofline.empty", "", "", theme, self)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(ScrollPage("roofline.page", body, self._pages, self))

        self._roofline.changed.connect(self._show)
        document.engineStateChanged.connect(self._show)
        document.deviceChanged.connect(self._show)
        theme.changed.connect(self._show)
        self._show()

    # ------------------------------------------------------------------------------ showing

    def showEvent(self, event: QShowEvent) -> None:
        """Ask for the ceilings when somebody looks."""
        super().showEvent(event)
        self._roofline.want(True)
        self._show()

    def hideEvent(self, event: QHideEvent) -> None:
        """Ask for nothing while nobody looks."""
        super().hideEvent(event)
        self._roofline.want(False)

    def _show(self, _what: object = None) -> None:
        if not self.isVisible():
            return
        ceilings = self._roofline.ceilings()
        standing = self._roofline.standing()
        if self._document.launch is None:
            self._empty.say("No launch yet", "Press F5 to run; then see what bounds the launch.")
        elif ceilings is None:
            self._empty.say(
                "Nothing is known of this GPU", "Choose another target in the status bar."
            )
        nothing = self._document.launch is None or ceilings is None
        self._stack.setCurrentIndex(0 if nothing else 1)
        self._show_gpus()
        self._show_again()
        if ceilings is None:
            return
        self._show_chips(ceilings)
        self._show_standing(standing, ceilings)
        counted = self._roofline.counted()
        points = self._roofline.points()
        if counted is None or standing is None:
            self.plot.show_roof(None, None, None, ())
        else:
            self.plot.show_roof(picture(ceilings, counted, points), ceilings, standing, points)
        self._model.set_records(roof_rows(ceilings, standing, points))
        self._table.fit_columns()
        self._show_page()

    def _show_page(self, _shown: object = None) -> None:
        if self._actions.shows_table:
            self._pages.setCurrentIndex(1)
        else:
            self._pages.setCurrentIndex(2 if self._roofline.standing() is None else 0)

    def _show_gpus(self) -> None:
        device = self._document.device
        blocker = QSignalBlocker(self._gpu)
        if self._gpu.count() == 0:
            self._gpu.addItem("", "")
            for name in self._roofline.gpu_names():
                self._gpu.addItem(f"{name}, expected", name)
            self._gpu.view().setMinimumWidth(self._gpu.view().sizeHintForColumn(0) + 24)
        if self._roofline.has_gpu() and device is not None:
            own = device.name
        else:
            found = self._roofline.own_expected()
            own = found.name if found else self._document.target
        self._gpu.setItemText(0, own)
        self._gpu.setCurrentIndex(max(self._gpu.findData(self._roofline.gpu), 0))
        del blocker

    def _show_again(self) -> None:
        roofline = self._roofline
        ceilings = roofline.ceilings()
        measured = ceilings is not None and ceilings.measured
        text = "Cancel" if roofline.running else "Measure again" if measured else "Measure ceilings"
        tip = (
            "Stop measuring the ceilings"
            if roofline.running
            else "Measure memory, L2 and matrix products of this GPU; takes some seconds"
        )
        self._again.setToolTip(tip)
        self._again.setAccessibleName(f"{text}: {tip}")
        self._again.setIcon(icon("cross" if roofline.running else "reset", self._theme))
        self._again.setVisible(roofline.has_gpu())
        ready = self._document.engine_state in ("ready", "busy")
        self._again.setEnabled(roofline.running or (roofline.is_own() and ready))

    def _show_chips(self, ceilings: Ceilings) -> None:
        source = source_text(ceilings)
        if ceilings.measured:
            self._known.show_fact("measured here", "good", "check", tip=source)
        else:
            self._known.show_fact("expected, not measured", "warn", "info", tip=source)
        counted = self._roofline.counted()
        used = {kind for kind, _ in counted.flops_by_kind} if counted is not None else set()
        facts = [f"memory {significant(ceilings.copy_gbps, 4)} GB/s"]
        if ceilings.l2_gbps:
            facts.append(f"L2 {significant(ceilings.l2_gbps, 4)} GB/s")
        facts += [
            f"{kind} {significant(rate, 3)} TFLOP/s"
            for kind, rate in ceilings.tflops
            if kind in used or kind == "fp32 fma"
        ]
        if ceilings.launch_ms is not None:
            facts.append(f"empty kernel {time_text(ceilings.launch_ms)}")
        while len(self._rates) < len(facts):
            chip = Chip(f"roofline.rate{len(self._rates)}", self._theme, self._chips)
            self._flow.addWidget(chip)
            self._rates.append(chip)
        for index, chip in enumerate(self._rates):
            chip.show_fact(facts[index] if index < len(facts) else "", tip=source)

    def _show_standing(self, standing: Standing | None, ceilings: Ceilings) -> None:
        roofline = self._roofline
        if standing is None:
            self._share.setText("counting …")
            self._detail.setText("")
            self._config.setText("")
            self._notes.setText(roofline.problem)
            return
        if standing.share is not None:
            self._share.setText(f"{standing.share * 100:.0f} % of the roof")
        else:
            self._share.setText(f"at least {time_text(standing.floor_ms)}")
        kind = "" if ceilings.measured else " expected"
        parts = [
            f"bound by {bound_text(standing)}",
            f"{kind.strip() + ' ' if kind else ''}floor {time_text(standing.floor_ms, 4)}",
        ]
        timed = roofline.timed()
        if timed is not None:
            where = f"measured {time_text(timed.median_ms, 4)}, {method_text(timed)}"
        else:
            where = "not timed" if roofline.has_gpu() else "not timed: there is no GPU here"
        counted = roofline.counted()
        config = counted.config.label() if counted is not None else ""
        self._detail.setText(" · ".join(parts))
        self._config.setText(f"{where} · {config}")
        notes = list(standing.notes)
        if standing.share is not None and standing.share > 1:
            notes.insert(0, "faster than the roof allows: a cache served part of its bytes")
        if roofline.running:
            notes.insert(0, "measuring the ceilings of this GPU …")
        elif roofline.problem and roofline.is_own():
            notes.insert(0, roofline.problem)
        self._notes.setText(" · ".join(notes))

    # ------------------------------------------------------------------------------ acting

    def _on_again(self) -> None:
        if self._roofline.running:
            self._roofline.cancel()
        else:
            self._roofline.measure_again()

    def _apply(self, config: Config) -> None:
        self._document.apply_config(config)

    def _apply_row(self, row: RoofRow) -> None:
        if row.point is not None:
            self._apply(row.point.measurement.config)

    def _as_csv(self) -> str:
        return self._model.as_csv()
