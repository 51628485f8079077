"""The knobs of the selected launch, and in short what the current config came to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QPushButton,
    QScrollArea,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from playground.model.config import Config
from playground.model.knobs import is_taken
from playground.ui.icons import icon
from playground.ui.views.chips import FlowLayout
from playground.ui.views.elided import ElidedComboBox
from playground.ui.views.knob_row import KnobRow
from playground.ui.views.notice import EmptyState
from playground.ui.views.verdict_chips import VerdictChips

if TYPE_CHECKING:
    from playground.model.knobs import Knob, KnobValue
    from playground.model.launch import Launch
    from playground.ui.document import Document
    from playground.ui.theme import Theme


class KnobsPanel(QWidget):
    """One row for each knob; presets and a reset on top, the verdict on the config below them."""

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("knobs")
        self.setAccessibleName("Knobs")
        self._document, self._theme = document, theme
        self._rows: dict[str, KnobRow] = {}
        self._shown: tuple[int, str, tuple[str, ...]] | None = None

        self._presets = ElidedComboBox(self)
        self._presets.setObjectName("knobs.presets")
        self._presets.setAccessibleName("Presets: configs the file itself offers")
        self._presets.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self._presets.setMinimumContentsLength(10)
        self._presets.activated.connect(self._apply_preset)
        self._reset = QPushButton("Reset all", self)
        self._reset.setObjectName("knobs.reset")
        self._reset.setAccessibleName("Reset all knobs to what the file launched with")
        self._reset.setToolTip("Back to the values the file launched with")
        self._reset.clicked.connect(document.reset_knobs)
        top = QWidget(self)
        beside = FlowLayout(top)
        beside.addWidget(self._presets)
        beside.addWidget(self._reset)

        chips = QWidget(self)
        self._verdict = VerdictChips(document, theme, chips)
        flow = FlowLayout(chips)
        for chip in self._verdict.chips:
            flow.addWidget(chip)

        self._list = QWidget(self)
        self._column = QVBoxLayout(self._list)
        self._column.setContentsMargins(0, 0, 6, 0)
        self._column.addStretch(1)
        # As wide as the panel in any case: one wide row must not push the numbers out of sight.
        self._list.setMinimumWidth(1)
        scroll = QScrollArea(self)
        scroll.setObjectName("knobs.scroll")
        scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(self._list)

        page = QWidget(self)
        layout = QVBoxLayout(page)
        layout.addWidget(top)
        layout.addWidget(chips)
        layout.addWidget(scroll, 1)
        self._empty = EmptyState(
            "knobs.empty", "No knobs yet",
            "Run the file (F5): every constexpr and launch option becomes a knob.", theme, self,
        )  # fmt: skip
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(page)

        document.launchesChanged.connect(self._show_launch)
        document.launchSelected.connect(self._show_launch)
        document.knobsChanged.connect(self._show_launch)
        document.configChanged.connect(self._show_config)
        document.unusableChanged.connect(self._show_unusable)
        document.targetChanged.connect(self._show_unusable)
        theme.changed.connect(self._recolour)
        self._recolour()
        self._show_launch()

    def row(self, name: str) -> KnobRow:
        """Return the row of the knob called `name`; raises `KeyError` if there is none."""
        return self._rows[name]

    def _recolour(self) -> None:
        self._reset.setIcon(icon("reset", self._theme))

    def _show_launch(self) -> None:
        launch = self._document.launch
        self._stack.setCurrentIndex(1 if launch is not None and launch.knobs else 0)
        if launch is None:
            self._clear()
            self._shown = None
            self._empty.say(
                "No knobs yet",
                "Run the file (F5): every constexpr and launch option becomes a knob.",
            )
            return
        if not launch.knobs:
            self._empty.say("This launch has no knobs", "It takes no constexpr and no option.")
        shape = (launch.index, launch.kernel, tuple(f"{k.name}:{k.kind}" for k in launch.knobs))
        if shape == self._shown:
            # A drag may be in progress: the rows stay, only their marks change.
            for knob in launch.knobs:
                self._rows[knob.name].take_knob(
                    knob, unlocked=self._document.is_unlocked(knob.name)
                )
        else:
            self._build(launch)
            self._shown = shape
        self._fill_presets(launch)
        self._show_config()

    def _clear(self) -> None:
        for row in self._rows.values():
            self._column.removeWidget(row)
            row.hide()
            row.setParent(None)
            row.deleteLater()
        self._rows = {}

    def _build(self, launch: Launch) -> None:
        self._clear()
        constexprs = [knob for knob in launch.knobs if knob.origin == "constexpr"]
        options = [knob for knob in launch.knobs if knob.origin == "option"]
        previous: QWidget = self._reset
        for position, knob in enumerate([*constexprs, *options]):
            row = KnobRow(knob, self._theme, self._list)
            row.asked.connect(lambda value, drag, name=knob.name: self._ask(name, value, drag))
            row.released.connect(self._document.end_drag)
            row.undo_keys.asked.connect(self._on_undo)
            row.unlockAsked.connect(lambda on, name=knob.name: self._document.unlock_knob(name, on))
            row.take_knob(knob, unlocked=self._document.is_unlocked(knob.name))
            self._column.insertWidget(position, row)
            self._rows[knob.name] = row
            for stop in row.stops:
                QWidget.setTabOrder(previous, stop)
                previous = stop

    def _fill_presets(self, launch: Launch) -> None:
        self._presets.setVisible(bool(launch.presets))
        self._presets.blockSignals(True)
        self._presets.clear()
        if launch.presets:
            self._presets.addItem(f"Presets ({len(launch.presets)})", None)
        for preset in launch.presets:
            self._presets.addItem(preset.label, preset.config)
        self._presets.blockSignals(False)

    def _show_config(self) -> None:
        launch = self._document.launch
        if launch is None:
            return
        config = self._document.config
        for name, row in self._rows.items():
            if name in config:
                captured = launch.config.as_dict().get(name, row.knob.default)
                row.show_value(config[name], captured)
        self._show_unusable()
        self._reset.setEnabled(config != launch.config)
        for index in range(1, self._presets.count()):
            preset = self._presets.itemData(index)
            if isinstance(preset, Config) and config.updated(preset.as_dict()) == config:
                self._presets.setCurrentIndex(index)
                return
        self._presets.setCurrentIndex(0)

    def _show_unusable(self, _target: str = "") -> None:
        document = self._document
        blamed = self._last_moved()
        for name, row in self._rows.items():
            reasons = document.unusable_values(row.knob)
            if name not in blamed and name in document.config:
                # The whole config can't run then: said under the knob that led there.
                reasons.pop(document.config[name], None)
            row.show_unusable(reasons)
            row.setVisible(self._is_offered(row.knob))

    def _is_offered(self, knob: Knob) -> bool:
        """Tell whether a knob does anything: one that is set stays, to be set back."""
        document = self._document
        device = document.device
        runs_here = device is not None and device.mode == "gpu"
        if knob.origin != "option" or runs_here or is_taken(knob.name, document.target):
            return True
        neutral = (None, 1) if knob.name == "num_ctas" else (None,)
        return document.config.as_dict().get(knob.name) not in neutral

    def _last_moved(self) -> set[str]:
        """Return the knob moved last; all that differ from the captured when set at once."""
        document = self._document
        if document.last_knob is not None or document.launch is None:
            return {document.last_knob or ""}
        captured = document.launch.config.as_dict()
        return {name for name in document.config if document.config[name] != captured.get(name)}

    def _ask(self, name: str, value: KnobValue, dragging: bool) -> None:
        self._document.set_knob(name, value, dragging=dragging)

    def _on_undo(self, back: bool) -> None:
        history = self._document.knob_history
        (history.undo if back else history.redo)()

    def _apply_preset(self, index: int) -> None:
        config = self._presets.itemData(index)
        if isinstance(config, Config):
            self._document.apply_config(config)
