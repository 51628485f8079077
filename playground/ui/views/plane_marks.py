"""Hatching over the elements of a tile map that several programs wrote.

Each element has one colour, that of the program which stored it last here; on a GPU any of them may
be last. Where they stored different values the result is a matter of luck, and the hatching is
crossed; where they agree it is a light one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QLineF, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPen, QPixmap, QTransform

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.ui.theme import Theme

UNWRITTEN, SHARED, BEHIND, DISPUTED = 1, 2, 4, 8
"""Bits of a pixel's flags, as in `protocol.Plane`."""
_TILE = 7
"""Logical pixels from one line of the hatching to the next."""


def mark_image(flags: np.ndarray, bit: int) -> QImage | None:
    """Return a picture that is opaque where `bit` is the strongest mark; None without any."""
    marked = (flags & bit) != 0
    if bit == SHARED:
        marked &= (flags & DISPUTED) == 0
    if not marked.any():
        return None
    pixels = np.where(marked, np.uint32(0xFF000000), np.uint32(0))
    height, width = pixels.shape
    return QImage(
        pixels.tobytes(), width, height, width * 4, QImage.Format.Format_ARGB32_Premultiplied
    ).copy()


def mark_brush(theme: Theme, bit: int, ratio: float = 1.0) -> QBrush:
    """Return the hatching of a mark: bright and dark lines side by side show on every colour.

    Parameters
    ----------
    ratio
        Device pixels a logical one.
    """
    side = round(_TILE * ratio)
    tile = QPixmap(side, side)
    tile.fill(Qt.GlobalColor.transparent)
    painter = QPainter(tile)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    lines = [
        QLineF(from_x, start_y, from_x + 3 * side, start_y + sign * 3 * side)
        for sign, start_y in ((1, -side), (-1, 2 * side))[: 2 if bit == DISPUTED else 1]
        for from_x in (-2 * side, -side, 0)
    ]
    for token, width in (("plot_background", 2.4), ("text", 1.1)):
        painter.setPen(QPen(theme.color(token), width * ratio))
        painter.drawLines(lines)
    painter.end()
    brush = QBrush(tile)
    brush.setTransform(QTransform.fromScale(1 / ratio, 1 / ratio))
    return brush


def mark_ground(theme: Theme) -> QColor:
    """Return what dims the colours under the hatching of disputed elements."""
    colour = QColor(theme.color("plot_background"))
    colour.setAlphaF(0.45)
    return colour


def paint_mark(painter: QPainter, theme: Theme, bit: int, draw: Callable[[QPainter], None]) -> None:
    """Hatch where `draw` paints something opaque.

    Parameters
    ----------
    draw
        Draws the mark's picture where the tensor's own picture stands.
    """
    device = painter.device()
    ratio = device.devicePixelRatioF()
    # Of pictures Qt tells the size in their own pixels, of everything else in logical ones.
    scale = 1.0 if isinstance(device, (QPixmap, QImage)) else ratio
    layer = QPixmap(round(device.width() * scale), round(device.height() * scale))
    layer.setDevicePixelRatio(ratio)
    layer.fill(Qt.GlobalColor.transparent)
    on_layer = QPainter(layer)
    draw(on_layer)
    on_layer.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
    whole = layer.rect()
    if bit == DISPUTED:
        ground = QPixmap(layer)
        on_ground = QPainter(ground)
        on_ground.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
        on_ground.fillRect(whole, mark_ground(theme))
        on_ground.end()
        painter.drawPixmap(0, 0, ground)
    on_layer.fillRect(whole, mark_brush(theme, bit, ratio))
    on_layer.end()
    painter.drawPixmap(0, 0, layer)
