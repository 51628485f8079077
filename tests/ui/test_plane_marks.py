"""Elements that several programs wrote are hatched, disputed ones crossed, on every colour."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication

from playground.protocol.messages import Paint, Plane, PlaneView
from playground.ui.theme import Theme, ThemeName
from playground.ui.views.coverage_legend import CoverageLegend, LegendFacts
from playground.ui.views.plane_canvas import PlaneCanvas
from playground.ui.views.plane_image import colour
from playground.ui.views.plane_marks import DISPUTED, SHARED, mark_image, paint_mark

FLAGS = np.array([[0, 2, 10], [1, 4, 2]], np.uint8)


def plane(paint: Paint) -> Plane:
    values = np.array([[0, 1, 2], [-1, 0, 1]], np.int32)
    return Plane("x", paint, PlaneView(), 2, 3, values, FLAGS, 3, 2)


def opaque(image: QImage | None) -> list[list[bool]]:
    assert image is not None
    return [
        [image.pixelColor(x, y).alpha() == 255 for x in range(image.width())]
        for y in range(image.height())
    ]


def test_marks_are_where_the_flags_are(qapp: QApplication) -> None:
    assert opaque(mark_image(FLAGS, SHARED)) == [[False, True, False], [False, False, True]]
    assert opaque(mark_image(FLAGS, DISPUTED)) == [[False, False, True], [False, False, False]]
    assert mark_image(FLAGS & 1, SHARED) is None
    assert mark_image(FLAGS & ~np.uint8(8), DISPUTED) is None


def test_only_the_owners_picture_is_marked(qapp: QApplication) -> None:
    theme = Theme()
    assert [bit for bit, _ in colour(plane("owner"), theme).marks] == [SHARED, DISPUTED]
    assert colour(plane("stores"), theme).marks == ()
    assert colour(plane("loads"), theme).marks == ()


@pytest.mark.parametrize("name", ["light", "dark"])
@pytest.mark.parametrize("ratio", [1, 2])
@pytest.mark.parametrize("bit", [SHARED, DISPUTED])
def test_hatching_shows_on_every_owners_colour(
    qapp: QApplication, name: ThemeName, ratio: int, bit: int
) -> None:
    theme = Theme(name)
    mark = mark_image(np.array([[bit, 0]], np.uint8), bit)
    assert mark is not None
    for rgb in theme.owner_colormap():
        image = QImage(80 * ratio, 40 * ratio, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(ratio)
        image.fill(rgb[0] << 16 | rgb[1] << 8 | rgb[2])
        painter = QPainter(image)
        paint_mark(painter, theme, bit, lambda layer: layer.drawImage(QRectF(0, 0, 80, 40), mark))
        painter.end()
        half = 40 * ratio
        lightness = [image.pixelColor(x, y).lightness() for x in range(half) for y in range(half)]
        assert max(lightness) - min(lightness) > 60
        beside = {image.pixel(x, y) for x in range(half + 2, 2 * half) for y in range(half)}
        assert len(beside) == 1


def test_the_legend_names_both(qapp: QApplication) -> None:
    legend = CoverageLegend(Theme())
    legend.show_facts(LegendFacts("owner", 4, 2, 0, shared=500, disputed=120))
    said = legend.accessibleName()
    assert "different values by several programs: 120" in said
    assert "written by several programs: 380" in said
    legend.resize(300, 60)
    assert not legend.grab().isNull()
    legend.show_facts(LegendFacts("stores", 4, 2, 0, shared=500, disputed=120))
    assert "several" not in legend.accessibleName()


def test_the_legend_tells_what_colours_the_inputs_beside(qapp: QApplication) -> None:
    legend = CoverageLegend(Theme())
    legend.show_facts(LegendFacts("owner", 4, 2, beside=LegendFacts("loads", 4, 16)))
    assert "inputs: loads 1 … 16" in legend.accessibleName()
    legend.show_facts(LegendFacts("loads", 4, 1, beside=LegendFacts("owner", 4, 2)))
    assert "outputs: owner program 0 … 3" in legend.accessibleName()


def test_a_small_map_passes_over_no_row(qapp: QApplication) -> None:
    """One row in 400 has other values: in a map of 90 pixels it shows all the same."""
    for row in (0, 123, 124, 125, 126, 127, 399):
        values = np.zeros((400, 400), np.int32)
        values[row] = 1
        flags = np.zeros(values.shape, np.uint8)
        shown = Plane("x", "owner", PlaneView(), 400, 400, values, flags, 1, 4)
        canvas = PlaneCanvas("small", "Small", Theme())
        canvas.resize(120, 120)
        canvas.set_plane(400, 400, folded=False)
        canvas.show_pictures(colour(shown, Theme()), None)
        image = canvas.grab().toImage()
        area = canvas.to_widget(row + 0.5, 100).toPoint()
        ratio = image.devicePixelRatio()
        x = round(area.x() * ratio)
        ground = image.pixelColor(x, round(canvas.to_widget(250, 100).y() * ratio))
        strip = [
            image.pixelColor(x, round(area.y() * ratio) + dy) for dy in (-1, 0, 1)
        ]  # fmt: skip
        assert any(_distance(ground, each) > 8 for each in strip), row


def _distance(one: QColor, other: QColor) -> int:
    parts = zip(one.getRgb()[:3], other.getRgb()[:3], strict=True)
    return max(abs(a - b) for a, b in parts)
