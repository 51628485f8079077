"""The tour: from an empty window to a tuned kernel that has proved itself, step by step.

It watches what the user does in the real window and goes on when a step is done. Nothing waits for
it, and nothing runs but by a click of the user, in the window or on the card.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QTimer
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QScrollArea, QWidget
from shiboken6 import isValid

from playground.ui.tour_steps import STEPS, Step
from playground.ui.views.callout import Callout, Outline

if TYPE_CHECKING:
    from playground.model.config import Config
    from playground.ui.window import MainWindow

FINISHED, DISMISSED = "finished", "dismissed"
_BY_ID = {step.id: step for step in STEPS}
_MOVES = {
    QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show, QEvent.Type.Hide,
    QEvent.Type.ParentChange, QEvent.Type.LayoutRequest,
}  # fmt: skip


class Tour(QObject):
    """Where the tour is; `card` and `outline` are there while it goes on."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._at = 0
        self.card: Callout | None = None
        self.outline: Outline | None = None
        self._watched: list[QWidget] = []
        self._before: Config | None = None
        self._chosen: tuple[int, ...] = ()
        self._swept = self._exported = self._proved = False
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self._show)
        document = window.document
        for changed in (
            document.pathChanged, document.launchesChanged, document.configChanged,
            document.coveredChanged, document.measuredChanged, document.unusableChanged,
            document.engineStateChanged, document.findingsChanged, document.deviceChanged,
            document.programs.chosenChanged, document.sweep.changed, document.textReplaced,
        ):  # fmt: skip
            changed.connect(self._on_changed)
        document.sweepBegun.connect(self._on_sweep)
        window.export_check.offered.connect(self._on_exported)
        window.export_check.checked.connect(self._on_checked)
        for dock in window.docks.docks():
            for moved in (dock.visibilityChanged, dock.topLevelChanged, dock.dockLocationChanged):
                moved.connect(self._later)
        window.closed.connect(self._soon.stop)

    # ------------------------------------------------------------------------- beginning, ending

    @property
    def active(self) -> bool:
        """Whether the tour is going on."""
        return self.card is not None

    @property
    def step(self) -> Step | None:
        """The step the tour is at, None when it is over."""
        return STEPS[self._at] if self.active and self._at < len(STEPS) else None

    def start(self) -> None:
        """Begin; while it goes on, give its card the keyboard."""
        if self.card is not None:
            self.card.do.setFocus()
            return
        self._begin(0)

    def resume(self) -> None:
        """Go on where the last window left off, unless it was finished or sent away."""
        at = self._window.settings.tour
        if at not in (FINISHED, DISMISSED) and not self.active:
            self._begin(next((i for i, step in enumerate(STEPS) if step.id == at), 0))

    def _begin(self, at: int) -> None:
        self.card = card = Callout(self._window)
        self.outline = Outline(self._window.theme, self._window)
        card.doIt.connect(self._do)
        card.skipped.connect(self.skip)
        card.ended.connect(lambda: self._close(DISMISSED))
        card.left.connect(self._window.editor.setFocus)
        self._go(at)

    def _close(self, outcome: str) -> None:
        had_focus = self.card is not None and self.card.isAncestorOf(
            self._window.focusWidget() or self._window
        )
        self._window.settings.tour = outcome
        self._watch(None)
        self._soon.stop()
        for part in (self.card, self.outline):
            if part is not None:
                part.hide()
                part.deleteLater()
        self.card = self.outline = None
        if had_focus:
            self._window.editor.setFocus()

    def skip(self) -> None:
        """Go on to the next step although this one is not done."""
        self._go(self._at + 1)

    def _go(self, at: int) -> None:
        """Be at a step; those that need no doing any more are passed."""
        window, document = self._window, self._window.document
        self._at = at
        self._before = document.config if document.launch is not None else None
        self._swept = self._exported = self._proved = False
        self._chosen = document.programs.chosen
        step = self.step
        window.settings.tour = FINISHED if step is None else step.id
        if step is not None and self._is_done(step):
            self._go(at + 1)
            return
        shown = self._effective()
        if shown is not None and shown.dock:
            dock = window.docks[shown.dock]
            dock.show()
            dock.raise_()  # without taking the keyboard from where it is
        self._later()

    # --------------------------------------------------------------------------------- watching

    def _is_done(self, step: Step) -> bool:
        document = self._window.document
        if step.id == "open":
            return bool(document.path)
        if step.id == "run":
            return document.launch is not None and bool(document.config.values)
        if step.id == "knob":
            moved = self._before is not None and document.config != self._before
            answered = document.is_current(document.coverage) or bool(document.refusal)
            return moved and answered
        if step.id == "coverage":
            return bool(document.programs.chosen) and document.programs.chosen != self._chosen
        if step.id == "sweep":
            ended = not document.sweep.running and document.sweep.result is not None
            return self._swept and ended
        return self._exported if step.id == "export" else self._proved

    def _effective(self) -> Step | None:
        """Return the step to show: the one before it, where that has come undone or was skipped."""
        step = self.step
        if step is None:
            return None
        missing = step
        document = self._window.document
        if step.before == "export" and not self._window.export_check.path:
            missing = _BY_ID["export"]
        if missing.before in ("run", "open") and document.launch is None:
            missing = _BY_ID["run"]
        return _BY_ID["open"] if missing.id == "run" and not document.path else missing

    def _on_changed(self, *_what: object) -> None:
        if not self.active:
            return
        if self._before is None and self._window.document.launch is not None:
            self._before = self._window.document.config
        step = self.step
        if step is not None and self._is_done(step):
            self._go(self._at + 1)
        self._later()

    def _on_sweep(self) -> None:
        self._swept = True

    def _on_exported(self, _path: str) -> None:
        self._exported = True
        self._on_changed()

    def _on_checked(self, _path: str, proved: bool) -> None:
        self._proved = proved
        self._on_changed()

    def _do(self) -> None:
        shown = self._effective()
        if shown is None:
            self._close(FINISHED)
            return
        if shown.dock and not self._visible(shown.target(self._window)):
            self._window.docks[shown.dock].show()
            self._window.docks[shown.dock].raise_()
        shown.do(self._window)
        self._later()

    # ---------------------------------------------------------------------------------- showing

    def _later(self, *_what: object) -> None:
        if self.active:
            self._soon.start()

    def _show(self) -> None:
        card, outline, window = self.card, self.outline, self._window
        if card is None or outline is None:
            return
        shown, step = self._effective(), self.step
        if shown is None or step is None:
            name = os.path.basename(window.export_check.path)
            proved = f"{name} runs alone and has proved itself. " if self._was_proved() else ""
            card.say(
                "That was the tour", "",
                f"{proved}{self._keys('view.palette')} finds every action, "
                f"{self._keys('help.whatsThis')} explains any figure, and Help begins the tour "
                "again.", "Finish", last=True,
            )  # fmt: skip
            card.do.setEnabled(True)
            target = None
        else:
            text = shown.text(window)
            if shown is not step:
                text += f" (Needed for “{step.title}”.)"
            target = shown.target(window)
            if not self._visible(target):
                target = None
                if shown.dock and not window.docks[shown.dock].isVisible():
                    title = window.docks[shown.dock].windowTitle()
                    text += f" The panel {title} is hidden: the View menu shows it."
            card.say(shown.title, f"{self._at + 1} of {len(STEPS)}", text, shown.do_text)
            card.do.setEnabled(self._can_do(shown))
        self._watch(target)
        self._place(target, "below" if shown is None else shown.side)

    def _keys(self, action: str) -> str:
        """Return an action's keys as they are now, else its name."""
        item = self._window.actions_table[action]
        keys = item.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        return keys or item.text().replace("&", "")

    def _was_proved(self) -> bool:
        return any(
            finding.stage == "export" and "proved itself" in finding.message
            for finding in self._window.document.findings
        )

    def _can_do(self, shown: Step) -> bool:
        """Tell whether the button would do something now."""
        document = self._window.document
        if shown.id == "run":
            return document.engine_state == "ready"
        if shown.id == "coverage":
            return document.coverage is not None
        if shown.id == "sweep":
            return not document.sweep.running and document.engine_state in ("ready", "busy")
        return not (shown.id == "check" and self._window.export_check.running)

    def _place(self, target: QWidget | None, side: str) -> None:
        card, outline, window = self.card, self.outline, self._window
        if card is None or outline is None:
            return
        margin = window.fontMetrics().height()
        top = window.menuBar().height()
        low = window.statusBar().height()
        area = window.rect().adjusted(margin, top, -margin, -low - margin // 2)
        beside: QRect | None = None
        if target is None:
            outline.hide()
        else:
            around = _seen(target)
            outline.put(target.window(), around)
            if target.window() is window:
                beside = around
        card.put(beside, area, first=side)

    def _visible(self, widget: QWidget | None) -> bool:
        if widget is None or not isValid(widget) or not widget.isVisible():
            return False
        if _seen(widget).isEmpty():
            area = _scroll_area(widget)
            if area is not None:
                area.ensureWidgetVisible(widget)
        return not _seen(widget).isEmpty()

    def _watch(self, target: QWidget | None) -> None:
        """Listen to the target and all it lies in, so that the card follows."""
        wanted: list[QWidget] = []
        inner = target
        while inner is not None:
            wanted.append(inner)
            inner = inner.parentWidget()
        if self.active and self._window not in wanted:
            wanted.append(self._window)
        for old in self._watched:
            if isValid(old) and old not in wanted:
                old.removeEventFilter(self)
        for new in wanted:
            if new not in self._watched:
                new.installEventFilter(self)
        self._watched = wanted if self.active else []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow what moves."""
        if event.type() in _MOVES:
            self._later()
        return False


def _seen(widget: QWidget) -> QRect:
    """Return the part of a widget that is in view, in its window's coordinates."""
    window = widget.window()
    seen = QRect(widget.mapTo(window, QPoint(0, 0)), widget.size())
    inner = widget.parentWidget()
    while inner is not None and inner is not window:
        seen = seen.intersected(QRect(inner.mapTo(window, QPoint(0, 0)), inner.size()))
        inner = inner.parentWidget()
    return seen


def _scroll_area(widget: QWidget) -> QScrollArea | None:
    inner = widget.parentWidget()
    while inner is not None and not isinstance(inner, QScrollArea):
        inner = inner.parentWidget()
    return inner
