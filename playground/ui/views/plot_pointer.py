"""Looking closer at a plot: zoom, pan, and a crosshair that tells where it is.

Ctrl and the wheel zoom about the mouse, dragging moves what is seen once it is zoomed, a double
click shows all again. With the keyboard: + and -, the arrows, Home.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QObject, QPointF, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QWheelEvent

if TYPE_CHECKING:
    from playground.ui.views.plot_style import ThemedPlot

STEP = 1.25
"""What one step of the wheel or one key zooms by."""
DEEPEST = 2000.0
"""How often the whole may be enlarged: beyond it numbers lose their digits."""
_MOVE = 0.1


class PlotPointer(QObject):
    """Zoom, pan and crosshair of one plot; `zoomed` tells whether all of it is in view."""

    def __init__(self, plot: ThemedPlot) -> None:
        super().__init__(plot)
        self._plot = plot
        self._home: tuple[tuple[float, float], tuple[float, float]] | None = None
        self._grip: QPointF | None = None
        self._lines: tuple[Any, Any] | None = None
        self._text: Any = None
        self._own = False
        plot.item.vb.sigRangeChanged.connect(self._on_range)
        plot.viewport().installEventFilter(self)
        plot.installEventFilter(self)
        plot.viewport().setMouseTracking(True)

    @property
    def zoomed(self) -> bool:
        """Whether a part is shown instead of all."""
        return self._home is not None

    # ------------------------------------------------------------------------------ verbs

    def zoom(self, factor: float, about: QPointF | None = None) -> None:
        """Enlarge by a factor (below 1 the other way) about a point of the data, or the middle."""
        (left, right), (bottom, top) = self._range()
        x = (left + right) / 2 if about is None else about.x()
        y = (bottom + top) / 2 if about is None else about.y()
        home = self._home or self._range()
        width = (right - left) / factor
        if width >= home[0][1] - home[0][0]:
            self.show_all()
            return
        if (home[0][1] - home[0][0]) / width > DEEPEST:
            return
        self._home = home
        self._show(
            (x - (x - left) / factor, x + (right - x) / factor),
            (y - (y - bottom) / factor, y + (top - y) / factor),
        )

    def move(self, right: float, up: float) -> None:
        """Move what is seen by shares of its size; where all is in view nothing moves."""
        if self._home is None:
            return
        (left, end), (bottom, top) = self._range()
        across, along = right * (end - left), up * (top - bottom)
        self._show((left + across, end + across), (bottom + along, top + along))

    def show_all(self) -> None:
        """Show all of the plot again."""
        home, self._home = self._home, None
        if home is not None:
            self._show(*home)

    def point_at(self, where: QPointF) -> str:
        """Put the crosshair at a point of the data; return what it says."""
        x = _value(self._plot.item.getAxis("bottom"), where.x())
        y = _value(self._plot.item.getAxis("left"), where.y())
        said = f"x {x}   y {y}"
        if self._lines is None or self._lines[0].scene() is None:
            pen = self._plot.pen("border_strong", 1.0, dashed=True)
            self._lines = (
                pg.InfiniteLine(angle=90, pen=pen), pg.InfiniteLine(angle=0, pen=pen),
            )  # fmt: skip
            self._text = pg.TextItem(anchor=(1, 0), fill=self._plot.tint("plot_background", 0.85))
            self._text.setZValue(30)
            for item in (*self._lines, self._text):
                # What is pointed at must not change what is in view.
                self._plot.item.addItem(item, ignoreBounds=True)
        (_, right), (_, top) = self._range()
        self._lines[0].setPos(where.x())
        self._lines[1].setPos(where.y())
        self._text.setColor(self._plot.theme.color("text"))
        self._text.setText(said)
        self._text.setPos(right, top)
        for item in (*self._lines, self._text):
            item.show()
        return said

    def hide(self) -> None:
        """Take the crosshair away."""
        for item in (*(self._lines or ()), *([self._text] if self._text is not None else [])):
            item.hide()

    # ----------------------------------------------------------------------------- events

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Zoom and move by wheel, mouse and keys; everything else goes on as before."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            return self._key(event)
        if isinstance(event, QWheelEvent):
            if not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
                return False
            turned = event.angleDelta().y()
            if turned:
                self.zoom(STEP ** (turned / 120), self._data(event.position()))
            event.accept()
            return True
        if isinstance(event, QMouseEvent):
            return self._mouse(event)
        if event.type() == QEvent.Type.Leave:
            self.hide()
        return super().eventFilter(watched, event)

    def _mouse(self, event: QMouseEvent) -> bool:
        kind = event.type()
        if kind == QEvent.Type.MouseButtonDblClick and self.zoomed:
            self.show_all()
            return True
        if kind == QEvent.Type.MouseButtonPress and event.button() == Qt.MouseButton.LeftButton:
            self._grip = event.position() if self.zoomed else None
        elif kind == QEvent.Type.MouseButtonRelease:
            self._grip = None
        elif kind == QEvent.Type.MouseMove:
            if self._grip is not None:
                before, now = self._data(self._grip), self._data(event.position())
                (left, right), (bottom, top) = self._range()
                self.move(
                    (before.x() - now.x()) / (right - left), (before.y() - now.y()) / (top - bottom)
                )
                self._grip = event.position()
                return True
            if self._plot.item.vb.sceneBoundingRect().contains(
                self._plot.mapToScene(event.position().toPoint())
            ):
                self.point_at(self._data(event.position()))
            else:
                self.hide()
        return False

    def _key(self, event: QKeyEvent) -> bool:
        keys = Qt.Key
        if event.modifiers() & (
            Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
        ):
            return False
        key = event.key()
        if key in (keys.Key_Plus, keys.Key_Equal):
            self.zoom(STEP)
        elif key == keys.Key_Minus:
            self.zoom(1 / STEP)
        elif key == keys.Key_Home:
            self.show_all()
        elif self.zoomed and key in (keys.Key_Left, keys.Key_Right):
            self.move(_MOVE if key == keys.Key_Right else -_MOVE, 0.0)
        elif self.zoomed and key in (keys.Key_Up, keys.Key_Down):
            self.move(0.0, _MOVE if key == keys.Key_Up else -_MOVE)
        else:
            return False
        return True

    # ------------------------------------------------------------------------------ places

    def _data(self, point: QPointF) -> QPointF:
        plot = self._plot
        return QPointF(plot.item.vb.mapSceneToView(plot.mapToScene(point.toPoint())))

    def _range(self) -> tuple[tuple[float, float], tuple[float, float]]:
        (left, right), (bottom, top) = self._plot.item.viewRange()
        return (float(left), float(right)), (float(bottom), float(top))

    def _show(self, x: tuple[float, float], y: tuple[float, float]) -> None:
        self._own = True
        try:
            self._plot.item.vb.setRange(xRange=x, yRange=y, padding=0)
        finally:
            self._own = False

    def _on_range(self, *_what: object) -> None:
        # Other data is shown, and a range with it: what was zoomed is gone with the old.
        if not self._own:
            self._home = None


def _value(axis: Any, at: float) -> str:
    """Return the value at a coordinate as the axis writes its ticks, with a digit more."""
    if getattr(axis, "is_log", False):
        at = math.pow(10.0, at)
    text = getattr(axis, "text", None)
    return str(text(at)) if callable(text) else f"{at:.4g}"
