"""Widgets drawn into SVG files: lines and words stay sharp, pictures in them are kept."""

from __future__ import annotations

from PySide6.QtCore import QFile, QIODevice, QPoint
from PySide6.QtGui import QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QWidget


def save_svg(widget: QWidget, path: str) -> str:
    """Draw `widget` into an SVG file; return why that failed, or an empty string.

    Qt's own generator does it: it draws every plot, those of pyqtgraph too.
    """
    file = QFile(path)
    if not file.open(QIODevice.OpenModeFlag.WriteOnly):
        return file.errorString()
    generator = QSvgGenerator()
    generator.setOutputDevice(file)
    # By itself it takes points for pixels: words would be smaller than they were laid out.
    generator.setResolution(widget.logicalDpiX())
    generator.setSize(widget.size())
    generator.setViewBox(widget.rect())
    generator.setTitle(widget.accessibleName())
    generator.setDescription("drawn by Triton Playground")
    painter = QPainter(generator)
    # A plot is a graphics view, whose own `render` draws its scene alone.
    QWidget.render(widget, painter, QPoint())
    painter.end()
    file.close()
    return "" if file.error() == QFile.FileError.NoError else file.errorString()
