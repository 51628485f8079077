"""What has no room is cut with dots, never in the middle of a letter, and can be read in full."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot

from playground.model.knobs import Knob
from playground.ui.document import Document
from playground.ui.theme import Theme
from playground.ui.views.elided import ElidedComboBox
from playground.ui.views.knob_row import KnobRow
from playground.ui.views.launches import LaunchesView
from playground.ui.views.table_twin import RecordTable

LONG = "BLOCK_SIZE_M=128 BLOCK_SIZE_N=256 BLOCK_SIZE_K=64 GROUP_SIZE_M=8"


def test_a_combo_box_cuts_with_dots_and_opens_as_wide_as_its_choices(qtbot: QtBot) -> None:
    combo = ElidedComboBox()
    combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    combo.addItems(["short", LONG])
    qtbot.addWidget(combo)
    combo.resize(140, 26)
    combo.show()
    qtbot.waitExposed(combo)
    assert combo.shown() == "short"
    combo.setCurrentIndex(1)
    shown = combo.shown()
    assert shown.endswith("…")
    assert LONG.startswith(shown[:-1])
    assert len(shown) > 5
    assert not combo.grab().toImage().isNull()
    combo.showPopup()
    assert combo.view().minimumWidth() >= combo.fontMetrics().horizontalAdvance(LONG)
    combo.hidePopup()


def test_a_choice_of_no_text_can_be_seen(qtbot: QtBot) -> None:
    knob = Knob("ACTIVATION", "choice", "constexpr", "", ("", "leaky_relu", None))
    row = KnobRow(knob, Theme())
    qtbot.addWidget(row)
    combo = row.findChild(QComboBox, "knob:ACTIVATION")
    assert [combo.itemText(at) for at in range(combo.count())] == ["''", "leaky_relu", "none"]
    assert combo.itemData(0) == ""


def test_columns_of_launches_that_say_nothing_leave_room_to_the_tensors(
    gpu_ran: Document, qtbot: QtBot
) -> None:
    view = LaunchesView(gpu_ran, Theme())
    qtbot.addWidget(view)
    view.resize(340, 330)
    view.show()
    qtbot.waitExposed(view)
    table = view.findChild(RecordTable, "launches.table")
    titles = [table.model().headerData(at, Qt.Orientation.Horizontal) for at in range(7)]
    hidden = [title for at, title in enumerate(titles) if table.isColumnHidden(at)]
    assert hidden == ["Times", "Programs"]
    tensors = titles.index("Tensors")
    end = table.columnViewportPosition(tensors) + table.columnWidth(tensors)
    assert end <= table.viewport().width()
