"""Icons: the project's own stroke drawings, recoloured for the theme at every size Qt asks for."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from playground.model.resources import assets_dir

if TYPE_CHECKING:
    from playground.ui.theme import Theme

_SIZES = (16, 20, 24, 32, 48)


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
    picture = _render(name, theme.color(token).name(), round(size * ratio))
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


@cache
def _icon(name: str, color: str, disabled: str) -> QIcon:
    result = QIcon()
    for size in _SIZES:
        result.addPixmap(_render(name, color, size), QIcon.Mode.Normal)
        result.addPixmap(_render(name, disabled, size), QIcon.Mode.Disabled)
    return result


def _render(name: str, color: str, size: int) -> QPixmap:
    renderer = QSvgRenderer(QByteArray(recoloured(name, color).encode()))
    picture = QPixmap(size, size)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    renderer.render(painter, QRectF(0, 0, size, size))
    painter.end()
    return picture
