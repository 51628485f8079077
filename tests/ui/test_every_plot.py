"""Every plot of the window: zoom, move, crosshair, units, table, pictures, numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from playground.model.resources import kernels_dir
from playground.protocol.messages import BlockValue
from playground.ui.theme import Theme
from playground.ui.views.block_view import BlockView
from playground.ui.views.plot_actions import PlotActions
from playground.ui.views.plot_style import ThemedPlot
from tests.ui.windows import open_window

PLOTS = {
    "curves.plot", "roofline.plot", "timings.samples", "timings.history", "compare.rounds",
    "sweep.convergence",
}  # fmt: skip
KINDS = ("Save picture (PNG)", "Save drawing (SVG)", "Save page (PDF)", "for a paper",
         "Save numbers (CSV)", "Copy numbers (CSV)")  # fmt: skip


def text_of(axis: object) -> str:
    return str(axis.labelText)  # type: ignore[attr-defined]


def test_every_plot_zooms_moves_tells_and_is_saved(qtbot, qapp, tmp_path):
    with open_window(tmp_path, qapp, path=kernels_dir() / "vector_add.py", views=True) as window:
        document = window.document
        document.run()
        qtbot.waitUntil(lambda: document.is_current(document.coverage))
        for name in ("curves", "roofline", "timings", "compare", "sweep", "coverage"):
            window.docks.show(name)
            qtbot.wait(1)
        plots = {each.objectName(): each for each in window.findChildren(ThemedPlot)}
        assert set(plots) >= PLOTS, sorted(plots)
        for name, plot in plots.items():
            check_plot(name, plot)
        for actions in window.findChildren(PlotActions):
            if not actions.isHidden():  # a value's picture, while there is no value
                check_actions(actions, tmp_path)


def check_plot(name: str, plot: ThemedPlot) -> None:
    plot.item.vb.setRange(xRange=(0.0, 10.0), yRange=(0.0, 2.0), padding=0)
    whole = plot.item.viewRange()
    plot.pointer.zoom(2.0, QPointF(2.0, 1.0))
    assert plot.pointer.zoomed, name
    (left, right), _ = plot.item.viewRange()
    assert abs((right - left) - 5.0) < 1e-6, name
    plot.pointer.move(0.1, 0.0)
    assert plot.item.viewRange()[0][0] > left, name
    plot.pointer.show_all()
    assert plot.item.viewRange() == whole, name
    said = plot.pointer.point_at(QPointF(2.0, 1.0))
    assert said.startswith("x "), name
    assert "   y " in said, name
    plot.pointer.hide()
    # A map of two sizes names its axes with its curve; there is none of this file.
    for side in ("left", "bottom") if name in PLOTS else ():
        assert text_of(plot.item.getAxis(side)).strip(), (name, side)
    assert plot.accessibleName(), name


def check_actions(actions: PlotActions, folder: Path) -> None:
    offered = [each.text() for each in actions._menu.actions()]
    for kind in KINDS:
        assert any(kind in text for text in offered), (actions._stem, kind)
    picture = actions._picture
    assert isinstance(picture, QWidget)
    if picture.width() < 10 or not picture.isVisible():
        picture.resize(300, 200)
    QGuiApplication.clipboard().clear()
    actions.copy_picture()
    assert not QGuiApplication.clipboard().image().isNull(), actions._stem
    stem = folder / f"{id(actions)}"
    assert actions.save_png(f"{stem}.png"), actions._stem
    assert actions.save_svg(f"{stem}.svg"), actions._stem
    assert actions.save_pdf(f"{stem}.pdf"), actions._stem
    assert Path(f"{stem}.png").read_bytes().startswith(b"\x89PNG")
    assert Path(f"{stem}.svg").read_text(encoding="utf-8").lstrip().startswith("<?xml")
    assert Path(f"{stem}.pdf").read_bytes().startswith(b"%PDF")
    assert isinstance(actions._as_csv(), str)


def test_a_value_of_the_debugger_is_copied_and_saved(qtbot, tmp_path):
    view = BlockView("block", Theme())
    qtbot.addWidget(view)
    view.resize(400, 300)
    view.show()
    actions = view.findChild(PlotActions)
    assert actions.isHidden()
    view.show_block(BlockValue("x", "fp32", np.arange(6, dtype=np.float32).reshape(2, 3)))
    assert actions.isVisible()
    assert actions._as_csv() == "0.0,1.0,2.0\n3.0,4.0,5.0\n"
    check_actions(actions, tmp_path)
