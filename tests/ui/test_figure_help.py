"""What's this? on figures, and the list of them."""

import json
import re

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QLabel, QTableView, QWhatsThis

from playground.model.figures import FIGURES, figure_in
from playground.model.resources import assets_dir, kernels_dir
from playground.ui.figure_help import FigureList, figure_of
from playground.ui.views import debugger_tables
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


NAMES_ONLY = {
    "#", "Argument", "Call", "Chip", "Clock and cache", "Config", "Device", "GPUs", "Grid", "Kind",
    "Line", "Name", "Rule of thumb", "Target", "Tensor", "Tensors", "Value or shape", "dtype",
    "Source", "Source of the facts", "This config",
}  # fmt: skip
"""Columns that say which thing a row is, or give its text: no figure is worked out there."""
KNOBS = {"BLOCK_SIZE", "num_warps", "num_stages", "case", "same address"}


def numbered_columns(view):
    """Return the headings of a view's columns that have digits in their cells."""
    for table in view.findChildren(QTableView):
        model = table.model()
        for column in range(model.columnCount() if model is not None else 0):
            cells = [model.index(row, column).data() for row in range(min(model.rowCount(), 4))]
            if re.search(r"\d", " ".join(str(cell) for cell in cells if cell)):
                title = str(model.headerData(column, Qt.Orientation.Horizontal) or "")
                yield table.objectName(), title.strip()


def test_every_column_of_figures_is_explained_in_every_panel(qtbot, qapp, tmp_path):
    seen, silent = set(), set()
    with open_window(tmp_path, qapp, path=kernels_dir() / "vector_add.py", views=True) as window:
        document = window.document
        qtbot.waitUntil(lambda: document.engine_state == "ready")
        document.run()
        qtbot.waitUntil(lambda: document.is_current(document.coverage))
        document.pin_baseline()
        document.sweep.start_values({"BLOCK_SIZE": (256, 512)})
        qtbot.waitUntil(lambda: document.sweep.result is not None, timeout=10000)
        window.docks["debugger"].raise_()
        window.docks["roofline"].raise_()
        document.advice.ask()
        qtbot.waitUntil(lambda: document.advice.advisory is not None)
        for name, view in window.docks.views.items():
            for table, title in numbered_columns(view):
                seen.add(name)
                if title and title not in NAMES_ONLY | KNOBS and figure_in(title) is None:
                    silent.add((name, table, title))
    assert not silent, "\n".join(map(str, sorted(silent)))
    assert {"timings", "sweep", "launches", "experiments"} <= seen


def test_columns_of_panels_that_a_test_cannot_fill_are_explained_too():
    titles = {column.title for column in (
        *debugger_tables.WRITTEN_COLUMNS, *debugger_tables.DIFFERENCE_COLUMNS,
        *debugger_tables.ORIGIN_COLUMNS,
    ) if column.numeric}  # fmt: skip
    for path in (assets_dir() / "experiments").glob("*.json"):
        titles |= set(json.loads(path.read_text())["figures"]["columns"])
    places = {"Elements", "From", "To", "Line", "Program", "First", "Is", "Should be"}
    assert {t for t in titles - KNOBS - places if figure_in(t) is None} == set()
