"""Launches and compiler output by mouse and keyboard; empty views, and names of all widgets."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QComboBox,
    QLineEdit,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from playground.model.config import Config
from playground.ui.document import Document
from playground.ui.theme import Theme
from playground.ui.views.compiler import CompilerView
from playground.ui.views.ir_text import IrText
from playground.ui.views.launches import LaunchesView
from playground.ui.views.sweep import SweepView
from playground.ui.views.table_twin import RecordTable
from tests.ui.conftest import run_vector_add
from tests.ui.fake_engine import FakeEngine


def show(view: QWidget, qtbot: QtBot, width: int = 700, height: int = 640) -> None:
    qtbot.addWidget(view)
    view.resize(width, height)
    view.show()
    qtbot.waitExposed(view)


def cell(table: RecordTable, row: int, title: str) -> str:
    model = table.model()
    titles = [model.headerData(i, Qt.Orientation.Horizontal) for i in range(model.columnCount())]
    return model.index(row, titles.index(title)).data()


# ------------------------------------------------------------------------------ launches


def test_launches_empty_then_selected(
    gpu_document: Document, gpu_engine: FakeEngine, qtbot: QtBot
) -> None:
    view = LaunchesView(gpu_document, Theme())
    show(view, qtbot)
    empty = view.findChild(QWidget, "launches.empty")
    assert "Open a Python file" in empty.text
    gpu_engine.launch_count = 3
    run_vector_add(gpu_document, qtbot)
    assert not empty.isVisible()
    table = view.findChild(RecordTable, "launches.table")
    assert table.model().rowCount() == 3
    assert cell(table, 0, "Kernel") == "add_kernel"
    assert cell(table, 0, "Programs") == "97"
    assert cell(table, 0, "Tensors") == "3 of float32 98\u2009432"
    assert cell(table, 0, "Place") == "vector_add.py:18"
    QTest.mouseClick(
        table.viewport(), Qt.MouseButton.LeftButton,
        pos=table.visualRect(table.model().index(2, 1)).center(),
    )  # fmt: skip
    assert gpu_document.launch_index == 2
    table.setFocus()
    QTest.keyClick(table, Qt.Key.Key_Up)
    assert gpu_document.launch_index == 1
    with qtbot.waitSignal(view.sourceLineRequested) as caught:
        QTest.keyClick(table, Qt.Key.Key_Return)
    assert caught.args == [36]


def test_arguments_of_the_selected_launch(gpu_ran: Document, qtbot: QtBot) -> None:
    view = LaunchesView(gpu_ran, Theme())
    show(view, qtbot)
    table = view.findChild(RecordTable, "launches.arguments")
    assert cell(table, 0, "Argument") == "x_ptr"
    assert cell(table, 0, "dtype") == "float32"
    assert cell(table, 0, "Alignment") == "16 B"
    assert cell(table, 0, "Strides") == "1"
    assert cell(table, 0, "Storage") == "384.5 KiB on cuda:0"
    assert cell(table, 3, "Value or shape") == "98432"


def test_empty_views_say_what_to_do(gpu_document: Document, qtbot: QtBot) -> None:
    for cls, name in ((CompilerView, "compiler.empty"), (SweepView, "sweep.empty")):
        view = cls(gpu_document, Theme())
        show(view, qtbot)
        assert view.findChild(QWidget, name).isVisible()
        assert "F5" in view.findChild(QWidget, name).text


def test_every_interactive_widget_has_a_name(gpu_ran: Document, qtbot: QtBot) -> None:
    from playground.ui.views.coverage import CoverageView
    from playground.ui.views.knobs import KnobsPanel
    from playground.ui.views.timings import TimingsView

    theme = Theme()
    for cls in (LaunchesView, KnobsPanel, CompilerView, SweepView, CoverageView, TimingsView):
        view = cls(gpu_ran, theme)
        show(view, qtbot)
        for widget in view.findChildren(QWidget):
            own = not widget.objectName().startswith("qt_") and type(widget).__module__ != (
                "PySide6.QtWidgets"
            )
            kinds = (QPushButton, QComboBox, RecordTable, IrText)
            inner = isinstance(widget.parent(), QComboBox)
            if isinstance(widget, kinds) and not inner:
                assert widget.objectName(), (cls.__name__, widget)
                assert widget.accessibleName(), (cls.__name__, widget.objectName())
            elif own and isinstance(widget, QLineEdit):
                assert widget.accessibleName(), (cls.__name__, widget)


def test_configs_label() -> None:
    assert Config.of({"A": 1}).label() == "A=1"
