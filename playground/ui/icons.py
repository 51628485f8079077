"""Icons: the project's own stroke drawings, recoloured for the theme at every size Qt asks for."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from playground.model.resources import assets_dir

if TYPE_CHECKING:
    from playground.ui.theme import Theme


def icon(name: str, theme: Theme, token: str = "text") -> QIcon:
    """Return the drawing called `name` in the theme's colour `token`; greyed where disabled.

    Raises
    ------
    KeyError
        There is no such drawing in `assets/icons`.
    """
    return _icon(name, theme.color(token).name(), theme.color("disabled").name())


def pixmap(name: str, theme: Theme, token: str, size: int, ratio: float = 1.0) -> QPixmap:
    """Return the drawing `size` logical pixels wide, crisp at a device pixel ratio of `ratio`."""
    picture = QPixmap(_render(name, theme.color(token).name(), round(size * ratio)))
    picture.setDevicePixelRatio(ratio)
    return picture


def app_icon() -> QIcon:
    """Return the program's own icon."""
    result = QIcon()
    for size in (16, 32, 64, 128):
        result.addPixmap(_render("app", "#000000", size))
    return result


@cache
def drawing(name: str) -> str:
    """Return the SVG text of the drawing called `name`; raises `KeyError` if there is none."""
    path = assets_dir() / "icons" / f"{name}.svg"
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise KeyError(name) from error


def recoloured(name: str, color: str) -> str:
    """Return the SVG text of a drawing with its strokes in `color` (`#rrggbb`)."""
    return drawing(name).replace("currentColor", color)


class _Drawing(QIconEngine):
    """Draws an icon when it is looked at: most of a window's icons are not, at first."""

    def __init__(self, name: str, color: str, disabled: str) -> None:
        super().__init__()
        self._look = (name, color, disabled)

    def clone(self) -> QIconEngine:
        """Return a copy for another `QIcon`."""
        return _Drawing(*self._look)

    def pixmap(self, size: QSize, mode: QIcon.Mode, _state: QIcon.State) -> QPixmap:
        """Return the drawing at a size in device pixels."""
        name, color, disabled = self._look
        side = min(size.width(), size.height())
        return _render(name, disabled if mode == QIcon.Mode.Disabled else color, side)

    def scaledPixmap(
        self, size: QSize, mode: QIcon.Mode, state: QIcon.State, scale: float
    ) -> QPixmap:
        """Return the drawing at a size in logical pixels, crisp at `scale` device pixels to one."""
        picture = QPixmap(self.pixmap(size * scale, mode, state))
        picture.setDevicePixelRatio(scale)
        return picture

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        """Draw into `rect`."""
        ratio = painter.device().devicePixelRatio()
        side = min(rect.width(), rect.height())
        picture = self.pixmap(QSize(1, 1) * round(side * ratio), mode, state)
        target = QRect(0, 0, side, side)
        target.moveCenter(rect.center())
        painter.drawPixmap(target, picture)


@cache
def _icon(name: str, color: str, disabled: str) -> QIcon:
    drawing(name)  # an unknown name is an error here, not when the icon is drawn
    return QIcon(_Drawing(name, color, disabled))


@cache
def _render(name: str, color: str, size: int) -> QPixmap:
    picture = QPixmap(size, size)
    if picture.isNull():
        return picture  # for a button without any room
    renderer = QSvgRenderer(QByteArray(recoloured(name, color).encode()))
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    renderer.render(painter, QRectF(0, 0, size, size))
    painter.end()
    return picture
