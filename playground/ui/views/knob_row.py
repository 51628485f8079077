"""One knob as a row: name, slider, value, reset, and what is wrong with a value it can't take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QToolButton,
    QWidget,
)

from playground.model.knobs import (
    Knob,
    KnobError,
    KnobValue,
    is_power_of_two,
    takes_numbers,
    validate,
)
from playground.ui.icons import icon
from playground.ui.theme import mono_font
from playground.ui.views.knob_keys import UNDO_TIP, UndoKeys
from playground.ui.views.knob_widgets import (
    KnobComboBox,
    KnobSlider,
    KnobSpinBox,
    allowed_values,
)
from playground.ui.views.roles import set_role

if TYPE_CHECKING:
    from playground.ui.theme import Theme


class KnobRow(QWidget):
    """Shows a knob's value and asks for another one; it keeps no value of its own.

    `asked` carries a value the knob can take and whether the hand is still moving; `released`
    ends a drag. A value the knob can't take is explained in place and goes nowhere. A knob that is
    bound to the data is locked until the user asks for it (`unlockAsked`).
    """

    asked = Signal(object, bool)
    released = Signal()
    unlockAsked = Signal(bool)

    def __init__(self, knob: Knob, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(f"knob-row:{knob.name}")
        self.knob = knob
        self._theme = theme
        self._value: KnobValue = knob.default
        self._captured: KnobValue = knob.default
        self._slider = self._make_slider()
        self._editor = self._make_editor()
        self._editor.setObjectName(f"knob:{knob.name}")
        self._editor.setAccessibleName(knob.name)

        self._name = QLabel(knob.name, self)
        self._name.setFont(mono_font())
        self._name.setBuddy(self._editor)
        self._unusable: dict[KnobValue, str] = {}
        self._lock = QToolButton(self)
        self._lock.setObjectName(f"knob-lock:{knob.name}")
        self._lock.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._lock.setAutoRaise(True)
        self._lock.setCheckable(True)
        self._lock.clicked.connect(self.unlockAsked)
        head = QHBoxLayout()
        head.setSpacing(4)
        head.addWidget(self._name)
        head.addWidget(self._lock)
        head.addStretch(1)
        self._reset = QToolButton(self)
        self._reset.setObjectName(f"knob-reset:{knob.name}")
        self._reset.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._reset.setAutoRaise(True)
        self._reset.hide()
        self._reset.clicked.connect(lambda: self.asked.emit(self._captured, False))
        head.addWidget(self._reset)

        self._message = QLabel(self)
        self._message.setObjectName(f"knob-message:{knob.name}")
        self._message.setWordWrap(True)
        self._offers = QHBoxLayout()
        self._offers.setContentsMargins(0, 0, 0, 0)
        self._offers.setSpacing(4)

        self.undo_keys = UndoKeys(self)
        for widget in self.stops:
            self.undo_keys.watch(widget)
        for widget in filter(None, (self._slider, self._editor)):
            widget.setToolTip(UNDO_TIP)

        layout = QGridLayout(self)
        layout.setContentsMargins(0, 2, 0, 2)
        layout.setHorizontalSpacing(8)
        layout.setVerticalSpacing(1)
        layout.addLayout(head, 0, 0, 1, 2)
        if self._slider is not None:
            layout.addWidget(self._slider, 1, 0)
            layout.addWidget(self._editor, 1, 1)
            layout.setColumnStretch(0, 1)
            # The slider is what the hand goes to; the number needs no more than its digits.
            digit = self.fontMetrics().horizontalAdvance("0")
            self._editor.setMinimumWidth(digit * 10)
            self._editor.setMaximumWidth(digit * 13)
        else:
            layout.addWidget(self._editor, 1, 0, 1, 2)
        layout.addWidget(self._message, 2, 0, 1, 2)
        layout.addLayout(self._offers, 3, 0, 1, 2, Qt.AlignmentFlag.AlignLeft)
        theme.changed.connect(self._recolour)
        self.take_knob(knob)
        self._recolour()

    # ------------------------------------------------------------------------------ showing

    def take_knob(self, knob: Knob, *, unlocked: bool = False) -> None:
        """Show `knob`, the same one with another mark; `unlocked` lets a bound one be moved."""
        self.knob = knob
        self._unlocked = unlocked
        if isinstance(self._editor, KnobSpinBox):
            self._editor.take_knob(knob)
        self._lock.setVisible(knob.derived)
        locked = knob.derived and not unlocked
        # Room for the reset, so that the row keeps its form when a knob moves; a locked one does
        # not, and beside its mark that room would push the number out of a narrow panel.
        policy = self._reset.sizePolicy()
        policy.setRetainSizeWhenHidden(not locked)
        self._reset.setSizePolicy(policy)
        self._lock.setChecked(unlocked)
        self._lock.setText("bound to the data" if locked else "unlocked")
        lead = "Unlock it to move it all the same" if locked else "Lock it again"
        self._lock.setToolTip(f"Bound to the data: {knob.note}\n{lead}")
        said = f"{knob.name} is bound to the data: {knob.note}. {lead}"
        self._lock.setAccessibleName(said if knob.derived else "")
        for widget in (self._slider, self._editor):
            if widget is not None and knob.kind != "fixed":
                widget.setEnabled(not locked)
        self._explain("")
        self._recolour()

    def show_unusable(self, reasons: dict[KnobValue, str]) -> None:
        """Mark the values that cannot run; the one shown says why under the knob."""
        if reasons == self._unusable:
            return
        self._unusable = dict(reasons)
        if self._slider is not None:
            numbers = {value: why for value, why in reasons.items() if isinstance(value, int)}
            self._slider.show_unusable(numbers)
        self._explain("")

    def show_value(self, value: KnobValue, captured: KnobValue) -> None:
        """Show `value`, and `captured` as what the file launched with."""
        self._value, self._captured = value, captured
        editor = self._editor
        editor.blockSignals(True)
        if isinstance(editor, KnobSpinBox) and isinstance(value, int):
            editor.setValue(value)
        elif isinstance(editor, QCheckBox):
            editor.setChecked(bool(value))
            editor.setText("true" if value else "false")
        elif isinstance(editor, KnobComboBox):
            if editor.findData(value) < 0:
                editor.addItem(_choice_text(value), value)
            editor.setCurrentIndex(editor.findData(value))
            if editor.isEditable():
                editor.setEditText(_choice_text(value))
        editor.blockSignals(False)
        if self._slider is not None and isinstance(value, int):
            ghost = captured if isinstance(captured, int) and captured != value else None
            self._slider.show_value(value, ghost)
        moved = value != captured
        self._reset.setText(_choice_text(captured))
        self._reset.setToolTip(f"Back to {_choice_text(captured)}, what the file launched with")
        self._reset.setAccessibleName(f"Reset {self.knob.name} to {_choice_text(captured)}")
        self._reset.setVisible(moved)
        self._explain("")

    @property
    def stops(self) -> tuple[QWidget, ...]:
        """Where the keyboard stops in this row, in order."""
        found = (self._lock, self._slider, self._editor, self._reset)
        return tuple(widget for widget in found if widget is not None)

    @property
    def message(self) -> str:
        """What is written under the knob."""
        return self._message.text()

    def _explain(self, problem: str, offers: tuple[int, ...] = ()) -> None:
        knob = self.knob
        note = knob.note if knob.derived or knob.kind == "fixed" else ""
        if not problem and self._value in self._unusable:
            problem = f"{_choice_text(self._value)} cannot run: {self._unusable[self._value]}"
        self._message.setText(problem or note)
        self._message.setVisible(bool(problem or note))
        for widget in (self._slider, self._editor):
            if widget is not None:
                widget.setAccessibleDescription(problem or note)
        while (item := self._offers.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        for offer in offers:
            button = QPushButton(str(offer), self)
            button.setObjectName(f"knob-offer:{knob.name}:{offer}")
            button.setAccessibleName(f"Set {knob.name} to {offer}")
            button.clicked.connect(lambda _=False, value=offer: self.asked.emit(value, False))
            self._offers.addWidget(button)
        self._wrong = bool(problem)
        self._recolour()

    _wrong = False
    _unlocked = False

    def _recolour(self) -> None:
        size = self.fontMetrics().height()
        picture, token = ("unlock", "muted") if self._unlocked else ("lock", "warn")
        self._lock.setIcon(icon(picture, self._theme, token))
        self._lock.setIconSize(QSize(size, size))
        self._reset.setIcon(icon("reset", self._theme, "muted"))
        self._reset.setIconSize(QSize(size, size))
        set_role(self._message, "bad" if self._wrong else "muted")
        if isinstance(self._editor, KnobSpinBox):
            bad = self._theme.color("bad").name()
            style = f"QSpinBox {{ color: {bad}; border: 1px solid {bad}; }}" if self._wrong else ""
            if style != self._editor.styleSheet():
                self._editor.setStyleSheet(style)

    # ------------------------------------------------------------------------------ asking

    def _make_slider(self) -> KnobSlider | None:
        if self.knob.kind not in ("pow2", "int"):
            return None
        slider = KnobSlider(allowed_values(self.knob), self._theme, self)
        slider.setObjectName(f"knob-slider:{self.knob.name}")
        slider.setAccessibleName(f"{self.knob.name} slider")
        slider.valueChanged.connect(self._on_slider)
        slider.sliderReleased.connect(self.released)
        return slider

    def _make_editor(self) -> QWidget:
        knob = self.knob
        if knob.kind in ("pow2", "int"):
            spin = KnobSpinBox(knob, self)
            spin.valueChanged.connect(lambda value: self._ask(value))
            return spin
        if knob.kind == "bool":
            box = QCheckBox(self)
            box.toggled.connect(lambda on: self._ask(on))
            return box
        if knob.kind == "choice":
            combo = KnobComboBox(self)
            for choice in knob.choices:
                combo.addItem(_choice_text(choice), choice)
            combo.currentIndexChanged.connect(lambda index: self._ask(combo.itemData(index)))
            if takes_numbers(knob):
                combo.setObjectName(f"knob:{knob.name}")
                combo.let_type(self._on_typed)
            return combo
        shown = QLineEdit("fixed", self)
        shown.setEnabled(False)
        return shown

    def _on_slider(self, position: int) -> None:
        if self._slider is not None:
            self.asked.emit(self._slider.knob_value(position), self._slider.isSliderDown())

    def _on_typed(self, text: str) -> None:
        for choice in self.knob.choices:
            if text == _choice_text(choice):
                self._ask(choice)
                return
        self._ask(int(text) if text.isdecimal() else text)

    def _ask(self, value: KnobValue) -> None:
        try:
            checked = validate(self.knob, value)
        except KnobError as error:
            self._explain(str(error), self._offers_near(value))
            return
        self._explain("")
        if checked != self._value:
            self.asked.emit(checked, False)

    def _offers_near(self, value: KnobValue) -> tuple[int, ...]:
        if not isinstance(value, int) or not takes_numbers(self.knob):
            return ()
        values = allowed_values(self.knob)
        if value < values[0]:
            return (values[0],)
        if value > values[-1]:
            return (values[-1],)
        if self.knob.kind == "pow2" and not is_power_of_two(value):
            low = 1 << (value.bit_length() - 1)
            return tuple(near for near in (low, 2 * low) if near in values)
        return ()


def _choice_text(value: KnobValue) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if value == "" else str(value)
