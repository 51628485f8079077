"""Tile maps, schedule and heat map as pictures for papers: on white, in letters of a size."""

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from playground.ui.theme import Theme
from playground.ui.views.coverage import CoverageView
from playground.ui.views.plot_actions import PAPER_SCALE
from playground.ui.views.schedule import ScheduleView
from playground.ui.views.sweep import SweepView


@pytest.mark.parametrize("name", ["coverage", "schedule", "sweep"])
def test_painted_pictures_are_for_papers_too(name, matmul_document, swept, qtbot, qapp, tmp_path):
    """In the dark theme: white corners, letters larger, and afterwards all is as it was."""
    theme = Theme("dark")
    document = swept if name == "sweep" else matmul_document
    cls = {"coverage": CoverageView, "schedule": ScheduleView, "sweep": SweepView}[name]
    view = cls(document, theme)
    qtbot.addWidget(view)
    view.resize(700, 600)
    view.show()
    if name == "coverage":
        qtbot.waitUntil(lambda: view.idle)
    elif name == "schedule":
        qtbot.waitUntil(lambda: document.programs.schedule.rank is not None)
    else:
        document.sweep.start()
        qtbot.waitUntil(lambda: document.sweep.result is not None)
        view.show_view("heat")
    qapp.processEvents()
    actions = view._actions
    picture = actions._picture
    png, svg, pdf = (str(tmp_path / f"{name}.{kind}") for kind in ("png", "svg", "pdf"))
    assert all(actions.save_for_paper(path, 14.0) for path in (png, svg, pdf))
    image = QImage(png)
    assert image.width() == round(picture.width() * PAPER_SCALE)
    looked = [
        image.pixelColor(x, y).lightness()
        for x in range(20, image.width(), 40)
        for y in range(20, image.height(), 40)
    ]
    # The window's dark ground would be most of it.
    assert sum(level > 250 for level in looked) > 0.2 * len(looked)
    assert sum(level < 60 for level in looked) < 0.3 * len(looked)
    assert (tmp_path / f"{name}.svg").read_text(encoding="utf-8").lstrip().startswith("<?xml")
    assert (tmp_path / f"{name}.pdf").read_bytes().startswith(b"%PDF")
    assert actions._as_csv().count("\n") > 1
    assert picture.styleSheet() == ""
    painted = [each for each in view.findChildren(QWidget) if hasattr(each, "theme")]
    assert painted
    assert all(each.theme is theme for each in painted)
