"""The loads and stores of one program, one after another on a slider."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSlider, QWidget

from playground.ui.views.elided import ElidedLabel
from playground.ui.views.formatting import count_text
from playground.ui.views.icon_tools import IconTools
from playground.ui.views.program_stepper import Player

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.ui.document import Document
    from playground.ui.theme import Theme


class StepRow(QWidget):
    """A slider over the steps of the current program, with what the step does in words."""

    sourceLineRequested = Signal(int)

    def __init__(
        self,
        document: Document,
        theme: Theme,
        ready: Callable[[], bool],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._document = document
        self._steps = document.programs.steps
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(3)
        self._tools = IconTools(self, theme)
        previous = self._tools.make(
            "coverage.step.previous", "prev", "Previous step of the program"
        )
        previous.clicked.connect(lambda: self.step(-1))
        following = self._tools.make("coverage.step.next", "next", "Next step of the program")
        following.clicked.connect(lambda: self.step(1))
        self.player = Player(
            "coverage.step.play", "through the steps of the program", theme,
            lambda: self.step(1), ready, self,
        )  # fmt: skip
        self.slider = QSlider(Qt.Orientation.Horizontal, self)
        self.slider.setObjectName("coverage.step")
        self.slider.setAccessibleName("Step of the program")
        self.slider.setToolTip("Loads and stores in the order in which the program makes them")
        self.slider.setRange(-1, -1)
        self.slider.valueChanged.connect(self._steps.go)
        self.slider.setMinimumWidth(self.fontMetrics().height() * 6)
        # The page puts it where there is room for a sentence.
        self.text = ElidedLabel("coverage.step.text", self)
        self._line = self._tools.make(
            "coverage.step.line", "goto", "Show this step's line in the editor"
        )
        self._line.clicked.connect(self._go)
        for widget in (previous, self.player, following):
            row.addWidget(widget)
        row.addWidget(self.slider, 1)
        row.addWidget(self._line)
        self._steps.changed.connect(self._show)
        self._steps.moved.connect(self._show)
        self._show()

    def step(self, direction: int) -> bool:
        """Go one step on or back; tell whether there was one."""
        there = self._steps.at + direction
        if not -1 <= there < self._steps.count:
            return False
        self._steps.go(there)
        return True

    def sentence(self) -> str:
        """Return the step shown in words."""
        steps, programs = self._steps, self._document.programs
        if programs.current is None:
            return "choose a program to step through its loads and stores"
        if steps.running and steps.reply is None:
            return "recording what the program does …"
        if steps.reply is None:
            return steps.why or "no steps recorded"
        if not steps.count:
            return "this program touches no memory"
        more = "the first " if steps.reply.truncated else ""
        count = count_text(steps.count)
        if steps.at < 0:
            return f"{more}{count} steps: all of them"
        site, tensor, elements = steps.site(), steps.tensor(), steps.elements()
        what = "an access" if site is None else site.kind
        place = "" if site is None else f", line {site.line}"
        if site is not None and not self._document.is_open(site.file):
            place = f", {Path(site.file).name}:{site.line}"
        touched = 0 if elements is None else len(elements)
        return (
            f"step {count_text(steps.at + 1)} of {more}{count}: {what} {tensor}{place}"
            f" · {count_text(touched)} element{'s' * (touched != 1)}"
        )

    def _show(self) -> None:
        blocker = QSignalBlocker(self.slider)
        self.slider.setRange(-1, self._steps.count - 1)
        self.slider.setValue(self._steps.at)
        del blocker
        self.slider.setEnabled(self._steps.count > 0)
        text = self.sentence()
        self.text.setText(text)
        self.text.setToolTip(text)
        site = self._steps.site()
        self._line.setEnabled(site is not None and self._document.is_open(site.file))

    def _go(self) -> None:
        site = self._steps.site()
        if site is not None:
            self.sourceLineRequested.emit(site.line)
