"""One piece of advice: what is the case, what to write, its evidence, and what can be tried."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from playground.ui.theme import mono_font
from playground.ui.views.chips import Chip, FlowLayout
from playground.ui.views.roles import set_role

if TYPE_CHECKING:
    from playground.model.advice import Advice, ExpectedGain, Try
    from playground.ui.document_advice import DocumentAdvice, Tried
    from playground.ui.theme import Theme
    from playground.ui.views.marks import Mark, Tone

_CAUSES = {
    "uncoalesced": "Sectors wasted",
    "masked-off": "Lanes switched off",
    "missing-hint": "Alignment not known",
    "volatile": "Volatile loads",
    "atomic-store": "Atomics nobody shares",
    "atomic-contention": "Atomics on one address",
    "atomic-order": "Atomics that order",
    "no-dot": "No tensor cores",
    "upcast": "Cast up before the product",
    "ieee": "Exact float32 products",
    "small-tiles": "Tiles too small",
    "order": "Order of programs",
    "few-programs": "Too few programs",
    "tail": "A last wave that is not full",
    "small-programs": "Programs too small",
    "idle-threads": "More threads than elements",
    "uneven-programs": "Uneven programs",
    "spills": "Spilled registers",
    "stages": "No loads ahead",
    "int64": "Offsets of 64 bits",
    "divisor": "Division at run time",
    "float64": "Arithmetic in float64",
    "barrier": "Barriers",
    "print": "A print left in",
    "no-mask": "No mask",
    "loop-without-mask": "Loop without a mask",
    "int32-offset": "Offsets past 2^31",
    "tf32-default": "tf32 by default",
    "autotune-without-key": "A tuner without key",
    "tuned-in-place": "Tuned in place",
    "grid-parameter": "A grid handed to the kernel",
    "undefined-tiles": "Number of tiles missing",
    "no-such-api": "Not in Triton",
}
"""What each cause is called on its card."""


def title_of(cause: str) -> str:
    """Return what a cause is called for people."""
    return _CAUSES.get(cause, cause.replace("-", " ").capitalize())


class AdviceCard(QWidget):
    """Shows one piece of advice; `lineRequested` carries the line that it is about."""

    lineRequested = Signal(int)

    def __init__(
        self, item: Advice, first: bool, advice: DocumentAdvice, theme: Theme, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.item, self._first, self._advice, self._theme = item, first, advice, theme
        self.setObjectName(f"advisor.card.{item.cause}")
        self.setAccessibleName(f"{title_of(item.cause)}: {item.message}")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        height = self.fontMetrics().height()
        self._body = QVBoxLayout(self)
        self._body.setContentsMargins(round(height * 0.9), height // 2, height // 2, height // 2)
        self._body.setSpacing(height // 3)
        self._add_head()
        self._say(item.message)
        self._say(item.remedy, "muted")
        self._add_evidence()
        for note in item.notes:
            self._say(f"Note: {note}", "muted")
        self._tries = tuple(self._add_try(number, each) for number, each in enumerate(item.tries))
        theme.changed.connect(self.update)
        self.refresh()

    # ------------------------------------------------------------------------------ building

    def _add_head(self) -> None:
        row = QWidget(self)
        flow = FlowLayout(row)
        title = QLabel(title_of(self.item.cause), row)
        font = title.font()
        font.setBold(True)
        title.setFont(font)
        flow.addWidget(title)
        if self._first:
            chip = Chip("advisor.first", self._theme, row)
            chip.show_fact("start here", "accent", "info", tip="What promises most comes first")
            flow.addWidget(chip)
        gain = self.item.gain
        if gain is not None and gain.factor > 1:
            chip = Chip("advisor.gain", self._theme, row)
            chip.show_fact(f"up to {gain.factor:.3g} ×", "good", tip=_gain_tip(gain))
            flow.addWidget(chip)
        if self.item.line:
            place = os.path.basename(self.item.file or "")
            link = QPushButton(f"line {self.item.line}", row)
            link.setObjectName(f"advisor.line:{self.item.line}")
            link.setProperty("link", "true")
            link.setToolTip(f"Show line {self.item.line} of {place}")
            link.setAccessibleName(link.toolTip())
            line = self.item.line
            link.clicked.connect(lambda: self.lineRequested.emit(line))
            flow.addWidget(link)
        self._body.addWidget(row)

    def _say(self, text: str, role: str = "") -> QLabel:
        label = QLabel(text[:1].upper() + text[1:] if role != "code" else text, self)
        label.setWordWrap(True)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        if role == "muted":
            set_role(label, "muted")
        self._body.addWidget(label)
        return label

    def _add_evidence(self) -> None:
        figures = [each for each in self.item.evidence if each.value is not None]
        for each in self.item.evidence:
            if each.value is None:
                self._say(each.text, "code").setFont(mono_font())
        if figures:
            rows = "\n".join(f"•  {each.words()}  ({each.source})" for each in figures)
            self._say(rows)
        if self.item.gain is not None:
            self._say(f"Expected, not measured: {self.item.gain.formula}.", "muted")

    def _add_try(self, number: int, attempt: Try) -> _TryRow:
        row = _TryRow(f"{self.item.cause}.{number}", attempt, self._advice, self._theme, self)
        self._body.addWidget(row)
        return row

    def refresh(self) -> None:
        """Show how the tries stand."""
        for row in self._tries:
            row.refresh()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the card's ground, and its edge in the colour of how much it matters."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        height = self.fontMetrics().height()
        tone = "warn" if self.item.topic == "slips" else ("accent" if self._first else "muted")
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.color("raised"))
        painter.drawRoundedRect(QRectF(self.rect()), height * 0.3, height * 0.3)
        painter.setBrush(self._theme.color(tone))
        painter.drawRoundedRect(QRectF(0, 0, height * 0.22, self.height()), 2, 2)


class _TryRow(QWidget):
    """A button that tries something; then what came of it, and a button that takes it back."""

    def __init__(
        self, name: str, attempt: Try, advice: DocumentAdvice, theme: Theme, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._attempt, self._advice = attempt, advice
        flow = FlowLayout(self)
        self._button = QPushButton(self)
        self._button.setObjectName(f"advisor.try.{name}")
        self._button.clicked.connect(self._on_click)
        self._undo = QPushButton("Undo", self)
        self._undo.setObjectName(f"advisor.undo.{name}")
        self._undo.setToolTip("Take this try back")
        self._undo.setAccessibleName(f"Take back: {attempt.label}")
        self._undo.clicked.connect(self._on_undo)
        self._result = Chip(f"advisor.result.{name}", theme, self)
        for widget in (self._button, self._result, self._undo):
            flow.addWidget(widget)

    def refresh(self) -> None:
        """Show whether it can be tried now, and what came of it."""
        advice, attempt = self._advice, self._attempt
        running = advice.trying == attempt
        made = advice.result_of(attempt)
        self._button.setText("Cancel" if running else f"Try {attempt.label}")
        self._button.setToolTip(_try_tip(attempt))
        self._button.setAccessibleName(self._button.toolTip())
        idle = advice.trying is None and not advice.running and advice.is_current()
        self._button.setEnabled(running or idle)
        if running:
            self._result.show_fact("checking and measuring …", "muted")
        elif made is None:
            self._result.show_fact("")
        else:
            self._result.show_fact(*_told(made))
        self._undo.setVisible(made is not None and made.applied)

    def _on_click(self) -> None:
        if self._advice.trying == self._attempt:
            self._advice.cancel()
        else:
            self._advice.try_it(self._attempt)

    def _on_undo(self) -> None:
        made = self._advice.result_of(self._attempt)
        if made is not None:
            self._advice.undo(made)


def _told(made: Tried) -> tuple[str, Tone, Mark]:
    result = made.result
    if result.comparison is None:
        bad = result.status in ("wrong", "failed")
        words = {"wrong": "wrong result, not kept", "failed": "failed", "measured": "",
                 "not measured": "right, not measured: no GPU"}  # fmt: skip
        text = words[result.status]
        return (f"{text}: {result.note}"[:90] if bad else text), "bad" if bad else "muted", (
            "warning" if bad else "info"
        )  # fmt: skip
    verdict = result.comparison.verdict
    tone: Tone = {"faster": "good", "slower": "bad"}.get(verdict, "muted")  # type: ignore[assignment]
    mark: Mark = "check" if verdict == "faster" else "info"
    text = result.text().removeprefix(f"{result.attempt.label}: ")
    return text, tone, mark


def _gain_tip(gain: ExpectedGain) -> str:
    return f"{gain.text()}\n{gain.formula}"


def _try_tip(attempt: Try) -> str:
    lines = ["Measure it against what is shown, then put it in place:"]
    lines += [f"{name} = {'none' if value is None else value}" for name, value in attempt.values]
    for edit in attempt.edits:
        lines += [f"- {text.strip()}" for text in edit.before]
        lines += [f"+ {text.strip()}" for text in edit.after]
    if attempt.gain is not None:
        lines.append(attempt.gain.text())
    return "\n".join(lines)
