"""How a class of machine instructions is painted: its colour, and a texture of its own on it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from PySide6.QtGui import QBrush, QColor, QImage, QPainter

if TYPE_CHECKING:
    from PySide6.QtCore import QRectF

    from playground.ui.theme import Theme

_TEXTURES: dict[str, tuple[str, ...]] = {
    "mix_tensor": ("....",),
    "mix_float": ("#...", ".#..", "..#.", "...#"),
    "mix_integer": ("#...", "....", "..#.", "...."),
    "mix_wide": ("####", "....", "....", "...."),
    "mix_narrow": ("#...", "#...", "#...", "#..."),
    "mix_async": ("...#", "..#.", ".#..", "#..."),
    "mix_shared": ("####", "#...", "#...", "#..."),
    "mix_local": ("#.#.", ".#.#", "#.#.", ".#.#"),
    "mix_control": ("#..#", ".##.", ".##.", "#..#"),
    "mix_barrier": ("##..", "##..", "##..", "##.."),
    "mix_other": ("####", "####", "....", "...."),
}
"""Tiles that repeat: of four by four pixels, because a bar beside a line is a few pixels wide."""

_STRENGTH = 0.42


def textures() -> dict[str, tuple[str, ...]]:
    """Return the texture of each token of a class."""
    return dict(_TEXTURES)


@cache
def _texture(token: str, dark: bool) -> QImage:
    rows = _TEXTURES[token]
    image = QImage(len(rows[0]), len(rows), QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(0)
    ink = QColor("black" if dark else "white")
    ink.setAlphaF(_STRENGTH)
    for y, row in enumerate(rows):
        for x, cell in enumerate(row):
            if cell == "#":
                image.setPixelColor(x, y, ink)
    return image


def paint_piece(painter: QPainter, area: QRectF, theme: Theme, token: str) -> None:
    """Fill `area` with a token's colour, and with the texture of a class of instructions."""
    ground = theme.color(token)
    painter.fillRect(area, ground)
    if token in _TEXTURES:
        painter.fillRect(area, QBrush(_texture(token, ground.lightnessF() > 0.45)))
