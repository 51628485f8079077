"""The page that steps: where the program stands, its values, and the elements of one of them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QMenu,
    QSplitter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from playground.ui.icons import icon
from playground.ui.views.block_view import BlockView
from playground.ui.views.debugger_values import VALUE_COLUMNS, ValueRow, rows_of, value_model
from playground.ui.views.notice import Notice
from playground.ui.views.roles import set_role
from playground.ui.views.table_twin import RecordTable

if TYPE_CHECKING:
    from PySide6.QtCore import QPoint
    from PySide6.QtGui import QColor, QResizeEvent

    from playground.model.debugging import Stop
    from playground.ui.document import Document
    from playground.ui.theme import Theme

_INTRODUCTION = (
    "Steps through one program in Triton's interpreter, line by line, on copies of the launch's "
    "data. Press Start, or click beside a line to set a breakpoint and run to it."
)
_REASONS = {
    "entry": "first line", "step": "step", "breakpoint": "breakpoint", "cursor": "cursor",
    "round": "step", "paused": "paused", "error": "error", "returned": "its end",
}  # fmt: skip


class StepPage(QWidget):
    """Buttons, the place, a table of values over the elements of the value chosen."""

    placeRequested = Signal(int)

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("debugger.step")
        self.setAccessibleName("Step through a program")
        self._document, self._theme = document, theme
        self._debugging = document.debugging
        self._buttons: dict[str, tuple[QToolButton, str]] = {}
        bar = QHBoxLayout()
        bar.setSpacing(2)
        for name, picture, tip, act in (
            ("start", "run", "Start, or go on to the next breakpoint (Ctrl+F5)", self._start),
            ("pause", "pause", "Stop at the next line (Ctrl+Alt+B)", self._verb("pause")),
            ("end", "stop", "End the program (Ctrl+Alt+F5)", self._debugging.end),
            ("over", "step-over", "Step over (F10)", self._verb("over")),
            ("into", "step-into", "Step into a helper (F11)", self._verb("into")),
            ("out", "step-out", "Step out (Shift+F11)", self._verb("out")),
            ("round", "round", "Next round of the loop (Ctrl+F11)", self._verb("round")),
        ):
            button = QToolButton(self)
            button.setObjectName(f"debugger.{name}")
            button.setToolTip(tip)
            button.setAccessibleName(tip)
            button.setAutoRaise(True)
            button.clicked.connect(lambda _=False, act=act: act())
            self._buttons[name] = button, picture
            bar.addWidget(button)
        self._place = QLabel(self)
        self._place.setObjectName("debugger.place")
        self._place.setTextFormat(Qt.TextFormat.RichText)
        self._place.linkActivated.connect(lambda line: self.placeRequested.emit(int(line)))
        bar.addSpacing(self.fontMetrics().height() // 2)
        bar.addWidget(self._place, 1)
        self._notice = Notice("debugger.notice", theme, "warn", "info", self)
        self._notes = QLabel(self)
        self._notes.setObjectName("debugger.notes")
        self._notes.setWordWrap(True)
        self._notes.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._model = value_model(self)
        self._all_new = True
        self._model.emphasis = self._emphasis
        self.table = RecordTable("debugger.values", "Values", self._model, self)
        header = self.table.horizontalHeader()
        header.setStretchLastSection(False)
        for column in range(len(VALUE_COLUMNS)):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        header.setMinimumSectionSize(4 * self.fontMetrics().height())
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.table.customContextMenuRequested.connect(self._offer)
        self.table.selectionModel().currentRowChanged.connect(self._on_row)
        self._watch = QLineEdit(self)
        self._watch.setObjectName("debugger.watch")
        self._watch.setAccessibleName("Watch an expression")
        self._watch.setPlaceholderText("Watch an expression: x.max(), np.isnan(acc).any(), acc[0]")
        self._watch.setClearButtonEnabled(True)
        self._watch.returnPressed.connect(self._add_watch)
        upper = QWidget(self)
        values = QVBoxLayout(upper)
        values.setContentsMargins(0, 0, 0, 0)
        values.addWidget(self.table, 1)
        values.addWidget(self._watch)
        self.block = BlockView("debugger.block", theme, self)
        self._split = QSplitter(Qt.Orientation.Vertical, self)
        self._split.setObjectName("debugger.split")
        self._split.setChildrenCollapsible(False)
        self._split.addWidget(upper)
        self._split.addWidget(self.block)
        self._split.setStretchFactor(0, 1)
        self._split.setStretchFactor(1, 1)
        layout = QVBoxLayout(self)
        layout.addLayout(bar)
        layout.addWidget(self._notice)
        layout.addWidget(self._notes)
        layout.addWidget(self._split, 1)
        self._debugging.changed.connect(self._show)
        document.launchSelected.connect(self._show)
        document.configChanged.connect(self._show)
        theme.changed.connect(self._show)
        self._show()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the elements beside the values where there is more width than height."""
        super().resizeEvent(event)
        line = self.fontMetrics().height()
        wide = self.width() > 1.25 * self.height() and self.width() > 42 * line
        way = Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical
        if way != self._split.orientation():
            self._split.setOrientation(way)
            whole = self.width() if wide else self.height()
            # There is no room for types beside the elements, whose title tells them.
            self.table.setColumnHidden(len(VALUE_COLUMNS) - 1, wide)
            self._split.setSizes([whole * 11 // 20, whole * 9 // 20])

    # -------------------------------------------------------------------------- showing

    def _show(self, _what: object = None) -> None:
        debugging = self._debugging
        stop, can_step = debugging.stop, debugging.stop is not None and not debugging.running
        for name, (button, picture) in self._buttons.items():
            on = {
                "start": self._document.launch is not None and not debugging.running,
                "pause": debugging.running,
                "end": debugging.active,
            }.get(name, can_step)
            button.setEnabled(on)
            token = {"start": "good", "end": "bad"}.get(name, "text")
            shown = "continue" if name == "start" and debugging.active else picture
            button.setIcon(icon(shown, self._theme, token))
        self._place.setText(self._place_text(stop))
        self._show_notes(stop)
        dim = debugging.slow
        self.table.setEnabled(not dim)
        if stop is not None or not debugging.active:
            rows = rows_of(stop)
            self._all_new = all(row.value.changed for row in rows)
            self._model.set_records(rows)
            self._select(rows)
        waiting = "" if stop is None else "Choose a value above to see its elements."
        self.block.show_block(debugging.block, waiting)
        for widget in (self._split, self._watch):
            widget.setVisible(
                debugging.active or debugging.ended is not None or bool(rows_of(stop))
            )

    def _place_text(self, stop: Stop | None) -> str:
        debugging = self._debugging
        if debugging.slow or (debugging.active and stop is None):
            return "running …" if stop is not None else "starting the interpreter …"
        if stop is None:
            return ""
        frames = " ← ".join(
            f'{frame.function}:<a href="{self._link(frame.file, frame.line)}">{frame.line}</a>'
            for frame in stop.frames
        )
        rounds = "".join(
            f" · round {one.round + 1}{f' of {one.rounds}' if one.rounds else ''}"
            for one in reversed(stop.rounds)
        )
        return f"{frames}{rounds} · {_REASONS[stop.reason]}"

    def _link(self, file: str, line: int) -> int:
        return self._debugging.text_line(line) if self._document.is_open(file) else 0

    def _show_notes(self, stop: Stop | None) -> None:
        debugging = self._debugging
        text, role = "", "muted"
        if stop is not None:
            text = "\n".join(stop.notes[-6:])
            outside = any("outside" in note for note in stop.notes)
            role = "bad" if stop.reason == "error" else "warn" if outside else "muted"
            if debugging.stale:
                text = f"{debugging.stale}\n{text}".strip()
            if not self._document.is_open(stop.file):
                text = f"in {os.path.basename(stop.file)}\n{text}".strip()
        elif not debugging.active:
            text = self._idle_text()
        self._notes.setText(text)
        set_role(self._notes, role)  # type: ignore[arg-type]
        self._notes.setVisible(bool(text))
        why = debugging.why
        if not why and debugging.ended is not None and debugging.ended.findings:
            why = debugging.ended.findings[0].message
        self._notice.say("" if debugging.active else why)

    def _idle_text(self) -> str:
        debugging = self._debugging
        if self._document.launch is None:
            return f"{_INTRODUCTION} Press F5 to run the file first."
        if debugging.ended is None:
            return _INTRODUCTION
        prints = debugging.ended.prints
        said = f", it printed {prints.lines:,} values" if prints.lines else ""
        return f"Program {debugging.program} has ended{said}. Start steps through it again."

    def _emphasis(self, row: ValueRow) -> QColor | None:
        """Give what has changed since the last stop a ground, and what is not finite another."""
        value = row.value
        if value.nans or value.problem:
            ground = self._theme.color("bad")
        elif value.changed and not self._all_new:
            ground = self._theme.color("accent")
        else:
            return None
        ground.setAlphaF(0.14)
        return ground

    # --------------------------------------------------------------------------- acting

    def _start(self) -> None:
        if self._debugging.active:
            self._debugging.move("go")
        else:
            self._debugging.start()

    def _verb(self, verb: str):  # type: ignore[no-untyped-def]  # noqa: ANN202
        return lambda: self._debugging.move(verb)  # type: ignore[arg-type]

    def _add_watch(self) -> None:
        self._debugging.watch(self._watch.text())
        self._debugging.show(self._watch.text().strip(), picked=True)
        self._watch.clear()

    def _on_row(self, _new: object, _old: object) -> None:
        row = self.table.currentIndex().row()
        if row >= 0:
            record = self.table.record_at(row)
            if isinstance(record, ValueRow):
                self._debugging.show(record.value.name, picked=True)

    def _select(self, rows: tuple[ValueRow, ...]) -> None:
        """Keep the value chosen; at first, choose the block that has changed last."""
        names = [row.value.name for row in rows]
        shown = self._debugging.shown
        selection = self.table.selectionModel()
        selection.blockSignals(True)
        self.table.select_record(names.index(shown) if shown in names else -1)
        selection.blockSignals(False)
        if shown in names:
            self.table.scrollTo(self.table.currentIndex())

    def _offer(self, where: QPoint) -> None:
        index = self.table.indexAt(where)
        record = self.table.record_at(index.row()) if index.isValid() else None
        if not isinstance(record, ValueRow):
            return
        name = record.value.name
        menu = QMenu(self)
        menu.setObjectName("debugger.valueMenu")
        if record.watched:
            menu.addAction("Do not watch it", lambda: self._debugging.unwatch(name))
        else:
            menu.addAction("Watch it", lambda: self._debugging.watch(name))
        menu.addAction("Copy all values as CSV", self._copy)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.table.viewport().mapToGlobal(where))

    def _copy(self) -> None:
        from PySide6.QtGui import QGuiApplication

        QGuiApplication.clipboard().setText(self._model.as_csv())
