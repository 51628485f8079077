"""Pictures for papers: on white, in the colours for light ground, with letters of a chosen size."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pyqtgraph as pg
from PySide6.QtCore import QCoreApplication, QEvent, QMarginsF, QPoint, QSize, QSizeF
from PySide6.QtGui import (
    QColor,
    QFont,
    QPageLayout,
    QPageSize,
    QPainter,
    QPalette,
    QPdfWriter,
    QPixmap,
)
from PySide6.QtWidgets import QWidget

from playground.ui.theme import Theme
from playground.ui.views.plot_style import ThemedPlot

if TYPE_CHECKING:
    from collections.abc import Iterator


POINTS_AN_INCH = 72.0


@contextlib.contextmanager
def on_paper(picture: QWidget, points: float) -> Iterator[None]:
    """Show a picture's plots as a paper wants them for as long as the block lasts.

    `points` is the size of its letters. A picture that paints itself keeps the theme that it
    paints with in `theme`; labels and tables beside it take the stylesheet for light ground.
    """
    widgets = [picture, *picture.findChildren(QWidget)]
    plots = [widget for widget in widgets if isinstance(widget, ThemedPlot)]
    light = Theme("light")
    before = [(plot, plot.theme, plot.text_points) for plot in plots]
    painted = [
        (widget, theme)
        for widget in widgets
        if not isinstance(widget, ThemedPlot)
        and isinstance(theme := getattr(widget, "theme", None), Theme)
    ]
    look = picture.styleSheet(), picture.palette(), picture.autoFillBackground()
    try:
        font = QFont(picture.font())
        font.setPointSizeF(points)
        letters = f"\nQWidget {{ font-size: {points:g}pt; }}\n#{picture.objectName()} "
        picture.setStyleSheet(light.stylesheet(font) + letters + "{ background: #ffffff; }")
        palette = light.palette()
        palette.setColor(QPalette.ColorRole.Window, QColor("#ffffff"))
        picture.setPalette(palette)
        picture.setAutoFillBackground(True)
        for widget, _ in painted:
            _draw_with(widget, light)
        for plot in plots:
            plot.theme = light
            plot.set_text_points(points)
            plot.recolour()
            plot.setBackground("#ffffff")
            plot.pointer.hide()
            for item in plot.item.items:
                if isinstance(item, pg.ScatterPlotItem):
                    item.opts["useCache"] = False  # its cached symbols are pixels of the screen
        _settle(picture, plots)
        yield
    finally:
        picture.setStyleSheet(look[0])
        picture.setPalette(look[1])
        picture.setAutoFillBackground(look[2])
        for widget, theme in painted:
            _draw_with(widget, theme)
        for plot, theme, own_points in before:
            plot.theme = theme
            plot.set_text_points(own_points)
            plot.recolour()


def _draw_with(widget: QWidget, theme: Theme) -> None:
    """Have a picture that paints itself do so in other colours."""
    widget.theme = theme  # type: ignore[attr-defined]  # found by this attribute
    again = getattr(widget, "show_again", widget.update)
    again()


def _settle(picture: QWidget, plots: list[ThemedPlot]) -> None:
    """Let axes take the room that their letters need: they learn of it by being drawn."""
    QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
    if (layout := picture.layout()) is not None:
        layout.activate()
    picture.grab()
    for plot in plots:
        plot.item.layout.activate()
        for side in ("left", "bottom"):
            plot.item.getAxis(side).resizeEvent()


def save_pdf(picture: QWidget, path: str) -> bool:
    """Draw a picture into a PDF page of its own size; lines and letters stay sharp.

    Tell whether that went well.
    """
    try:
        with open(path, "ab"):
            pass
    except OSError:
        return False
    writer = QPdfWriter(path)
    writer.setTitle(picture.accessibleName())
    writer.setCreator("Triton Playground")
    dots = picture.logicalDpiX()
    size = QSizeF(picture.width(), picture.height()) * (POINTS_AN_INCH / dots)
    page = QPageSize(size, QPageSize.Unit.Point, "", QPageSize.SizeMatchPolicy.ExactMatch)
    writer.setPageLayout(QPageLayout(page, QPageLayout.Orientation.Portrait, QMarginsF()))
    writer.setResolution(dots)
    painter = QPainter(writer)
    # A plot is a graphics view, whose own `render` draws its scene alone.
    QWidget.render(picture, painter, QPoint())
    return painter.end()


def enlarged(picture: QWidget, scale: float) -> QPixmap:
    """Return a picture in `scale` times the pixels it has on screen."""
    pixmap = QPixmap(QSize(picture.width(), picture.height()) * scale)
    pixmap.setDevicePixelRatio(scale)
    pixmap.fill("#ffffff")
    QWidget.render(picture, pixmap, QPoint())
    return pixmap
