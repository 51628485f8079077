"""Widgets drawn into SVG files."""

import xml.etree.ElementTree as ElementTree

from PySide6.QtGui import QFontInfo
from PySide6.QtWidgets import QLabel

from playground.ui.drawing import save_svg


def test_words_are_text_as_large_as_on_the_screen(qtbot, tmp_path):
    label = QLabel("tail 3 µs")
    label.setAccessibleName("A schedule")
    qtbot.addWidget(label)
    label.resize(200, 40)
    assert save_svg(label, str(tmp_path / "label.svg")) == ""
    drawing = ElementTree.parse(tmp_path / "label.svg").getroot()
    assert "tail 3 µs" in "".join(drawing.itertext())
    assert "A schedule" in "".join(drawing.itertext())
    assert drawing.attrib["viewBox"] == "0 0 200 40"
    # The drawing's width in mm over its view box gives the pixels of an inch it was drawn for.
    dots = 200 / (float(drawing.attrib["width"].removesuffix("mm")) / 25.4)
    assert abs(dots - label.logicalDpiX()) < 2
    sizes = {node.attrib["font-size"] for node in drawing.iter() if "font-size" in node.attrib}
    pixels = QFontInfo(label.font()).pixelSize()
    assert any(abs(float(size) - pixels) <= 1.5 for size in sizes)


def test_a_file_that_cannot_be_written_is_told(qtbot, tmp_path):
    label = QLabel("x")
    qtbot.addWidget(label)
    assert save_svg(label, str(tmp_path / "no" / "label.svg")) != ""
