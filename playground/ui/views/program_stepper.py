"""Stepping through the programs of a launch by hand or by itself, and telling what one touches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, QSize, QTimer, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QSpinBox, QToolButton, QWidget

from playground.ui.document_programs import UNION_LIMIT
from playground.ui.icons import icon
from playground.ui.views.chips import FlowLayout
from playground.ui.views.coverage_text import program_text
from playground.ui.views.elided import ElidedLabel
from playground.ui.views.formatting import count_text
from playground.ui.views.icon_tools import IconTools

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QResizeEvent

    from playground.ui.document_programs import DocumentPrograms
    from playground.ui.theme import Theme

SPEEDS = (1, 2, 5, 10, 30)
"""Programs or steps a second that the user can choose."""
_FIRST_SPEED = 5


class Player(QWidget):
    """A button that plays and pauses; `ready` holds a beat back while the last one is not drawn."""

    def __init__(
        self,
        name: str,
        what: str,
        theme: Theme,
        beat: Callable[[], bool],
        ready: Callable[[], bool],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme, self._what, self._beat, self._ready = theme, what, beat, ready
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._on_beat)
        self.set_speed(_FIRST_SPEED)
        self.button = QToolButton(self)
        self.button.setObjectName(name)
        self.button.setAutoRaise(True)
        self.button.setCheckable(True)
        self.button.toggled.connect(self.play)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.button)
        theme.changed.connect(self._show)
        self._show()

    @property
    def playing(self) -> bool:
        """Whether it runs by itself."""
        return self._timer.isActive()

    def set_speed(self, each_second: int) -> None:
        """Beat so many times a second."""
        self._timer.setInterval(round(1000 / each_second))

    def play(self, on: bool) -> None:
        """Play, or pause."""
        if on:
            self._timer.start()
        else:
            self._timer.stop()
        blocker = QSignalBlocker(self.button)
        self.button.setChecked(on)
        del blocker
        self._show()

    def _on_beat(self) -> None:
        if self._ready() and not self._beat():
            self.play(False)

    def _show(self) -> None:
        text = f"Pause {self._what}" if self.playing else f"Play {self._what}"
        size = self.fontMetrics().height()
        self.button.setIcon(icon("pause" if self.playing else "run", self._theme))
        self.button.setIconSize(QSize(size, size))
        self.button.setAccessibleName(text)
        self.button.setToolTip(text)


class ProgramStepper(QWidget):
    """The row that chooses a program: by number, one after another in an order, or by itself."""

    stepsToggled = Signal(bool)

    def __init__(
        self,
        programs: DocumentPrograms,
        theme: Theme,
        ready: Callable[[], bool],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._programs = programs
        self._tools = IconTools(self, theme)
        self._counts: tuple[str, int, int] | None = None
        row = FlowLayout(self, 3)
        self.spin = QSpinBox(self)
        self.spin.setObjectName("coverage.program")
        self.spin.setAccessibleName("Program whose loads and stores are highlighted")
        self.spin.setToolTip("Linear program id: x counts fastest, then y, then z")
        self._fit()
        self.spin.setMinimum(-1)
        self.spin.setValue(-1)
        self.spin.setKeyboardTracking(False)
        self.spin.valueChanged.connect(self._on_spin)
        previous = self._tools.make("coverage.previous", "prev", "Previous program (Page Up)")
        previous.clicked.connect(lambda: programs.step(-1))
        following = self._tools.make("coverage.next", "next", "Next program (Page Down)")
        following.clicked.connect(lambda: programs.step(1))
        self.player = Player(
            "coverage.play", "through the programs", theme, lambda: programs.step(1), ready, self
        )
        self.order = QComboBox(self)
        self.order.setObjectName("coverage.order")
        self.order.setAccessibleName("Order in which programs are stepped through")
        self.order.addItem("launch", "launch")
        self.order.addItem("start", "start")
        self.order.activated.connect(self._on_order)
        self.speed = QComboBox(self)
        self.speed.setObjectName("coverage.speed")
        self.speed.setAccessibleName("Speed of playing")
        self.speed.setToolTip("Programs, or steps of a program, a second")
        for speed in SPEEDS:
            self.speed.addItem(f"{speed}/s", speed)
        self.speed.setCurrentIndex(SPEEDS.index(_FIRST_SPEED))
        self.clear = self._tools.make("coverage.clear", "cross", "No program highlighted")
        self.clear.clicked.connect(lambda: programs.choose(()))
        self.steps = self._tools.make(
            "coverage.steps", "steps", "Step through the program's own loads and stores, in order"
        )
        self.steps.setCheckable(True)
        self.steps.toggled.connect(self.stepsToggled)
        # The page puts it where there is room for a sentence.
        self.text = ElidedLabel("coverage.footprint", self)
        for widget in (
            previous, self.spin, following, self.player, self.speed, self.order,
            self.steps, self.clear,
        ):  # fmt: skip
            row.addWidget(widget)
        programs.chosenChanged.connect(self._show)
        programs.hoveredChanged.connect(self._show)
        programs.orderChanged.connect(self._show)
        self._show()

    def _fit(self) -> None:
        # Where the row is short the number alone; the cross beside it clears it as well.
        roomy = self.width() > self.fontMetrics().height() * 32
        self.spin.setPrefix("program " if roomy else "")
        self.spin.setSpecialValueText("no program" if roomy else "none")
        self.spin.setMaximumWidth(self.spin.sizeHint().width())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Say more or less, as there is room."""
        super().resizeEvent(event)
        self._fit()

    def show_count(self) -> None:
        """Offer the programs that there are now."""
        blocker = QSignalBlocker(self.spin)
        self.spin.setMaximum(self._programs.count - 1)
        del blocker
        self._show()

    def show_counts(self, counts: tuple[str, int, int] | None) -> None:
        """Tell of a tensor how many elements the programs shown load and store; None: not yet."""
        if counts != self._counts:
            self._counts = counts
            self._show()

    # ------------------------------------------------------------------------------ showing

    def _show(self) -> None:
        programs = self._programs
        blocker = QSignalBlocker(self.spin)
        self.spin.setValue(-1 if programs.current is None else programs.current)
        del blocker
        self.clear.setEnabled(bool(programs.chosen))
        self.steps.setEnabled(programs.current is not None or self.steps.isChecked())
        self._show_order()
        text, tip = self._sentence()
        self.text.setEnabled(bool(programs.shown))
        self.text.setText(text)
        self.text.setToolTip(tip or text)

    def _show_order(self) -> None:
        why = "" if self._programs.schedule.possible() else self._programs.schedule.missing()
        self.order.setEnabled(not why)
        self.order.setToolTip(
            f"Only the launch order: the order of starts {why}" if why
            else "Step by id, or in the order in which the programs really started on the GPU"
        )  # fmt: skip
        blocker = QSignalBlocker(self.order)
        self.order.setCurrentIndex(self.order.findData(self._programs.order))
        del blocker

    def _sentence(self) -> tuple[str, str]:
        programs = self._programs
        if not programs.shown:
            return "click a tile to see its program", (
                "Hover an element or a program: its loads and stores are outlined in every tensor. "
                "A click keeps them"
            )
        parts = []
        if len(programs.chosen) > 1:
            many = f"{count_text(len(programs.chosen))} programs"
            if len(programs.shown) < len(programs.chosen):
                many += f", drawn: the last one (all of them up to {UNION_LIMIT})"
            parts.append(many)
        elif programs.previewed or programs.grid[1] * programs.grid[2] > 1:
            place = program_text(programs.shown[-1], programs.grid)
            parts.append(f"program {place}" if programs.previewed else place)
        turn = programs.position()
        if programs.order == "start" and turn is not None:
            parts.append(f"start {count_text(turn + 1)} of {count_text(programs.count)}")
        if self._counts is None:
            parts.append("looking …")
        else:
            tensor, loads, stores = self._counts
            parts.append(f"loads {count_text(loads)}")
            parts.append(f"stores {count_text(stores)} elements of {tensor}")
        return " · ".join(parts), ""

    # ------------------------------------------------------------------------------ choosing

    def _on_spin(self, value: int) -> None:
        self._programs.choose((value,) if value >= 0 else ())

    def _on_order(self, row: int) -> None:
        order = self.order.itemData(row)
        # Whoever steps in the order of starts wants it recorded.
        self._programs.schedule.want("order", order == "start")
        self._programs.set_order(order)
