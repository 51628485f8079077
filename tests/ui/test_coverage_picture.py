"""What the picture of a count says where there is nothing to draw."""

from PySide6.QtWidgets import QLabel

from playground.model.config import Config
from playground.model.coverage import Coverage
from playground.ui.coverage_picture import page
from playground.ui.theme import Theme


def test_a_launch_that_touches_nothing_is_told_instead_of_drawn(qtbot):
    empty = Coverage(0, Config(), (0, 2, 1), (), 0, 0, 0, (), "interpreter", 1.0)
    sheet = page("copy", empty, (), Theme("light"))
    qtbot.addWidget(sheet)
    said = [label.text() for label in sheet.findChildren(QLabel)]
    assert said[0] == "copy"
    assert said[1].startswith("grid 0 × 2 × 1, 0 programs")
    assert said[1].endswith("no tensor is touched, so there is no map")
