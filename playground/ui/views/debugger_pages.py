"""The debugger's pages that ask one question each; here run alone, and prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QLabel, QPushButton, QVBoxLayout, QWidget

from playground.protocol import messages
from playground.ui.views import debugger_tables as tables
from playground.ui.views.block_view import BlockView
from playground.ui.views.chips import FlowLayout
from playground.ui.views.notice import Notice
from playground.ui.views.roles import set_role
from playground.ui.views.table_twin import Record, RecordModel, RecordTable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from playground.model.debugging import Printed
    from playground.ui.document import Document
    from playground.ui.theme import Theme
    from playground.ui.views.table_twin import Column


LINES_OF_PART = 5
"""Lines of text that a table keeps before the page scrolls."""


class QuestionPage(QWidget):
    """Buttons that ask, what is wrong with asking, a line of words; then what each page shows."""

    placeRequested = Signal(int)
    mapPlaceRequested = Signal(object)
    kind = ""
    introduction = ""

    def __init__(
        self, name: str, title: str, document: Document, theme: Theme, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setObjectName(f"debugger.{name}")
        self.setAccessibleName(title)
        self.document, self.theme = document, theme
        self.debugging = document.debugging
        self._askers: list[QPushButton] = []
        self._verbs = QWidget(self)
        self._flow = FlowLayout(self._verbs)
        self._notice = Notice(f"debugger.{name}.notice", theme, "warn", "info", self)
        self.words = QLabel(self)
        self.words.setObjectName(f"debugger.{name}.words")
        self.words.setWordWrap(True)
        set_role(self.words, "muted")
        self.stack = QVBoxLayout(self)
        self.stack.addWidget(self._verbs)
        self.stack.addWidget(self._notice)
        self.stack.addWidget(self.words)
        self._spare = QWidget(self)
        self._parts: list[QWidget] = []

    def begin(self) -> None:
        """Follow the document, once the page has all its parts."""
        self.stack.addWidget(self._spare, 1)
        self.debugging.looked.connect(self.refresh)
        self.debugging.changed.connect(self.refresh)
        self.document.launchSelected.connect(self.refresh)
        self.refresh()

    def asker(self, name: str, text: str, tip: str, ask: Callable[[], None]) -> QPushButton:
        """Add a button that asks."""
        button = QPushButton(text, self)
        button.setObjectName(f"{self.objectName()}.{name}")
        button.setAccessibleName(text)
        button.setToolTip(tip)
        button.clicked.connect(ask)
        self._flow.addWidget(button)
        self._askers.append(button)
        return button

    def part(self, widget: QWidget, stretch: int = 1) -> None:
        """Add what is shown once there is an answer."""
        self._parts.append(widget)
        if stretch:
            widget.setMinimumHeight(LINES_OF_PART * self.fontMetrics().height())
        self.stack.addWidget(widget, stretch)

    def table(
        self, name: str, title: str, columns: Sequence[Column[Record]]
    ) -> tuple[RecordModel[Record], RecordTable]:
        """Return a table that is no part of the page yet."""
        model: RecordModel[Record] = RecordModel(columns, self)
        return model, RecordTable(f"{self.objectName()}.{name}", title, model, self)

    @property
    def has_gpu(self) -> bool:
        """Whether kernels run on a GPU here."""
        device = self.document.device
        return device is not None and device.mode == "gpu"

    def refresh(self, _what: object = None) -> None:
        """Show the answer, or how to ask."""
        debugging, launch = self.debugging, self.document.launch
        asking = debugging.asking == self.kind
        for button in self._askers:
            button.setEnabled(launch is not None and not debugging.asking)
        self._notice.say("" if asking else debugging.failure)
        answered = self.answered() and not asking
        for widget in self._parts:
            widget.setVisible(answered)
        self._spare.setVisible(not answered)
        if answered:
            self.words.setText(self.show_answer())
        elif asking:
            self.words.setText("working …")
        else:
            first = "" if launch is not None else " Press F5 to run the file first."
            self.words.setText(self.introduction + first)
        self.words.setVisible(bool(self.words.text()))

    def answered(self) -> bool:
        """Tell whether there is an answer to show."""
        raise NotImplementedError

    def show_answer(self) -> str:
        """Show the answer, and return a line of words about it."""
        raise NotImplementedError


class AlonePage(QuestionPage):
    """What one program wrote, before and after, run alone."""

    kind = "alone"
    introduction = (
        "Runs the program chosen above and no other, on copies of the launch's data, and shows "
        "what it wrote."
    )

    def __init__(self, document: Document, theme: Theme, parent: QWidget) -> None:
        super().__init__("alone", "Run one program alone", document, theme, parent)
        self.asker("interpreter", "Run in the interpreter", "Interpret this program alone",
                   lambda: self.debugging.run_alone("interpreter"))  # fmt: skip
        self._gpu = self.asker(
            "gpu", "Run on the GPU", "Launch this program alone: a grid of one",
            lambda: self.debugging.run_alone("gpu"),
        )  # fmt: skip
        self.model, self.written = self.table("written", "Tensors written", tables.WRITTEN_COLUMNS)
        self.written.selectionModel().currentRowChanged.connect(lambda *_: self._show_values())
        self.block = BlockView("debugger.alone.block", theme, self)
        self.part(self.written, 2)
        self.part(self.block, 5)
        self.begin()

    def refresh(self, what: object = None) -> None:
        """Show the answer, or how to ask."""
        super().refresh(what)
        self._gpu.setVisible(self.has_gpu)

    def answered(self) -> bool:
        """Tell whether the program was run."""
        return self.debugging.alone is not None

    def show_answer(self) -> str:
        """Show what it wrote."""
        alone = self.debugging.alone
        if alone is None:
            return ""
        run = alone.run
        if self.model.records != run.written:
            self.model.set_records(run.written)
            self.written.fit_columns()
            self.written.select_record(0 if run.written else -1)
            self._show_values()
        self.written.setVisible(bool(run.written))
        self.block.setVisible(bool(run.written))
        where = "on the GPU" if run.mode == "gpu" else "in the interpreter"
        said = f", it printed {run.prints.lines:,} values" if run.prints.lines else ""
        notes = "".join(f"; {note}" for note in (*run.notes, *run.prints.notes))
        return f"Program {run.program} alone {where}{said}{notes}."

    def _show_values(self) -> None:
        alone = self.debugging.alone
        row = max(self.written.currentIndex().row(), 0)
        if alone is None or row >= len(alone.values):
            self.block.show_block(None)
            return
        values = alone.values[row]
        shape = next((one.shape for one in alone.run.written if one.tensor == values.tensor), ())
        self.block.show_block(_as_block(values, shape))


def _as_block(values: messages.WrittenValues, shape: tuple[int, ...]) -> messages.BlockValue:
    """Return what was written as the rectangle of the tensor that it fills, or as a list."""
    elements = np.asarray(values.elements)
    if len(shape) >= 2 and elements.size:
        rows, columns = np.unique(elements // shape[-1]), np.unique(elements % shape[-1])
        if rows.size * columns.size == elements.size and rows[-1] - rows[0] + 1 == rows.size:
            data = np.asarray(values.after).reshape(rows.size, columns.size)
            name = f"{values.tensor} from row {rows[0] % max(shape[-2], 1)}, column {columns[0]}"
            return messages.BlockValue(name, "", data)
    name = f"{values.tensor} from {int(elements[0])}" if elements.size else values.tensor
    return messages.BlockValue(name, "", np.asarray(values.after))


class PrintsPage(QuestionPage):
    """What programs print, by program."""

    kind = "prints"
    introduction = (
        "Runs the launch once and gathers what tl.device_print and tl.static_print print, by "
        "program: from the GPU too."
    )

    def __init__(self, document: Document, theme: Theme, parent: QWidget) -> None:
        super().__init__("prints", "What programs print", document, theme, parent)
        self.asker("all", "All programs", "Run the launch and gather its prints",
                   lambda: self._ask(True))  # fmt: skip
        self.asker("one", "This program", "Run the program chosen above alone",
                   lambda: self._ask(False))  # fmt: skip
        self.mode = QComboBox(self)
        self.mode.setObjectName("debugger.prints.mode")
        self.mode.setAccessibleName("Where to run")
        self.mode.addItems(["GPU", "Interpreter"])
        self._flow.addWidget(self.mode)
        self.model: RecordModel[Printed]
        self.model, self.printed = self.table("table", "Printed", tables.PRINTED_COLUMNS)
        self.printed.recordPicked.connect(self._on_pick)
        self.part(self.printed)
        self.begin()

    def _ask(self, whole: bool) -> None:
        on_gpu = self.has_gpu and self.mode.currentIndex() == 0
        self.debugging.ask_prints("gpu" if on_gpu else "interpreter", whole=whole)

    def refresh(self, what: object = None) -> None:
        """Show the answer, or how to ask."""
        super().refresh(what)
        self.mode.setVisible(self.has_gpu)

    def answered(self) -> bool:
        """Tell whether prints were gathered."""
        return self.debugging.prints is not None

    def show_answer(self) -> str:
        """Show what was printed."""
        reply = self.debugging.prints
        if reply is None:
            return ""
        prints = reply.prints
        if self.model.records != prints.printed:
            self.model.set_records(prints.printed)
            self.printed.fit_columns()
        self.printed.setVisible(bool(prints.printed))
        where = "the GPU" if prints.mode == "gpu" else "the interpreter"
        parts = [f"{prints.lines:,} values printed in {where}"]
        if not prints.lines:
            parts = [f"Nothing was printed in {where}: call tl.device_print in the kernel"]
        parts += [f"At compile time: {text}" for text in prints.static[:4]]
        parts += list(prints.notes)
        return ". ".join(parts) + "."

    def _on_pick(self, row: object) -> None:
        line = getattr(row, "line", 0)
        if line:
            self.placeRequested.emit(self.debugging.text_line(line))
        program = getattr(row, "program", -1)
        if program >= 0:
            self.debugging.choose(program)
