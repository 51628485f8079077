"""Zoom, pan, crosshair and pictures for papers of every plot."""

import re
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from playground.ui.theme import Theme
from playground.ui.views.log_axis import ReadableAxis
from playground.ui.views.plot_actions import PlotActions
from playground.ui.views.plot_style import ThemedPlot


class Shown:
    """A plot in a window, as in the app: pyqtgraph's own `close` is for plots that are one.

    pytest keeps a fixture's value beyond its end, and a plot keeps its menus; this lets go of it.
    """

    def __init__(self):
        self.window = QWidget()
        axis = ReadableAxis("left", lambda value: f"{value:.3g} ms")
        self.plot = ThemedPlot("test.plot", "Test", Theme("dark"), self.window, {"left": axis})
        self.plot.resize(400, 300)
        self.plot.item.plot([0.0, 10.0], [0.0, 2.0])
        self.plot.setXRange(0.0, 10.0, padding=0)
        self.plot.setYRange(0.0, 2.0, padding=0)
        self.plot.label_axes("time", "size")
        self.plot.recolour()
        self.window.show()

    def close(self):
        self.window.close()
        self.window.deleteLater()
        del self.window, self.plot


@pytest.fixture
def shown(qapp):
    made = Shown()
    yield made
    made.close()


def seen(plot):
    return [tuple(round(edge, 6) for edge in pair) for pair in plot.item.viewRange()]


def test_zoom_keeps_the_point_it_is_about(shown):
    plot = shown.plot
    plot.pointer.zoom(2.0, QPointF(2.0, 1.0))
    assert seen(plot) == [(1.0, 6.0), (0.5, 1.5)]
    assert plot.pointer.zoomed
    plot.pointer.zoom(0.5, QPointF(2.0, 1.0))
    assert seen(plot) == [(0.0, 10.0), (0.0, 2.0)]
    assert not plot.pointer.zoomed


def test_keys_zoom_move_and_show_all(shown):
    plot = shown.plot
    QTest.keyClick(plot, Qt.Key.Key_Right)
    assert seen(plot) == [(0.0, 10.0), (0.0, 2.0)]
    QTest.keyClick(plot, Qt.Key.Key_Plus)
    assert seen(plot) == [(1.0, 9.0), (0.2, 1.8)]
    QTest.keyClick(plot, Qt.Key.Key_Right)
    QTest.keyClick(plot, Qt.Key.Key_Up)
    assert seen(plot) == [(1.8, 9.8), (0.36, 1.96)]
    QTest.keyClick(plot, Qt.Key.Key_Home)
    assert seen(plot) == [(0.0, 10.0), (0.0, 2.0)]


def test_dragging_moves_only_what_is_zoomed(shown):
    plot = shown.plot

    def drag():
        QTest.mousePress(plot.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(200, 150))
        QTest.mouseMove(plot.viewport(), QPoint(150, 150))
        QTest.mouseRelease(plot.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(150, 150))

    drag()
    assert seen(plot) == [(0.0, 10.0), (0.0, 2.0)]
    plot.pointer.zoom(2.0)
    drag()
    (left, right), _ = seen(plot)
    assert left > 2.5
    assert right - left == pytest.approx(5.0)


def test_zoom_has_an_end_and_other_data_ends_it(shown):
    plot = shown.plot
    for _ in range(100):
        plot.pointer.zoom(2.0)
    (left, right), _ = plot.item.viewRange()
    assert right - left >= 10 / 2000
    plot.setXRange(0.0, 20.0, padding=0)
    assert not plot.pointer.zoomed


def test_the_crosshair_tells_values_as_the_axes_write_them(shown):
    plot = shown.plot
    plot.item.getAxis("left").show_scale(log=True)
    assert plot.pointer.point_at(QPointF(2.5, 1.0)) == "x 2.5   y 10 ms"
    assert seen(plot) == [(0.0, 10.0), (0.0, 2.0)]
    plot.pointer.hide()


def test_a_picture_for_a_paper_is_white_and_the_window_stays_as_it_was(shown, tmp_path, qtbot):
    plot = shown.plot
    actions = PlotActions("test", plot.theme, plot, lambda: "a,b\n", "test")
    qtbot.addWidget(actions)
    theme, points = plot.theme, plot.text_points
    png, svg, pdf = (str(tmp_path / f"p.{kind}") for kind in ("png", "svg", "pdf"))
    assert actions.save_for_paper(png, 14.0)
    picture = QImage(png)
    assert picture.width() == 4 * plot.width()
    assert picture.pixelColor(4, 4).name() == "#ffffff"
    assert actions.save_for_paper(svg, 14.0)
    assert re.search(r'font-size="1[0-9.]+"', Path(svg).read_text())
    assert actions.save_for_paper(pdf, 14.0)
    assert Path(pdf).read_bytes()[:5] == b"%PDF-"
    assert (plot.theme, plot.text_points) == (theme, points)
    assert plot.theme.is_dark
    assert not actions.save_pdf(str(tmp_path / "no" / "p.pdf"))
