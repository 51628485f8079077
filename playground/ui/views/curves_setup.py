"""What a curve is drawn over, and which lines: ranges of problem sizes, configs, expressions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, get_args

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QLabel,
    QLineEdit,
    QMenu,
    QSpinBox,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from playground.model.curve import AxisError, Spacing
from playground.model.problem_sizes import SizeError
from playground.ui.curves_choice import POINT_BUDGETS_MS
from playground.ui.icons import icon
from playground.ui.theme import mono_font
from playground.ui.views.chips import FlowLayout
from playground.ui.views.roles import set_role

if TYPE_CHECKING:
    from playground.ui.curves_choice import AxisChoice
    from playground.ui.document import Document
    from playground.ui.theme import Theme

_SPACING_TIPS: dict[Spacing, str] = {
    "linear": "Evenly apart",
    "log": "Each the same factor larger",
    "powers of two": "Every power of two between the ends",
    "ragged": "Powers of two, and one less and one more: where masks and alignment change",
}


class AxisFields(QWidget):
    """The fields of one range; `edited` follows what the user changes."""

    edited = Signal()

    def __init__(self, name: str, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(f"curves.{name}")
        flow = FlowLayout(self)
        self._choice: AxisChoice | None = None
        self._name = QComboBox(self)
        self._low, self._high = QLineEdit(self), QLineEdit(self)
        self._spacing, self._count = QComboBox(self), QSpinBox(self)
        to = QLabel("to", self)
        set_role(to, "muted")
        for widget, part, words in (
            (self._name, "name", f"{title}: problem size"),
            (self._low, "low", f"{title}: smallest"),
            (to, "to", ""),
            (self._high, "high", f"{title}: largest"),
            (self._spacing, "spacing", f"{title}: spacing"),
            (self._count, "count", f"{title}: how many sizes"),
        ):
            widget.setObjectName(f"curves.{name}.{part}")
            widget.setAccessibleName(words)
            flow.addWidget(widget)
        letter = self.fontMetrics().averageCharWidth()
        for field in (self._low, self._high):
            field.setFixedWidth(letter * 10)
            field.setFont(mono_font())
            field.setToolTip("A size: 98432, 2^14, 2**14, 16k")
            field.editingFinished.connect(self._on_edit)
        for spacing in get_args(Spacing):
            self._spacing.addItem(spacing, spacing)
            tip = _SPACING_TIPS[spacing]
            self._spacing.setItemData(self._spacing.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)
        self._count.setRange(2, 200)
        self._count.setToolTip("How many sizes, where the spacing leaves it open")
        self._name.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._name.activated.connect(self._on_edit)
        self._spacing.activated.connect(self._on_edit)
        self._count.valueChanged.connect(self._on_edit)

    def show_choice(self, names: tuple[str, ...], choice: AxisChoice) -> None:
        """Show a range; what is being typed stays."""
        self._choice = choice
        blockers = [QSignalBlocker(item) for item in (self._name, self._spacing, self._count)]
        if [self._name.itemText(i) for i in range(self._name.count())] != list(names):
            self._name.clear()
            self._name.addItems(names)
        self._name.setCurrentText(choice.name)
        for field, text in ((self._low, choice.low), (self._high, choice.high)):
            if field.text() != text and not (field.hasFocus() and field.isModified()):
                field.setText(text)
        self._spacing.setCurrentIndex(self._spacing.findData(choice.spacing))
        self._spacing.setToolTip(_SPACING_TIPS[choice.spacing])
        self._count.setValue(choice.count)
        self._count.setEnabled(choice.spacing in ("linear", "log"))
        del blockers
        wrong = ""
        try:
            choice.axis()
        except (SizeError, AxisError) as error:
            wrong = str(error)
        for field in (self._low, self._high):
            field.setProperty("invalid", "true" if wrong else "false")
            field.style().unpolish(field)
            field.style().polish(field)
            field.setAccessibleDescription(wrong)

    def choice(self, base: AxisChoice) -> AxisChoice:
        """Return what the fields say."""
        spacing: Spacing = self._spacing.currentData()
        return replace(
            base, name=self._name.currentText(), low=self._low.text(), high=self._high.text(),
            spacing=spacing, count=self._count.value(),
        )  # fmt: skip

    def _on_edit(self) -> None:
        for field in (self._low, self._high):
            field.setModified(False)
        if self._choice is not None and self.choice(self._choice) != self._choice:
            self.edited.emit()


class CurvesSetup(QWidget):
    """Two ranges, a menu of lines, and a field for expressions; all truth is the document's."""

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("curves.setup")
        self._document, self._curves, self._theme = document, document.curves, theme
        self._what = QComboBox(self)
        self._what.setObjectName("curves.what")
        self._what.setAccessibleName("What is timed over sizes")
        self._what.setToolTip("The selected launch, or a benchmark that the file itself defines")
        self._what.activated.connect(
            lambda index: self._curves.choose_own(self._what.itemData(index))
        )
        self._own = QLabel(self)
        self._own.setObjectName("curves.own")
        self._own.setWordWrap(True)
        set_role(self._own, "muted")
        self._two = QToolButton(self)
        self._two.setObjectName("curves.two")
        self._two.setText("by a second")
        self._two.setCheckable(True)
        self._two.setToolTip("Time every pair with a second problem size")
        self._two.setAccessibleName(self._two.toolTip())
        self._two.clicked.connect(self._on_two)
        self._first = AxisFields("first", "First size", self)
        self._first.edited.connect(
            lambda: self._curves.set_first(self._first.choice(self._curves.first))
        )
        self._second = AxisFields("second", "Second size", self)
        self._second.edited.connect(self._on_second)
        self._lines = QToolButton(self)
        self._lines.setObjectName("curves.lines")
        self._lines.setToolTip("Which configs and rivals to draw")
        self._lines.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._menu = QMenu(self._lines)
        self._menu.setObjectName("curves.linesMenu")
        self._menu.setToolTipsVisible(True)
        self._menu.aboutToShow.connect(self._fill_menu)
        self._lines.setMenu(self._menu)
        self._expression = QComboBox(self)
        self._expression.setObjectName("curves.expression")
        self._expression.setAccessibleName("Torch expression to draw as a line")
        self._expression.setEditable(True)
        self._expression.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self._expression.setMinimumContentsLength(26)
        field = self._expression.lineEdit()
        if field is not None:
            field.setFont(mono_font())
            field.returnPressed.connect(self._on_expression)
        self._expression.activated.connect(lambda _index: self._on_expression())
        self._add = QToolButton(self)
        self._add.setObjectName("curves.addLine")
        self._add.setToolTip("Draw the expression as a line (Enter)")
        self._add.setAccessibleName(self._add.toolTip())
        self._add.clicked.connect(self._on_expression)

        self._budget = QComboBox(self)
        self._budget.setObjectName("curves.budget")
        self._budget.setAccessibleName("Measuring time of a point")
        self._budget.setToolTip(
            "Measuring time of a point: more of it narrows the intervals, the curve takes longer"
        )
        for each in POINT_BUDGETS_MS:
            self._budget.addItem(f"{each:g} ms a point", each)
        self._budget.activated.connect(
            lambda index: self._curves.set_budget(self._budget.itemData(index))
        )

        self._line_row = QWidget(self)
        lines = FlowLayout(self._line_row)
        for widget in (self._two, self._budget, self._lines, self._expression, self._add):
            lines.addWidget(widget)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(self.fontMetrics().height() // 3)
        for row in (self._what, self._own, self._first, self._second, self._line_row):
            layout.addWidget(row, 0, Qt.AlignmentFlag.AlignLeft if row is self._what else (
                Qt.AlignmentFlag(0)))  # fmt: skip
        self._curves.setupChanged.connect(self.show_setup)
        self._curves.curveChanged.connect(self._show_enabled)
        theme.changed.connect(self._recolour)
        self._recolour()
        self.show_setup()

    def _recolour(self) -> None:
        self._add.setIcon(icon("plus", self._theme))

    # ------------------------------------------------------------------------------ showing

    def show_setup(self) -> None:
        """Show the document's choices."""
        curves = self._curves
        blocker = QSignalBlocker(self._what)
        self._what.clear()
        launch = self._document.launch
        self._what.addItem(f"{launch.kernel} over sizes" if launch else "The launch", "")
        for item in curves.own:
            label = f" ({item.label})" if item.label else ""
            self._what.addItem(f"The file's own: {item.title}{label}", item.name)
        self._what.setCurrentIndex(max(self._what.findData(curves.own_name), 0))
        del blocker
        self._what.setVisible(bool(curves.own))
        names = curves.axis_names()
        own = curves.chosen_own()
        self._own.setVisible(own is not None)
        if own is not None:
            axes = ", ".join(f"{len(item.values)} sizes of {item.name}" for item in own.axes)
            self._own.setText(
                f"{axes}; lines {', '.join(own.lines)}. Its own sizes, inputs and formula are "
                "used; the time comes from this app's clock."
            )
        self._first.setVisible(own is None and bool(names))
        self._line_row.setVisible(own is None)
        self._first.show_choice(names, curves.first)
        self._two.setChecked(curves.second is not None)
        self._two.setVisible(len(names) > 1)
        self._two.setEnabled(curves.second is not None or curves.can_have_second())
        index = self._budget.findData(curves.budget_ms)
        if index < 0:
            self._budget.addItem(f"{curves.budget_ms:g} ms a point", curves.budget_ms)
            index = self._budget.count() - 1
        self._budget.setCurrentIndex(index)
        self._second.setVisible(own is None and curves.second is not None)
        if curves.second is not None:
            others = tuple(name for name in names if not curves.overlaps(name))
            self._second.show_choice(others, curves.second)
        count = len(curves.chosen_lines())
        self._lines.setText(f"{count} line{'' if count == 1 else 's'}")
        words = ", ".join(line.label for line in curves.chosen_lines())
        self._lines.setAccessibleName(f"Lines to draw: {words or 'none'}")
        self._show_expressions()
        self._show_enabled()

    def _show_expressions(self) -> None:
        launch = self._document.launch
        tensors = [argument.name for argument in launch.tensors()] if launch else []
        field = self._expression.lineEdit()
        if field is not None:
            field.setPlaceholderText(f"such as torch.add({', '.join(tensors[:2])})")
        known = [argument.name for argument in launch.arguments] if launch else []
        self._expression.setToolTip(
            "A line timed as this expression. It sees the file's names"
            + (f" and the launch's arguments {', '.join(known)}" if known else "")
        )
        shown = [self._expression.itemText(i) for i in range(self._expression.count())]
        if shown != self._curves.expressions:
            text = self._expression.currentText()
            blocker = QSignalBlocker(self._expression)
            self._expression.clear()
            self._expression.addItems(self._curves.expressions)
            self._expression.setEditText(text if text not in self._curves.expressions else "")
            del blocker

    def _show_enabled(self) -> None:
        for row in (self._what, self._first, self._second, self._line_row):
            row.setEnabled(not self._curves.running)

    def _fill_menu(self) -> None:
        self._menu.clear()
        for offer in self._curves.offers():
            title = offer.title if offer.title == offer.line.label else (
                f"{offer.title}: {offer.line.label}"
            )  # fmt: skip
            action = self._menu.addAction(title if len(title) < 90 else f"{title[:89]}…")
            action.setToolTip(offer.line.label)
            action.setCheckable(True)
            action.setChecked(offer.key in self._curves.chosen)
            action.toggled.connect(
                lambda on, key=offer.key: self._curves.choose_line(key, on)
            )  # fmt: skip

    # ------------------------------------------------------------------------------ editing

    def _on_two(self) -> None:
        if self._two.isChecked():
            self._curves.add_second()
        else:
            self._curves.set_second(None)

    def _on_second(self) -> None:
        if self._curves.second is not None:
            self._curves.set_second(self._second.choice(self._curves.second))

    def _on_expression(self) -> None:
        code = self._expression.currentText()
        if code.strip():
            self._expression.setEditText("")
            self._curves.add_expression(code)
