"""The set-up of a sweep: values a knob, the file's own configs, conditions, sizes, the search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDoubleSpinBox,
    QGridLayout,
    QLabel,
    QLineEdit,
    QSpinBox,
    QToolButton,
    QWidget,
)

from playground.model.sweep_plan import STRATEGIES
from playground.ui.sweep_choice import STRATEGY_TEXT, STRATEGY_TIPS
from playground.ui.theme import mono_font
from playground.ui.views.chips import FlowLayout
from playground.ui.views.roles import set_role
from playground.ui.views.segmented import Segmented
from playground.ui.views.sweep_conditions import SweepConditions
from playground.ui.views.sweep_workers import SweepWorkers

if TYPE_CHECKING:
    from playground.model.knobs import Knob
    from playground.ui.document import Document
    from playground.ui.theme import Theme

_SYNTAX = "32, 64 or 16..256:pow2 or 1..5 or 0..64:16"


class ValueField(QWidget):
    """A line of text with how many values it comes to, and below it what is wrong."""

    edited = Signal(str)

    def __init__(self, name: str, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = QLineEdit(self)
        self.field.setObjectName(name)
        self.field.setAccessibleName(title)
        self.field.setFont(mono_font())
        self.field.textEdited.connect(self.edited)
        # Text set by a test or a paste by script is an edit as well.
        self.field.textChanged.connect(self._on_change)
        self.count = QLabel(self)
        set_role(self.count, "muted")
        self.count.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.count.setMinimumWidth(self.fontMetrics().horizontalAdvance("000 values"))
        self._problem = QLabel(self)
        self._problem.setWordWrap(True)
        set_role(self._problem, "bad")
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setVerticalSpacing(1)
        grid.setColumnStretch(0, 1)
        grid.addWidget(self.field, 0, 0)
        grid.addWidget(self.count, 0, 1)
        grid.addWidget(self._problem, 1, 0, 1, 2)
        self._shown = ""

    def show_text(self, text: str) -> None:
        """Show a text that is not being typed."""
        self._shown = text
        if self.field.text() != text:
            blocker = QSignalBlocker(self.field)
            self.field.setText(text)
            del blocker

    def show_outcome(self, count: int | None, problem: str) -> None:
        """Show how many values there are, or what is wrong."""
        words = "" if count is None else f"{count} value{'' if count == 1 else 's'}"
        self.count.setText(words)
        self._problem.setText(problem)
        self._problem.setVisible(bool(problem))
        self.field.setAccessibleDescription(problem)
        if self.field.property("invalid") != ("true" if problem else "false"):
            self.field.setProperty("invalid", "true" if problem else "false")
            self.field.style().unpolish(self.field)
            self.field.style().polish(self.field)

    def _on_change(self, text: str) -> None:
        if text != self._shown:
            self._shown = text
            self.edited.emit(text)


class SweepSetup(QWidget):
    """The form; all truth is the document's."""

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sweep.setup")
        self._document, self._sweep = document, document.sweep
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setColumnStretch(1, 1)
        self._grid.setVerticalSpacing(self.fontMetrics().height() // 4)
        self._fields: dict[str, tuple[QLabel, ValueField]] = {}
        self._sizes: dict[str, tuple[QLabel, ValueField]] = {}
        self._shape: tuple[object, ...] = ()
        self.source = Segmented(
            "sweep.source", "What to try",
            (
                ("values", "Values", "Every combination of the values below"),
                ("own", "File's configs", "The configs that the file itself offers for its tuner"),
                ("both", "Both", "The file's own configs, and every combination of the values"),
            ),
            self,
        )  # fmt: skip
        self.source.chosen.connect(lambda value: self._sweep.set_choice(source=value))
        self._try = QLabel("Try", self)
        self.conditions = SweepConditions(theme, self)
        self.conditions.edited.connect(lambda text: self._sweep.set_choice(where=text))
        self._where = QLabel("Where", self)
        self._where.setBuddy(self.conditions.editor)
        self._how = QLabel("Search", self)
        self._search = self._make_search()
        self._on = QLabel("Workers", self)
        self.workers = SweepWorkers(self._sweep, self)
        self._together = QToolButton(self)
        self._together.setObjectName("sweep.together")
        self._together.setText("move together")
        self._together.setCheckable(True)
        self._together.setToolTip("The first sizes belong together, the second ones, and so on; "
                                  "else each is paired with each")  # fmt: skip
        self._together.setAccessibleName(self._together.toolTip())
        self._together.clicked.connect(lambda on: self._sweep.set_choice(together=on))
        self._sizes_problem = QLabel(self)
        self._sizes_problem.setObjectName("sweep.sizesProblem")
        self._sizes_problem.setWordWrap(True)
        set_role(self._sizes_problem, "bad")
        self._sweep.setupChanged.connect(self.show_setup)
        self._sweep.changed.connect(self._show_enabled)
        self.show_setup()

    def _make_search(self) -> QWidget:
        search = QWidget(self)
        flow = FlowLayout(search)
        self.strategy = QComboBox(search)
        self.strategy.setObjectName("sweep.strategy")
        self.strategy.setAccessibleName("Which configs to try, in which order")
        for each in STRATEGIES:
            self.strategy.addItem(STRATEGY_TEXT[each], each)
            self.strategy.setItemData(
                self.strategy.count() - 1, STRATEGY_TIPS[each], Qt.ItemDataRole.ToolTipRole
            )
        self.strategy.activated.connect(
            lambda index: self._sweep.set_choice(strategy=self.strategy.itemData(index))
        )
        self.most = QSpinBox(search)
        self.most.setObjectName("sweep.most")
        self.most.setAccessibleName("Configs tried at most")
        self.most.setRange(0, 100_000)
        self.most.setPrefix("at most ")
        self.most.setSpecialValueText("no limit of number")
        self.most.setToolTip("Configs tried at most; a search tries 100 unless told otherwise")
        self.most.valueChanged.connect(lambda value: self._sweep.set_choice(most=value or None))
        self.budget = QDoubleSpinBox(search)
        self.budget.setObjectName("sweep.budget")
        self.budget.setAccessibleName("Seconds after which the sweep ends")
        self.budget.setRange(0, 1e6)
        self.budget.setDecimals(0)
        self.budget.setSingleStep(10)
        self.budget.setPrefix("end after ")
        self.budget.setSuffix(" s")
        self.budget.setSpecialValueText("no limit of time")
        self.budget.setToolTip("The fastest found by then are still timed in turns")
        self.budget.valueChanged.connect(
            lambda value: self._sweep.set_choice(total_s=value or None)
        )
        for widget in (self.strategy, self.most, self.budget):
            flow.addWidget(widget)
        return search

    # ------------------------------------------------------------------------------ showing

    def show_setup(self) -> None:
        """Show the document's choices, and what they come to."""
        sweep, reading = self._sweep, self._sweep.reading
        knobs, names = sweep.knobs(), sweep.size_names()
        shape = (tuple((k.name, k.derived, k.note) for k in knobs), names)
        if shape != self._shape:
            self._shape = shape
            self._make_fields(knobs, names)
        choice = sweep.choice
        own = sweep.own_configs()
        for widget in (self._try, self.source):
            widget.setVisible(bool(own))
        self.source.set_value(choice.source)
        count = f"{len(own)} config{'' if len(own) == 1 else 's'}"
        self.source.button("own").setText(f"File's {count}")
        texts = dict(choice.values)
        for name, (label, field) in self._fields.items():
            shown = choice.source != "own"
            label.setVisible(shown)
            field.setVisible(shown)
            field.show_text(texts.get(name, ""))
            found = reading.values.get(name)
            field.show_outcome(len(found) if found is not None else None,
                               reading.problems.get(name, ""))  # fmt: skip
        self.conditions.show_text(choice.where, reading.conditions)
        sizes = dict(choice.sizes)
        for name, (_, field) in self._sizes.items():
            field.field.setPlaceholderText(f"{sweep.size_now(name)}, as it is")
            field.show_text(sizes.get(name, ""))
        self._sizes_problem.setText(reading.problems.get("sizes", ""))
        self._sizes_problem.setVisible("sizes" in reading.problems)
        self._together.setVisible(len(names) > 1)
        self._together.setChecked(choice.together)
        for spin, value in ((self.most, choice.most), (self.budget, choice.total_s)):
            blocker = QSignalBlocker(spin)
            spin.setValue(value or 0)  # type: ignore[arg-type]  # each takes its own kind
            del blocker
        self.strategy.setCurrentIndex(self.strategy.findData(choice.strategy))
        self.workers.show_workers(choice.workers)
        self.strategy.setToolTip(STRATEGY_TIPS[choice.strategy])
        self._show_enabled()

    def _show_enabled(self) -> None:
        self.setEnabled(not self._sweep.running)

    def _make_fields(self, knobs: tuple[Knob, ...], sizes: tuple[str, ...]) -> None:
        for label, field in (*self._fields.values(), *self._sizes.values()):
            for widget in (label, field):
                self._grid.removeWidget(widget)
                widget.hide()
                widget.setParent(None)
                widget.deleteLater()
        self._fields, self._sizes = {}, {}
        for row in range(self._grid.rowCount()):
            self._grid.setRowStretch(row, 0)  # the last row of before is one of many now
        row = 0
        self._grid.addWidget(self._try, row, 0)
        self._grid.addWidget(self.source, row, 1)
        previous: QWidget = self.source
        for knob in knobs:
            row += 1
            label, field = self._row(
                row, f"sweep.values:{knob.name}", knob.name,
                f"Values of {knob.name} to try: {_SYNTAX}",
            )  # fmt: skip
            field.field.setToolTip(
                f"Stays as it is: {knob.note}" if knob.derived else f"Values to try: {_SYNTAX}"
            )
            field.edited.connect(lambda text, name=knob.name: self._sweep.set_values(name, text))
            self._fields[knob.name] = (label, field)
            QWidget.setTabOrder(previous, field.field)
            previous = field.field
        row += 1
        self._grid.addWidget(self._where, row, 0, Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(self.conditions, row, 1)
        for name in sizes:
            row += 1
            label, field = self._row(
                row, f"sweep.size:{name}", f"at {name}",
                f"Problem sizes {name}: 1024, 2^14 or 1024..8192",
            )  # fmt: skip
            field.count.hide()
            field.field.setToolTip(
                f"Sweep at these problem sizes {name}, each by itself: 1024, 2^14 or 1024..8192"
            )
            field.edited.connect(lambda text, name=name: self._sweep.set_size(name, text))
            self._sizes[name] = (label, field)
        row += 1
        self._grid.addWidget(self._sizes_problem, row, 1)
        row += 1
        self._grid.addWidget(self._together, row, 1, Qt.AlignmentFlag.AlignLeft)
        row += 1
        self._grid.addWidget(self._how, row, 0)
        self._grid.addWidget(self._search, row, 1)
        row += 1
        self._grid.addWidget(self._on, row, 0)
        self._grid.addWidget(self.workers, row, 1)
        row += 1
        self._grid.setRowStretch(row, 1)

    def _row(self, row: int, name: str, text: str, title: str) -> tuple[QLabel, ValueField]:
        label = QLabel(text, self)
        label.setFont(mono_font())
        field = ValueField(name, title, self)
        label.setBuddy(field.field)
        label.setMinimumHeight(field.field.sizeHint().height())
        field.show_outcome(None, "")
        self._grid.addWidget(label, row, 0, Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(field, row, 1)
        return label, field
