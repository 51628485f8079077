"""The advisor: the checklist in its order, each point's figures, and what to do about them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QScrollArea, QStackedWidget, QVBoxLayout, QWidget

from playground.model.advice import TOPICS
from playground.model.config import label
from playground.model.roofline import duration
from playground.ui.icons import icon
from playground.ui.views.advice_card import AdviceCard, title_of
from playground.ui.views.chips import Chip, FlowLayout
from playground.ui.views.notice import EmptyState, Notice
from playground.ui.views.roles import set_role

if TYPE_CHECKING:
    from playground.model.advice import Advisory, Topic
    from playground.ui.document import Document
    from playground.ui.theme import Theme

_TITLES: dict[Topic, str] = {
    "slips": "Slips",
    "memory access": "1 · Memory access",
    "arithmetic intensity": "2 · Arithmetic intensity",
    "parallelism": "3 · Parallelism",
    "resources": "4 · Resources",
    "instructions": "5 · Instructions",
}
_BEFORE = (
    "What would an expert change?",
    "Goes through memory access, arithmetic intensity, parallelism, resources and instructions, "
    "and says only what figures speak for. It compiles and counts what it offers to try, which "
    "takes some seconds.",
)
_NO_LAUNCH = ("Nothing to give advice on", "Press F5 to run; then ask about a launch.")


class AdvisorView(QWidget):
    """A button that asks; then the answers in order, with cards for what there is to do."""

    sourceLineRequested = Signal(int)

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("advisor")
        self.setAccessibleName("Advisor")
        self._document, self._advice, self._theme = document, document.advice, theme
        self._shown: Advisory | None = None
        self._cards: list[AdviceCard] = []
        self._ask = QPushButton(self)
        self._ask.setObjectName("advisor.ask")
        self._ask.setProperty("primary", True)
        self._ask.clicked.connect(self._on_ask)
        self._chips = {
            name: Chip(f"advisor.{name}", theme, self) for name in ("count", "time", "room")
        }
        head = QWidget(self)
        flow = FlowLayout(head)
        for widget in (self._ask, *self._chips.values()):
            flow.addWidget(widget)
        self._problem = Notice("advisor.problem", theme, "warn", "warning", self)
        self._stale = Notice("advisor.stale", theme, "accent", "info", self)
        self._empty = EmptyState("advisor.empty", *_NO_LAUNCH, theme, self)
        self._page = QWidget(self)
        self._rows = QVBoxLayout(self._page)
        self._scroll = scroll = QScrollArea(self)
        scroll.setObjectName("advisor.page")
        scroll.setAccessibleName("Advisor: answers")
        scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(self._page)
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(scroll)
        layout = QVBoxLayout(self)
        layout.addWidget(head)
        layout.addWidget(self._problem)
        layout.addWidget(self._stale)
        layout.addWidget(self._stack, 1)
        self._advice.changed.connect(self._show)
        document.deviceChanged.connect(self._show)
        theme.changed.connect(self._recolour)
        self._recolour()
        self._show()

    def _recolour(self) -> None:
        self._ask.setIcon(icon("hint", self._theme, "accent_text"))

    def _on_ask(self) -> None:
        if self._advice.running:
            self._advice.cancel()
        else:
            self._advice.ask()

    # ------------------------------------------------------------------------------ showing

    def _show(self) -> None:
        advice = self._advice
        found = advice.advisory
        again = "Ask again" if found is not None else "Ask the advisor"
        self._ask.setText("Cancel" if advice.running else again)
        self._ask.setEnabled(advice.running or (advice.possible() and advice.trying is None))
        self._problem.say(advice.why)
        if found is not self._shown:
            self._fill(found)
        self._stale.say(self._old(found))
        self._show_chips(found)
        for card in self._cards:
            card.refresh()
        self._stack.setCurrentIndex(0 if found is None else 1)
        if found is None:
            self._empty.say(*self._why())

    def _why(self) -> tuple[str, str]:
        if self._advice.running:
            return "Looking …", "It compiles, counts and, with a GPU, times the launch."
        return _BEFORE if self._advice.possible() else _NO_LAUNCH

    def _old(self, found: Advisory | None) -> str:
        if found is None or self._advice.running or self._advice.is_current():
            return ""
        return f"This is about {label(found.config.as_dict())}: ask again about what is shown now."

    def _show_chips(self, found: Advisory | None) -> None:
        chips = self._chips
        if found is None:
            for chip in chips.values():
                chip.show_fact("")
            return
        count, first = len(found.items), found.first
        text = "nothing to say" if not count else (
            f"{count} thing{'s' * (count != 1)} to do, first: "
            f"{title_of(first.cause).lower() if first is not None else ''}"
        )  # fmt: skip
        chips["count"].show_fact(text, "accent" if count else "good", "info" if count else "check")
        kind = "measured" if found.measured else "expected, not measured"
        time = f"{duration(found.time_ms)}, {kind}" if found.time_ms else ""
        chips["time"].show_fact(
            time, "muted", tip="\n".join(("Time of the launch", *found.missing))
        )
        room = ""
        if found.measured and found.time_ms and found.floor_ms:
            room = f"{found.floor_ms / found.time_ms:.0%} of the roof"
        chips["room"].show_fact(room, "muted", tip="The least that the ceilings allow, over it")

    def _fill(self, found: Advisory | None) -> None:
        self._shown = found
        self._cards = []
        while self._rows.count():
            taken = self._rows.takeAt(0)
            widget = taken.widget() if taken is not None else None
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        if found is None:
            return
        first = found.first
        said = {answer.topic: answer.text for answer in found.answers}
        for topic in TOPICS:
            items = found.of(topic)
            if topic == "slips" and not items:
                continue
            if self._rows.count():
                self._rows.addSpacing(self.fontMetrics().height() // 2)
            heading = QLabel(_TITLES[topic], self._page)
            set_role(heading, "heading")
            self._rows.addWidget(heading)
            self._rows.addWidget(self._muted(said.get(topic, "")))
            for item in items:
                card = AdviceCard(item, item is first, self._advice, self._theme, self._page)
                card.lineRequested.connect(self.sourceLineRequested)
                self._cards.append(card)
                self._rows.addWidget(card)
        for text in found.missing:
            self._rows.addWidget(self._muted(f"No evidence: {text}"))
        self._rows.addStretch(1)
        # Where the cards are is known when they are laid out.
        QTimer.singleShot(0, self, self._show_first)

    def _show_first(self) -> None:
        """Scroll to what to start with, its point's heading above it."""
        found = self._shown
        for card in self._cards:
            if found is not None and card.item is found.first:
                bar = self._scroll.verticalScrollBar()
                bar.setValue(max(card.y() - 4 * self.fontMetrics().height(), 0))

    def _muted(self, text: str) -> QLabel:
        shown = QLabel(text[:1].upper() + text[1:], self._page)
        shown.setWordWrap(True)
        shown.setTextFormat(Qt.TextFormat.PlainText)
        shown.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        set_role(shown, "muted")
        return shown
