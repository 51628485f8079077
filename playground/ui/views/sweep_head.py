"""The verbs of a sweep and how far it is: begin, pause, cancel, go on; progress, time left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget

from playground.ui.icons import icon
from playground.ui.views.chips import FlowLayout
from playground.ui.views.elided import ElidedLabel
from playground.ui.views.formatting import interval_text, time_text
from playground.ui.views.roles import set_role
from playground.ui.views.sweep_columns import STATUS
from playground.ui.views.sweep_exports import SweepExports
from playground.ui.views.sweep_past import state_text, when_text
from playground.ui.views.sweep_scene import sizes_words

if TYPE_CHECKING:
    from playground.model.sweep import SweepStatus
    from playground.ui.document import Document
    from playground.ui.theme import Theme
    from playground.ui.views.sweep_scene import Scene


_COUNTED: dict[SweepStatus, str] = {"resources": "do not fit", "compile": "do not compile"}


class SweepHead(QWidget):
    """Buttons, a bar, and what came of it in words."""

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sweep.head")
        self._document, self._sweep, self._theme = document, document.sweep, theme
        self.start = self._button("start", "Start sweep", "Try what is set up")
        self.start.clicked.connect(self._on_start)
        self.start.setProperty("primary", "true")
        wide = self.start.sizeHint().width()
        self.start.setMinimumWidth(wide)  # it says Cancel meanwhile, and nothing moves
        self.pause = self._button("pause", "Pause", "")
        self.pause.clicked.connect(lambda: self._sweep.pause(not self._sweep.paused))
        self.pause.setMinimumWidth(self.pause.sizeHint().width() + 8)
        self.resume = self._button("continue", "Continue", "Try only what the last sweep left")
        self.resume.clicked.connect(lambda: self._sweep.start(resume=True))
        self.around = self._button(
            "around", "Around this config", "Fill in a few steps either side of the config shown"
        )
        self.around.clicked.connect(self._sweep.offer_around)
        self.exports = SweepExports(document, theme, self)
        buttons = QWidget(self)
        flow = FlowLayout(buttons)
        for button in (self.start, self.pause, self.resume, self.around, self.exports):
            flow.addWidget(button)
        self.plan = QLabel(self)
        self.plan.setObjectName("sweep.count")
        self.plan.setWordWrap(True)
        self.bar = QProgressBar(self)
        self.bar.setObjectName("sweep.progress")
        self.bar.setAccessibleName("Progress of the sweep")
        self.summary = ElidedLabel("sweep.summary", self)
        self.details = ElidedLabel("sweep.details", self)
        set_role(self.details, "muted")
        self._is_setup = True
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(self.fontMetrics().height() // 4)
        for widget in (buttons, self.plan, self.bar, self.summary, self.details):
            layout.addWidget(widget)
        theme.changed.connect(self._recolour)
        self._recolour()

    def _button(self, name: str, text: str, tip: str) -> QPushButton:
        button = QPushButton(text, self)
        button.setObjectName(f"sweep.{name}")
        button.setToolTip(tip)
        button.setAccessibleName(f"{text}: {tip}")
        return button

    def _recolour(self) -> None:
        running = self._sweep.running
        self.start.setIcon(
            icon("cross", self._theme) if running else icon("sweep", self._theme, "accent_text")
        )
        self.pause.setIcon(icon("run" if self._sweep.paused else "pause", self._theme))
        self.resume.setIcon(icon("next", self._theme))

    # ------------------------------------------------------------------------------ showing

    def show_setup(self) -> None:
        """Show what Start would do, and which verbs can be done."""
        sweep = self._sweep
        reading = sweep.reading
        ready = self._document.engine_state in ("ready", "busy")
        wrong = bool(reading.problem)
        self.plan.setText(sweep.plan_text())
        self.plan.setVisible(not sweep.running and self._is_setup)
        self.plan.setProperty("role", "bad" if wrong and self._document.launch else "")
        self.plan.style().unpolish(self.plan)
        self.plan.style().polish(self.plan)
        text = "Cancel" if sweep.running else "Start sweep"
        tip = "Stop; what was measured stays" if sweep.running else "Try what is set up"
        self.start.setText(text)
        self.start.setToolTip(tip)
        self.start.setAccessibleName("Cancel the sweep" if sweep.running else "Start the sweep")
        if self.start.property("primary") != ("false" if sweep.running else "true"):
            self.start.setProperty("primary", "false" if sweep.running else "true")
            self.start.style().unpolish(self.start)
            self.start.style().polish(self.start)
        self.start.setEnabled(sweep.running or (not wrong and ready))
        self.pause.setVisible(sweep.running)
        self.pause.setText("Go on" if sweep.paused else "Pause")
        self.pause.setToolTip("Go on with the sweep" if sweep.paused else (
            "Wait before the next config; the GPU is free meanwhile"))  # fmt: skip
        self.pause.setAccessibleName(self.pause.toolTip())
        self.resume.setVisible(sweep.can_continue)
        self.resume.setEnabled(ready and not wrong)
        self.around.setVisible(not sweep.running and self._is_setup)
        self.exports.setVisible(not self._is_setup or bool(sweep.rows))
        self._recolour()

    def show_rows(self, scene: Scene) -> None:
        """Show how far the sweep is and who is ahead."""
        sweep = self._sweep
        done, total = sweep.done
        total = total or sweep.reading.count.valid
        self.bar.setVisible(sweep.running)
        self.bar.setRange(0, max(total, 1))
        self.bar.setValue(done)
        self.bar.setFormat(f"{done} of {total}")
        progress = self._progress(done, total)
        first = [text for text in (progress, self._winner(scene)) if text]
        self.summary.setText(" · ".join(first))
        self.details.setText(" · ".join(text for text in (
            self._margin(scene), self._counts(scene)) if text))  # fmt: skip
        self._show_lines()
        self.bar.setAccessibleDescription(progress)

    def show_page(self, *, is_setup: bool) -> None:
        """Say what came of it, or beside the set-up what it would try."""
        if is_setup != self._is_setup:
            self._is_setup = is_setup
            self.show_setup()
        self._show_lines()

    def _show_lines(self) -> None:
        shown = self._sweep.running or not self._is_setup
        for label in (self.summary, self.details):
            label.setVisible(shown and bool(label.text()))

    def _progress(self, done: int, total: int) -> str:
        sweep = self._sweep
        if not sweep.running:
            opened = sweep.opened
            if opened is not None:
                return (f"Sweep {opened.number} of {when_text(opened.started)}, "
                        f"{state_text(opened)}: {opened.title}, {opened.machine()}")  # fmt: skip
            return sweep.problem
        text = f"{done} of {total} configs"
        if sweep.of > 1:
            at = sweep.parts[-1].sizes if sweep.parts else ()
            text = f"Size {sweep.number} of {sweep.of} ({sizes_words(at)}): {text}"
        if sweep.paused:
            return f"{text}, paused"
        if sweep.eta_s is not None:
            text += f", about {_duration(sweep.eta_s)} left"
        elif done >= total > 0:
            text += "; the fastest are timed again in turns"
        return text

    def _winner(self, scene: Scene) -> str:
        best = scene.best
        if best is None or best.median_ms is None:
            return ""
        text = f"Best {time_text(best.median_ms, 4)}"
        if best.low_ms is not None and best.high_ms is not None:
            text += f" (95 % {interval_text(best.low_ms, best.high_ms)})"
        if self._sweep.result is None and self._sweep.running:
            text += " so far"
        return f"{text}: {scene.label(best.config)}"

    def _margin(self, scene: Scene) -> str:
        result = self._sweep.result
        texts = []
        if len(scene.tied) > 1:
            texts.append(f"{len(scene.tied)} tied for the first place, this one needs the least")
        margin = result.ranking.margin if result is not None else None
        if margin is not None:
            ahead, low, high = (100 * (value - 1) for value in (
                margin.ratio, margin.low, margin.high))  # fmt: skip
            texts.append(f"{ahead:.1f} % ahead of the next (95 % {low:.1f} to {high:.1f} %)")
        return "; ".join(texts)

    def _counts(self, scene: Scene) -> str:
        if not scene.rows:
            return ""
        counts: dict[SweepStatus, int] = {}
        for row in scene.rows:
            counts[row.status] = counts.get(row.status, 0) + 1
        text = f"{len(scene.rows)} configs: " + ", ".join(
            f"{count} {_COUNTED.get(status, STATUS[status][0]) if count > 1 else STATUS[status][0]}"
            for status, count in counts.items()
        )
        result = self._sweep.result
        if result is not None:
            if result.excluded:
                text += f"; {result.excluded:,} more ruled out by conditions"
            if result.cancelled:
                text += f"; ended after {len(scene.rows)} of {result.total}"
            elif result.elapsed_s:
                text += f"; {_duration(result.elapsed_s)}"
            if result.proved_at:
                text += f"; the best are right on {result.proved_at} as well"
            if result.note:
                text += f"; {result.note}"
        return text

    # ------------------------------------------------------------------------------ acting

    def _on_start(self) -> None:
        if self._sweep.running:
            self._sweep.cancel()
        else:
            self._sweep.start()


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.1f} h"
