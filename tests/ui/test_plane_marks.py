"""Elements that several programs wrote are hatched, disputed ones crossed, on every colour."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication

from playground.protocol.messages import Paint, Plane, PlaneView
from playground.ui.theme import Theme, ThemeName
from playground.ui.views.coverage_legend import CoverageLegend, LegendFacts
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
