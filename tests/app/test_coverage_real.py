"""The tile maps on the real engine, in the interpreter: hover, footprint, steps, counts on disk."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QRectF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QSpinBox

from playground.model.resources import kernels_dir
from playground.ui.theme import Theme
from playground.ui.views.coverage import CoverageView
from tests.app.conftest import App, wait_for

ELEMENTS, BLOCK, FOLD = 98432, 1024, 512


@pytest.fixture
def view(app: App) -> Iterator[CoverageView]:
    document = app.document
    assert document.open_file(str(kernels_dir() / "vector_add.py"))
    document.run()
    wait_for(lambda: document.is_current(document.coverage), 60, "the coverage")
    app.settle()
    made = CoverageView(document, Theme("light"))
    made.resize(900, 700)
    made.show()
    wait_for(lambda: made.idle, 20, "the pictures")
    yield made
    document.programs.choose(())
    made.close()
    made.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def map_of(view: CoverageView, name: str):
    return next(each for each in view.maps if each.tensor.name == name)


def test_an_element_leads_to_its_program_and_that_to_its_footprint(view: CoverageView) -> None:
    canvas = map_of(view, "out_ptr").canvas
    QTest.mouseMove(canvas, canvas.to_widget(41.5, 100.5).toPoint())
    programs = view._programs
    row, column = canvas.hover
    program = (row * FOLD + column) // BLOCK
    # Where the pointer was when the window came up has a program as well.
    wait_for(lambda: programs.hovered == program, 10, "the element")
    assert f"owner program {program}" in view.status
    wait_for(lambda: view.idle and bool(map_of(view, "x_ptr").canvas.footprints), 20, "footprints")
    # A block of 1024 elements is two rows of the fold.
    wanted = QRectF(0, 2 * program, FOLD, 2)
    assert map_of(view, "x_ptr").canvas.footprints[0].loads == (wanted,)
    assert map_of(view, "y_ptr").canvas.footprints[0].loads == (wanted,)
    assert canvas.footprints[0].stores == (wanted,)
    assert canvas.preview


def test_the_last_program_ends_where_the_tensor_ends(view: CoverageView) -> None:
    view.findChild(QSpinBox, "coverage.program").setValue(96)
    wait_for(lambda: view.idle and bool(map_of(view, "x_ptr").canvas.footprints), 20, "footprints")
    # 98432 = 96 * 1024 + 128.
    assert map_of(view, "x_ptr").canvas.footprints[0].loads == (QRectF(0, 192, 128, 1),)
    assert "stores 128 elements of out_ptr" in view.stepper.text.text()


def test_the_steps_of_a_program(view: CoverageView) -> None:
    view.show_program(5)
    view.stepper.steps.click()
    steps = view._programs.steps
    wait_for(lambda: steps.count == 3, 30, "the steps")
    wanted = QRectF(0, 10, FOLD, 2)
    for at, (kind, name, line) in enumerate(
        (("load", "x_ptr", 21), ("load", "y_ptr", 22), ("store", "out_ptr", 23))
    ):
        QTest.keyClick(view.step_row.slider, Qt.Key.Key_Right)
        said = f"step {at + 1} of 3: {kind} {name}, line {line} · 1\u2009024 elements"
        assert view.step_row.sentence() == said
        shape = map_of(view, name).canvas.step
        assert (shape.stores if kind == "store" else shape.loads) == (wanted,)
        others = [each for each in view.maps if each.tensor.name != name]
        assert all(each.canvas.step.bounds.isNull() for each in others)
    view.stepper.steps.click()


def test_sites_and_counts_on_disk(view: CoverageView, tmp_path) -> None:
    sites = view._document.coverage.sites
    assert [(site.kind, site.line) for site in sites] == [("load", 21), ("load", 22), ("store", 23)]
    assert all(site.efficiency == 1.0 for site in sites)
    said: list[tuple[str, str]] = []
    view._programs.countsSaved.connect(lambda path, problem: said.append((path, problem)))
    path = tmp_path / "counts.npz"
    view._programs.save_counts(str(path))
    wait_for(lambda: bool(said), 30, "the file")
    assert said == [(str(path), "")]
    with np.load(path) as counts:
        assert (counts["x_ptr.loads"] == 1).all()
        assert (counts["out_ptr.owner"] == np.arange(ELEMENTS) // BLOCK).all()


def test_a_loop_is_stepped_through_in_its_order(app: App) -> None:
    document = app.document
    assert document.open_file(str(kernels_dir() / "matmul.py"))
    document.run()
    wait_for(lambda: document.is_current(document.coverage), 120, "the coverage")
    app.settle(120)
    programs = document.programs
    programs.choose((3,))
    programs.steps.want("test", True)
    wait_for(lambda: programs.steps.count > 0, 60, "the steps")
    steps = programs.steps
    # K / BLOCK_K times a load of A and of B, then the store of C.
    config = document.config
    times = 256 // int(config["BLOCK_K"])
    assert steps.count == 2 * times + 1
    kinds = []
    for step in range(steps.count):
        steps.go(step)
        kinds.append((steps.site().kind, steps.tensor()))
    assert kinds == [("load", "a_ptr"), ("load", "b_ptr")] * times + [("store", "c_ptr")]
    steps.go(2)
    # Program 3 of a group of 4 rows of tiles is at tile row 3, column 0.
    block_m, block_k = int(config["BLOCK_M"]), int(config["BLOCK_K"])
    row, column = np.divmod(steps.elements(), 256)
    assert (row.min(), row.max() + 1) == (3 * block_m, 4 * block_m)
    assert (column.min(), column.max() + 1) == (block_k, 2 * block_k)
    steps.want("test", False)
    programs.choose(())
