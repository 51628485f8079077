"""The value widgets of knobs: a spin box that steps as its knob does, and its slider twin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QWheelEvent,
)
from PySide6.QtWidgets import QComboBox, QLineEdit, QSlider, QSpinBox, QToolTip, QWidget

from playground.model.knobs import Knob, step

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from playground.ui.theme import Theme

_WIDE = 2**31 - 1
MAX_TICKS = 65


def allowed_values(knob: Knob) -> tuple[int, ...]:
    """Return the values a slider of a number knob runs through, smallest first."""
    low = knob.minimum if knob.minimum is not None else 0
    high = knob.maximum if knob.maximum is not None else max(low, 1)
    if knob.kind != "pow2":
        return tuple(range(low, high + 1))
    values, value = [], 1
    while value <= high:
        if value >= low:
            values.append(value)
        value *= 2
    return tuple(values)


class KnobSpinBox(QSpinBox):
    """A spin box whose steps are the knob's own (powers of two, or one by one).

    It lets any whole number be typed, so that a value the knob can't take is explained instead of
    silently refused; it commits on Enter or when the focus leaves.
    """

    def __init__(self, knob: Knob, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._knob = knob
        self.setRange(-_WIDE, _WIDE)
        self.setKeyboardTracking(False)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCorrectionMode(QSpinBox.CorrectionMode.CorrectToPreviousValue)

    def take_knob(self, knob: Knob) -> None:
        """Step as `knob` does from now on (it may have been marked as derived)."""
        self._knob = knob

    def stepBy(self, steps: int) -> None:
        """Step through the knob's values; a page is two doublings, or ten."""
        page = abs(steps) >= 10
        count = (2 if self._knob.kind == "pow2" else 10) if page else abs(steps)
        value = self.value()
        for _ in range(count):
            value = self._stepped(value, 1 if steps > 0 else -1)
        self.setValue(value)
        self.selectAll()

    def _stepped(self, value: int, direction: int) -> int:
        values = allowed_values(self._knob)
        if self._knob.kind == "pow2" and value not in values:
            # From a value that the knob can't take, a step leads to the nearest one that way.
            near = [v for v in values if (v > value if direction > 0 else v < value)]
            return (
                (near[0] if direction > 0 else near[-1]) if near else values[-1 if value > 0 else 0]
            )
        stepped = step(self._knob, value, 1 if direction > 0 else -1)
        return stepped if isinstance(stepped, int) else value

    def stepEnabled(self) -> QSpinBox.StepEnabledFlag:
        """Return which arrows lead anywhere."""
        flags = QSpinBox.StepEnabledFlag.StepNone
        values = allowed_values(self._knob)
        if self.value() < values[-1]:
            flags |= QSpinBox.StepEnabledFlag.StepUpEnabled
        if self.value() > values[0]:
            flags |= QSpinBox.StepEnabledFlag.StepDownEnabled
        return flags

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go to the ends of the range with Home and End."""
        values = allowed_values(self._knob)
        if event.key() == Qt.Key.Key_Home and not event.modifiers():
            self.setValue(values[0])
        elif event.key() == Qt.Key.Key_End and not event.modifiers():
            self.setValue(values[-1])
        else:
            super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Step with the wheel only when focused, so that scrolling the panel moves no knob."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class KnobComboBox(QComboBox):
    """A combo box that the wheel moves only when it has the focus."""

    def let_type(self, typed: Callable[[str], None]) -> None:
        """Let other values be typed; Enter hands the text over, as leaving the field does."""
        field = QLineEdit(self)
        self.setLineEdit(field)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.setCompleter(None)  # type: ignore[arg-type]  # None takes it away
        field.setObjectName(f"{self.objectName()}.text")
        field.editingFinished.connect(lambda: typed(field.text().strip().lower()))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Step with the wheel only when focused, so that scrolling the panel moves no knob."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class KnobSlider(QSlider):
    """A slider over the positions of a knob's values, with the captured value ghosted on it.

    Values that cannot run are crossed out under the groove; their reason is in their tooltip.
    """

    def __init__(
        self, values: tuple[int, ...], theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._theme = theme
        self._values = values
        self._ghost: int | None = None
        self._unusable: dict[int, str] = {}
        self.setRange(0, len(values) - 1)
        self.setSingleStep(1)
        self.setPageStep(2 if len(values) <= MAX_TICKS else max(len(values) // 20, 2))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumHeight(round(self.fontMetrics().height() * 1.8))
        theme.changed.connect(self.update)

    def show_value(self, value: int, captured: int | None) -> None:
        """Place the handle at `value` and the ghost at `captured`, without telling anybody."""
        self._ghost = self._position(captured) if captured is not None else None
        if not self.isSliderDown():
            self.blockSignals(True)
            self.setValue(self._position(value))
            self.blockSignals(False)
        self.update()

    def show_unusable(self, reasons: Mapping[int, str]) -> None:
        """Cross out the values in `reasons`."""
        found = {
            self._values.index(value): reason
            for value, reason in reasons.items()
            if value in self._values
        }
        if found != self._unusable:
            self._unusable = found
            self.update()

    def tip_at(self, x: float) -> str:
        """Return what is told of the value at `x` in widget coordinates."""
        position = self._position_at(x)
        value = self.knob_value(position)
        reason = self._unusable.get(position, "")
        return f"{value} cannot run: {reason}" if reason else str(value)

    def event(self, event: QEvent) -> bool:
        """Tell of the value under the mouse."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.tip_at(event.pos().x()), self)
            return True
        return super().event(event)

    def knob_value(self, position: int) -> int:
        """Return the knob's value at a slider position."""
        return self._values[min(max(position, 0), len(self._values) - 1)]

    def _position(self, value: int) -> int:
        if value in self._values:
            return self._values.index(value)
        return min(range(len(self._values)), key=lambda index: abs(self._values[index] - value))

    # A press anywhere on the groove moves the handle there and drags on, as people expect of a
    # slider; Qt's own default only pages towards the place.
    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a drag at the place pressed."""
        if event.button() != Qt.MouseButton.LeftButton:
            event.ignore()
            return
        self.setSliderDown(True)
        self.setSliderPosition(self._position_at(event.position().x()))
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag the handle."""
        if self.isSliderDown():
            self.setSliderPosition(self._position_at(event.position().x()))
            event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End the drag."""
        if self.isSliderDown() and event.button() == Qt.MouseButton.LeftButton:
            self.setSliderDown(False)
            event.accept()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Step with the wheel only when focused, so that scrolling the panel moves no knob."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()

    def _span(self) -> tuple[float, float]:
        radius = self._radius()
        return radius + 1.0, self.width() - radius - 1.0

    def _radius(self) -> float:
        return self.fontMetrics().height() * 0.42

    def _x(self, position: int) -> float:
        left, right = self._span()
        return left + (right - left) * position / max(self.maximum(), 1)

    def _position_at(self, x: float) -> int:
        left, right = self._span()
        share = (x - left) / max(right - left, 1.0)
        return round(min(max(share, 0.0), 1.0) * self.maximum())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw groove, ticks, ghost and handle."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme, radius = self._theme, self._radius()
        middle = self.height() / 2
        left, right = self._span()
        accent = theme.color("accent" if self.isEnabled() else "border")
        groove = QRectF(left, middle - 2, right - left, 4)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("border"))
        painter.drawRoundedRect(groove, 2, 2)
        painter.setBrush(accent)
        here = self._x(self.sliderPosition())
        painter.drawRoundedRect(QRectF(left, middle - 2, here - left, 4), 2, 2)
        self._paint_crosses(painter, middle + radius + 2)
        if len(self._values) <= MAX_TICKS:
            painter.setPen(QPen(theme.color("muted"), 1))
            for position in range(len(self._values)):
                if position in self._unusable:
                    continue
                x = self._x(position)
                painter.drawLine(QPointF(x, middle + radius + 1), QPointF(x, middle + radius + 4))
        if self._ghost is not None:
            painter.setPen(QPen(theme.color("muted"), 1.5, Qt.PenStyle.DotLine))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(QPointF(self._x(self._ghost), middle), radius, radius)
        painter.setPen(QPen(theme.color("surface"), 1.5))
        painter.setBrush(accent)
        painter.drawEllipse(QPointF(here, middle), radius * 0.86, radius * 0.86)
        if self.hasFocus():
            ring = QColor(accent)
            ring.setAlphaF(0.5)
            painter.setPen(QPen(ring, 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(QPointF(here, middle), radius, radius)

    def _paint_crosses(self, painter: QPainter, y: float) -> None:
        arm = max(self.fontMetrics().height() * 0.14, 2.0)
        pen = QPen(self._theme.color("bad"), 1.5)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        painter.setPen(pen)
        for position in self._unusable:
            x = self._x(position)
            painter.drawLine(QPointF(x - arm, y - arm), QPointF(x + arm, y + arm))
            painter.drawLine(QPointF(x - arm, y + arm), QPointF(x + arm, y - arm))

    def handle_rect(self) -> QRectF:
        """Return where the handle is drawn, in widget coordinates."""
        radius = self._radius()
        return QRectF(
            self._x(self.sliderPosition()) - radius,
            self.height() / 2 - radius,
            2 * radius,
            2 * radius,
        )
