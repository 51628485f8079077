"""What's this? on figures, and the list of them."""

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint
from PySide6.QtGui import QHelpEvent, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QLabel, QTableView, QWhatsThis

from playground.model.figures import FIGURES, figure_in
from playground.ui.figure_help import FigureList, figure_of
from tests.ui.windows import open_window


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("50.3 µs median", "median"), ("2,000 GB/s", "bandwidth"),
        ("Registers a thread", "registers"), ("Shared memory", "shared"),
        ("spread 1.2 %", "spread"), ("Sector efficiency", "efficiency"),
        ("Host cost", "host_cost"), ("1.3 waves", "waves"), ("Noise floor 0.4 %", "noise_floor"),
    ],
)  # fmt: skip
def test_words_name_their_figure(text, name):
    assert figure_in(text) is FIGURES[name]


def test_other_words_name_none():
    assert figure_in("Open a file…") is None
    assert figure_in("enterprise") is None


def test_every_figure_is_found_by_its_title():
    for figure in FIGURES.values():
        assert figure_in(figure.title) is figure


def test_tables_are_asked_by_column_then_by_row(qtbot):
    model = QStandardItemModel(1, 2)
    model.setHorizontalHeaderLabels(["Name", "Value"])
    model.setItem(0, 0, QStandardItem("Occupancy"))
    model.setItem(0, 1, QStandardItem("50 %"))
    table = QTableView()
    qtbot.addWidget(table)
    table.setModel(model)
    table.show()
    at = table.visualRect(model.index(0, 1)).center()
    assert figure_of(table.viewport(), at) is FIGURES["occupancy"]


def test_a_click_tells_while_it_is_asked_for(qtbot, qapp, tmp_path, monkeypatch):
    told = []
    monkeypatch.setattr(QWhatsThis, "showText", lambda *given: told.append(given[1]))
    with open_window(tmp_path, qapp) as window:
        label = QLabel("bandwidth 3 GB/s", window)
        click = QHelpEvent(QEvent.Type.WhatsThis, QPoint(1, 1), QPoint(1, 1))
        QCoreApplication.sendEvent(label, click)
        assert told == []
        window.actions_table["help.whatsThis"].trigger()
        QCoreApplication.sendEvent(label, click)
        assert "Bandwidth" in told[0]
        assert FIGURES["bandwidth"].formula in told[0]
        QWhatsThis.leaveWhatsThisMode()
        QCoreApplication.sendEvent(label, click)
        assert len(told) == 1


def test_the_list_narrows(qtbot):
    dialog = FigureList(None)
    qtbot.addWidget(dialog)
    assert all(figure.title in dialog.text.toPlainText() for figure in FIGURES.values())
    dialog.query.setText("joules")
    assert "Energy" in dialog.text.toPlainText()
    assert "Occupancy" not in dialog.text.toPlainText()
    dialog.query.setText("nosuchword")
    assert "No figure" in dialog.text.toPlainText()
